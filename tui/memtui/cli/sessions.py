"""``memtui sessions`` and ``archive``: Claude Code's sessions, and keeping or forgetting copies of them."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import click

from memtui.cli.options import agreed, common_options, json_option, places_option, yes_option
from memtui.cli.output import is_terminal, print_list, say
from memtui.flows.forgetting import Traces, forget, traces_of
from memtui.ground.clock import day_and_minute, local_minute, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, memtui_home
from memtui.ground.text import counted
from memtui.secrets.secrets import masked, masked_in
from memtui.store.archive import Archive, Kept, only_one
from memtui.store.archive_settings import archive_settings
from memtui.store.session_list import Session, SessionList, resume_command, size_text, unnamed
from memtui.store.transcripts import all_transcripts
from memtui.transcript.short_text import one_line

_COLUMNS = ("id", "session", "when", "turns", "tokens", "compacted", "files", "size", "branch", "left")
"""`left`: days until Claude Code deletes the session."""


@click.command("sessions")
@click.option("--all", "everywhere", is_flag=True, help="List the sessions of all projects.")
@common_options
def sessions(everywhere: bool, as_json: bool, places: Places) -> None:
    """List the sessions of this project, the newest first.

    A session that was started in another folder, or before the project was moved, says where it ran.
    The column "left" says in how many days Claude Code deletes the session: it keeps transcripts for
    `cleanupPeriodDays` after their file was last written, 30 unless its settings say otherwise. ✓ marks those
    of which `memtui archive` keeps a whole copy, ✗ incomplete those that its next run has to complete.
    """
    listing = SessionList(places, system_clock)
    found = []
    for each in listing.entries(everywhere=everywhere):
        try:
            found.append(listing.completed(each))
        except (OSError, FileProblem):  # deleted meanwhile, or unreadable
            continue
    listing.remember()
    found.sort(key=lambda each: each.written, reverse=True)  # an archived one's time is known once it is read
    root = places.project.root
    where = [Path(each.summary.folder).name if everywhere else each.ran_in(root) for each in found]
    columns = (*_COLUMNS, "project" if everywhere else "ran in") if any(where) else _COLUMNS
    short = _short_ids(each.session_id for each in found)
    rows = [
        (*_session_row(each, short), place)[: len(columns)] for each, place in zip(found, where, strict=True)
    ]
    values = [masked_in(_session_json(each)) for each in found] if as_json else []
    nothing = "Claude Code has no session." if everywhere else "Claude Code has no session here."
    print_list(values, columns, rows, nothing, as_json, flexible=1)


def _session_json(session: Session) -> dict[str, object]:
    summary = asdict(session.summary)
    del summary["end"]
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


def _short_ids(every: Iterable[str]) -> dict[str, str]:
    """The beginnings of ids, of eight characters at least, with which no other one begins."""
    forms = {own: [own[:n] for n in range(8, len(own) + 1)] for own in every}
    if is_terminal():  # long ones leave out the middle there, as other columns need the room
        for own, some in forms.items():
            some[5:] = [f"{own[:8]}…{own[-n:]}" for n in range(4, len(own) - 8)]
    number = Counter(form for some in forms.values() for form in some)
    return {own: next((form for form in some if number[form] == 1), own) for own, some in forms.items()}


def _session_row(session: Session, short: dict[str, str]) -> tuple[str, ...]:
    summary = session.summary
    return (
        short[session.session_id],
        one_line(masked(session.name)) or unnamed(session),
        (day_and_minute if is_terminal() else local_minute)(session.written),
        str(summary.turns),
        f"{round(summary.tokens / 1000)}k" if summary.tokens else "",
        str(summary.compactions) if summary.compactions else "",
        str(len(summary.files)) if summary.files else "",
        size_text(session.size),
        summary.branch,
        _left(session),
    )


def _left(session: Session) -> str:
    copy = "✗ incomplete" if session.incomplete else "✓" if session.archived else ""
    if session.days_left is None:
        return copy if session.incomplete else "archived"
    return f"{session.days_left} d {copy}".rstrip()


@click.group("archive", invoke_without_command=True)
@click.option("--all", "everywhere", is_flag=True, help="Keep the sessions of all projects.")
@places_option
@click.pass_context
def archive(ctx: click.Context, everywhere: bool, places: Places) -> None:
    """Keep compressed copies of this project's sessions, beyond Claude Code's 30 days.

    Only new parts are copied. The hooks do the same for a session at each compaction and at its end.
    `[archive]` in config.toml turns it off (keep = false), and names folders whose sessions are never kept
    (private = ["~/secret"]).
    """
    if ctx.invoked_subcommand is not None:
        return
    copies, settings = Archive(places.home), archive_settings(places.home)
    if settings.keep is False:
        say("Nothing is kept: you said no, or [archive] keep = false in config.toml; keep = true allows it.")
        return
    sizes, failed = list[int](), 0
    for each in SessionList(places, system_clock).entries(everywhere=everywhere):
        if each.kept is not None:
            continue  # deleted by Claude Code: there is nothing new
        try:
            sizes.append(copies.keep(each.path, settings))
        except FileProblem as problem:
            say(f"Not kept: {problem}.", err=True)
            failed += 1
    private, new = sum(size < 0 for size in sizes), [size for size in sizes if size > 0]
    left_out = f"; {private} left out as private" if private else ""
    new_text = f"{size_text(sum(new)) if new else 'nothing'} new"
    say(f"Kept {new_text}, of {counted(len(new), 'session')}{left_out}. {_place(copies)}")
    if failed:
        raise FileProblem(copies.root, f"has no whole copy of {counted(failed, 'session')}; try again later")


def _place(copies: Archive) -> str:
    entries = copies.entries()
    total = sum(each.packed for each in entries)
    take = "takes" if len(entries) == 1 else "take"
    size = size_text(total) if total else "0 kB"
    return f"{counted(len(entries), 'session')} {take} {size} in {copies.root}."


@archive.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the archived sessions of all projects, last updated first."""
    entries = Archive(memtui_home()).entries()
    columns = ("id", "project", "kept", "size", "takes", "claude code")
    short = _short_ids(each.session_id for each in entries)
    values, rows = [], []
    for each in entries:
        value = {
            "id": each.session_id,
            "folder": each.folder,
            "source": str(each.source),
            "size": each.size,
            "packed": each.packed,
            "kept": each.at.isoformat() if each.at else None,
            "live": each.is_live,
            "problem": each.problem,
        }
        values.append(value)
        there = ("has it, too" if each.is_live else "deleted it") + "; ✗ incomplete" * bool(each.problem)
        at = local_minute(each.at) if each.at else ""
        sizes = size_text(each.size), size_text(each.packed)
        rows.append((short[each.session_id], each.folder, at, *sizes, there))
    print_list(values, columns, rows, "Nothing is kept yet: memtui archive does it.", as_json, flexible=1)
    if rows and not as_json:
        say(_place(Archive(memtui_home())))


