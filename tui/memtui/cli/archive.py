"""``memtui archive``: keeps sessions longer than Claude Code does."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import click

from memtui.cli.changes import changes_in
from memtui.cli.output import print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.ground.clock import local_minute, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import claude_config, memtui_home
from memtui.store.archive import Archive, Kept, sessions_text
from memtui.store.archive_settings import archive_settings
from memtui.store.changes import CLI
from memtui.store.session_list import SessionList, size_text

_AGE = re.compile(r"(\d{1,5})d?")
_SIZE = re.compile(r"(\d{1,6}(?:\.\d+)?)\s*(MB|GB)", re.IGNORECASE)
_UNITS = {"MB": 10**6, "GB": 10**9}


def _archive() -> Archive:
    return Archive(memtui_home(), system_clock)


@click.group("archive", invoke_without_command=True)
@click.option("--all", "everywhere", is_flag=True, help="Keep the sessions of all projects.")
@root_option
@click.pass_context
def command(ctx: click.Context, everywhere: bool, root: Path | None) -> None:
    """Keep compressed copies of this project's sessions, beyond Claude Code's 30 days.

    Only new parts are copied. The hooks do the same for a session at each compaction and at its end.
    `[archive]` in config.toml turns it off (keep = false), and names folders whose sessions are never kept
    (private = ["~/secret"]).
    """
    if ctx.invoked_subcommand is not None:
        return
    home = memtui_home()
    settings = archive_settings(home)
    if not settings.keep:
        say("Nothing is kept: [archive] keep = false in config.toml.")
        return
    archive, added, number, private, failed = _archive(), 0, 0, 0, 0
    for each in SessionList(project_of(root), home, claude_config(), system_clock).entries(
        everywhere=everywhere
    ):
        if each.kept is not None:
            continue  # deleted by Claude Code: there is nothing new
        try:
            new = archive.keep(each.path, settings)
        except FileProblem as problem:
            say(f"Not kept: {problem}.", err=True)
            failed += 1
            continue
        private += new < 0
        added, number = added + max(0, new), number + (new > 0)
    left_out = f"; {private} left out as private" if private else ""
    say(
        f"Kept {size_text(added) if added else 'nothing'} new, of {sessions_text(number)}{left_out}. "
        f"{_place(archive)}"
    )
    if failed:
        raise FileProblem(archive.root, f"has no whole copy of {sessions_text(failed)}; try again later")


def _place(archive: Archive) -> str:
    entries = archive.entries()
    total, budget = sum(each.packed for each in entries), archive_settings(memtui_home()).budget
    take = "takes" if len(entries) == 1 else "take"
    size = size_text(total) if total else "0 kB"
    text = f"{sessions_text(len(entries))} {take} {size} in {archive.root}"
    more = f", more than the {size_text(budget)} of [archive] budget_gb" if total > budget else ""
    return f"{text}{more}."


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def list_command(as_json: bool) -> None:
    """List the archived sessions of all projects, last updated first."""
    entries = _archive().entries()
    if as_json:
        print_json([_record(each) for each in entries])
    elif entries:
        print_table(
            ("id", "project", "kept", "size", "takes", "claude code"),
            [_row(each) for each in entries],
            flexible=1,
        )
        say(_place(_archive()))
    else:
        say("Nothing is kept yet: memtui archive does it.")


def _record(kept: Kept) -> dict[str, object]:
    return {
        "id": kept.session_id,
        "folder": kept.folder,
        "source": str(kept.source),
        "size": kept.size,
        "packed": kept.packed,
        "kept": kept.at.isoformat() if kept.at else None,
        "live": kept.is_live,
        "problem": kept.problem,
    }


def _row(kept: Kept) -> tuple[str, ...]:
    there = "has it, too" if kept.is_live else "deleted it"
    if kept.problem:
        there = f"{there}; ✗ incomplete"
    at = local_minute(kept.at) if kept.at else ""
    return (kept.session_id[:8], kept.folder, at, size_text(kept.size), size_text(kept.packed), there)


@command.command("verify")
@click.argument("session", default="")
def verify_command(session: str) -> None:
    """Unpack the archived sessions, and compare every byte with what was kept."""
    archive = _archive()
    entries = [archive.find(session)] if session else archive.entries()
    broken = 0
    for each in entries:
        if problem := archive.verify(each):
            broken += 1
            say(f"{each.session_id}: ✗ incomplete: {problem}", err=True)
    are = "is" if len(entries) == 1 else "are"
    say(f"{len(entries) - broken} of {sessions_text(len(entries))} {are} whole.")
    if broken:
        raise FileProblem(archive.root, f"holds {sessions_text(broken)} whose copy is not whole")


@command.command("restore")
@click.argument("session")
def restore_command(session: str) -> None:
    """Restore a session to Claude Code's folder, so that it can be resumed; existing files are kept."""
    archive = _archive()
    written = archive.restore(archive.find(session), by=CLI)
    say("\n".join(f"Restored {each}" for each in written) or "Claude Code still has this session.")


@command.command("prune")
@click.option(
    "--older-than", "age", default="", metavar="DAYS", help="Sessions archived longer ago, such as 365d."
)
@click.option(
    "--max-size", "size", default="", metavar="SIZE", help="The oldest, until the rest is smaller: 2GB."
)
@click.option("--yes", is_flag=True, help="Delete without asking.")
def prune_command(age: str, size: str, yes: bool) -> None:
    """Delete archived sessions for good, after listing them."""
    if not age and not size:
        raise click.UsageError("name --older-than or --max-size.")
    archive = _archive()
    old = _old(archive, age, size)
    if not old:
        say("There is nothing to delete.")
        return
    for each in old:
        say(
            f"{each.session_id[:8]}  {each.folder}  {size_text(each.packed)}"
            f"{'' if each.is_live else '  the only copy'}"
        )
    if yes or click.confirm(f"Delete {sessions_text(len(old))} from the archive?", default=False):
        _remove(archive, old)
        say(f"Deleted {len(old)}. {_place(archive)}")


def _remove(archive: Archive, old: list[Kept]) -> None:
    removed = []
    try:
        for each in old:
            archive.remove(each)
            removed.append(each.session_id[:8])
    finally:
        if removed:
            changes_in(project_of(None).root).for_good(
                f"deleted {sessions_text(len(removed))} from the archive: {', '.join(removed)}",
                "it was deleted for good",
            )


def _old(archive: Archive, age: str, size: str) -> list[Kept]:
    entries = sorted(archive.entries(), key=lambda each: each.at.timestamp() if each.at else 0.0)
    chosen: list[Kept] = []
    if age:
        match = _AGE.fullmatch(age)
        if match is None:
            raise click.UsageError("--older-than wants days: 365d.")
        before = system_clock() - timedelta(days=int(match[1]))
        chosen = [each for each in entries if each.at is not None and each.at < before]
    if size:
        match = _SIZE.fullmatch(size)
        if match is None:
            raise click.UsageError("--max-size wants a size: 500MB, 2GB.")
        left = [each for each in entries if each not in chosen]
        total, limit = sum(each.packed for each in left), float(match[1]) * _UNITS[match[2].upper()]
        while left and total > limit:
            chosen.append(left.pop(0))
            total = sum(each.packed for each in left)
    return chosen
