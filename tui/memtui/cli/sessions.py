"""``memtui sessions``: the sessions of Claude Code, and the days until it deletes them."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

import click

from memtui.cli.output import print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.flows.resuming import resume_command
from memtui.ground.clock import day_and_minute, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import claude_config, memtui_home
from memtui.secrets.secrets import masked, masked_in
from memtui.store.session_list import Session, SessionList, size_text
from memtui.transcript.short_text import one_line

_COLUMNS = ("id", "session", "when", "turns", "tokens", "compacted", "files", "size", "branch", "left")
"""`left`: days until Claude Code deletes the session."""


@click.command("sessions")
@click.option("--all", "everywhere", is_flag=True, help="List the sessions of all projects.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@root_option
def command(everywhere: bool, as_json: bool, root: Path | None) -> None:
    """List the sessions of this project, the newest first.

    The last column says in how many days Claude Code deletes the session: it keeps transcripts for
    `cleanupPeriodDays` after their last line, 30 unless its settings say otherwise. ✓ marks those
    of which `memtui archive` keeps a whole copy, ✗ incomplete those that its next run has to complete.
    """
    listing = SessionList(project_of(root), memtui_home(), claude_config(), system_clock)
    sessions = []
    for each in listing.entries(everywhere=everywhere):
        try:
            sessions.append(listing.completed(each))
        except (OSError, FileProblem):  # deleted meanwhile, or unreadable
            continue
    listing.remember()
    if as_json:
        print_json([masked_in(_record(each)) for each in sessions])
    elif not sessions:
        say("Claude Code has no session here." if not everywhere else "Claude Code has no session.")
    else:
        columns = (*_COLUMNS, "project") if everywhere else _COLUMNS
        print_table(columns, [_row(each, project=everywhere) for each in sessions], flexible=1)


def _record(session: Session) -> dict[str, object]:
    summary = asdict(session.summary)
    for name in ("end", "waiting"):
        del summary[name]
    return {
        "id": session.session_id,
        "path": str(session.path),
        **summary,
        "size": session.size,
        "written": session.written.isoformat(),
        "days_left": session.days_left,
        "archived": session.archived,
        "incomplete": session.incomplete,
        "agents": session.agents,
        "resume": shlex.join(resume_command(session.session_id)),
    }


def _row(session: Session, *, project: bool) -> tuple[str, ...]:
    summary = session.summary
    return (
        session.session_id[:8],
        one_line(masked(session.name)),
        day_and_minute(session.written),
        str(summary.turns),
        f"{round(summary.tokens / 1000)}k" if summary.tokens else "",
        str(summary.compactions) if summary.compactions else "",
        str(len(summary.files)) if summary.files else "",
        size_text(session.size),
        summary.branch,
        _left(session),
        *([Path(summary.folder).name] if project else []),
    )


def _left(session: Session) -> str:
    copy = "✗ incomplete" if session.incomplete else "✓" if session.archived else ""
    if session.days_left is None:
        return copy if session.incomplete else "archived"
    return f"{session.days_left} d {copy}".rstrip()