@archive.command("verify")
@click.argument("session", default="")
def verify_command(session: str) -> None:
    """Unpack the archived sessions, and compare every byte with what was kept."""
    copies = Archive(memtui_home())
    entries = [copies.find(session)] if session else copies.entries()
    broken = 0
    for each in entries:
        if problem := copies.verify(each):
            broken += 1
            say(f"{each.session_id}: ✗ incomplete: {problem}", err=True)
    are = "is" if len(entries) == 1 else "are"
    say(f"{len(entries) - broken} of {counted(len(entries), 'session')} {are} whole.")
    if broken:
        raise FileProblem(copies.root, f"holds {counted(broken, 'session')} whose copy is not whole")


@archive.command("restore")
@click.argument("session")
def restore_command(session: str) -> None:
    """Restore a session to Claude Code's folder, so that it can be resumed; existing files are kept."""
    copies = Archive(memtui_home())
    written = copies.restore(copies.find(session))
    say("\n".join(f"Restored {each}" for each in written) or "Claude Code still has this session.")


@archive.command("prune")
@click.option(
    "--older-than", "age", default="", metavar="DAYS", help="Sessions archived longer ago, such as 365d."
)
@click.option(
    "--max-size", "size", default="", metavar="SIZE", help="The oldest, until the rest is smaller: 2GB."
)
@yes_option
def prune_command(age: str, size: str, yes: bool) -> None:
    """Delete archived sessions for good, after listing them."""
    if not age and not size:
        raise click.UsageError("name --older-than or --max-size.")
    copies = Archive(memtui_home())
    old = _old(copies, age, size)
    if not old:
        say("There is nothing to delete.")
        return
    for each in old:
        only = "" if each.is_live else "  the only copy"
        say(f"{each.session_id[:8]}  {each.folder}  {size_text(each.packed)}{only}")
    if agreed(f"Delete {counted(len(old), 'session')} from the archive?", yes, default=False):
        for each in old:
            copies.remove(each)
        say(f"Deleted {len(old)}. {_place(copies)}")


