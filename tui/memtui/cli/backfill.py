"""``memtui backfill``: captures for compactions at which no hook ran."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.captures import title_of
from memtui.cli.changes import changes_in
from memtui.cli.output import can_answer, print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.flows.backfilling import find_missing
from memtui.ground.clock import local_minute, system_clock
from memtui.ground.project import Places, Project, claude_config, memtui_home
from memtui.store.backfill import Compaction, write_missing

if TYPE_CHECKING:
    from memtui.store.changes import Wrote


@dataclass(frozen=True, slots=True)
class Listed:
    """A compaction without a capture, with the keys of ``--json``."""

    timestamp: str
    """The compaction's local time: ISO 8601 with its offset."""
    session_id: str
    transcript: str
    first_message: str
    capture: str = ""
    """The path of the capture that was written; "" when none was."""


@click.command("backfill")
@click.option("--yes", "-y", is_flag=True, help="Write them without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, ask nothing.")
@root_option
def command(yes: bool, as_json: bool, root: Path | None) -> None:
    """Write captures for auto-compactions that have none.

    They are found in the transcripts that Claude Code keeps of this project, for 30 days by default, and in
    the archive. Each capture gets its compaction's own time. Nothing is written twice, and nothing that
    exists is changed.
    """
    project = project_of(root)
    missing = find_missing(Places(project, memtui_home(), claude_config()), system_clock)
    if not as_json:
        if not missing:
            say(f"Nothing to do: every auto-compaction in the transcripts of {project.name} has a capture.")
            return
        rows = [(local_minute(each.at), each.session_id, title_of(message)) for each, message in missing]
        print_table(("Time", "Session", "First message"), rows, flexible=2)
    write = yes or not missing or _agreed(len(missing), as_json)
    changes = changes_in(project.root)
    with changes.together(f"backfilled {_captures(len(missing))}"):
        wrote = changes.wrote if write else None
        listed = [_listed(project, each, message, wrote) for each, message in missing]
    if as_json:
        print_json([asdict(each) for each in listed])
    elif write:
        written = sum(bool(each.capture) for each in listed)
        say(f"Wrote {_captures(written)} to {project.compacts}")
    else:
        say("Nothing was written.")


def _agreed(number: int, as_json: bool) -> bool:
    if as_json:
        return False
    if not can_answer():
        raise click.ClickException(f"nothing was written; write {_captures(number)} with --yes.")
    return click.confirm(f"Write {_captures(number)}?", default=True)


def _listed(project: Project, compaction: Compaction, message: str, wrote: Wrote | None) -> Listed:
    path = write_missing(project, compaction, message, wrote) if wrote else None
    return Listed(
        timestamp=compaction.at.astimezone().isoformat(timespec="seconds"),
        session_id=compaction.session_id,
        transcript=str(compaction.transcript),
        first_message=message,
        capture=str(path) if path else "",
    )


def _captures(number: int) -> str:
    return f"{number} capture" + ("" if number == 1 else "s")