def _old(copies: Archive, age: str, size: str) -> list[Kept]:
    entries = sorted(copies.entries(), key=lambda each: each.at.timestamp() if each.at else 0.0)
    chosen: list[Kept] = []
    if age:
        match = re.fullmatch(r"(\d{1,5})d?", age)
        if match is None:
            raise click.UsageError("--older-than wants days: 365d.")
        before = system_clock() - timedelta(days=int(match[1]))
        chosen = [each for each in entries if each.at is not None and each.at < before]
    if size:
        match = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)\s*(MB|GB)", size, re.IGNORECASE)
        if match is None:
            raise click.UsageError("--max-size wants a size: 500MB, 2GB.")
        most = float(match[1]) * {"MB": 10**6, "GB": 10**9}[match[2].upper()]
        left = sum(each.packed for each in entries if each not in chosen)
        for each in entries:
            if each not in chosen and left > most:
                chosen.append(each)
                left -= each.packed
    return chosen


@archive.command("forget")
@click.argument("session")
@yes_option
@places_option
def forget_command(session: str, yes: bool, places: Places) -> None:
    """Delete memtui's data of one session: archive, captures, states.

    SESSION is the beginning of an id, of any project. It says first what will be deleted, and what stays:
    Claude Code's own transcript is not touched.
    """
    traces = traces_of(places, _full_id(places, session))
    if traces.is_empty:
        say(f"memtui has no data of session {traces.session_id}.")
        return
    _show(traces)
    if not agreed("Delete this for good? It cannot be undone.", yes, default=False):
        return
    failed = forget(places, traces)
    for each in failed:
        say(each, err=True)
    if failed:
        raise FileProblem(places.home.data, f"still holds parts of session {traces.session_id}")
    say(f"Session {traces.session_id} is forgotten.")


def _full_id(places: Places, session: str) -> str:
    """The full id by its beginning, of any session that is known anywhere; else the argument itself."""
    states = places.home.states.iterdir() if places.home.states.is_dir() else ()
    known = {each.session_id for each in all_transcripts(places.claude)}
    known |= {each.session_id for each in Archive(places.home).entries()}
    known |= {each.name for each in states}
    fits = any(each.startswith(session.partition("…")[0]) for each in known)
    return only_one(known, session, Path("Claude Code")) if fits or not session else session


def _show(traces: Traces) -> None:
    say(f"Of session {traces.session_id} memtui deletes:")
    for kept in traces.copies:
        only = "" if kept.is_live else ", the only copy"
        say(f"  the archived transcript, {size_text(kept.size)}{only}")
    for path in traces.paths:
        say(f"  {path}")
    if traces.indexed:
        say("  the search index of all sessions, as it has this one; the next search makes it anew")
    say("What stays:")
    for each in traces.stays:
        say(f"  {each}")
