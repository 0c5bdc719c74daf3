"""``memtui transcript``: prints a transcript, its turns, or the facts in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from memtui.cli.options import common_options
from memtui.cli.output import is_terminal, print_groups, print_json, say
from memtui.documents.events import evidence
from memtui.ground.clock import local_minute, parse_iso
from memtui.ground.project import Places, find_root
from memtui.ground.text import counted
from memtui.secrets.secrets import masked, masked_in
from memtui.store.captures import CaptureStore
from memtui.store.compact import capture_facts
from memtui.store.sessions import find_transcript, refuse_strange
from memtui.transcript.blocks import Entry, read_entries
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts, Source, Turn, to_json, turn_json
from memtui.transcript.short_text import one_line, shortened

_RESULT = 20
"""Maximum lines shown of an output or inserted text; ``--json`` has all, as has the line of ``--at``."""

_LEADS = {
    "ask": "❯ ",
    "said": "",
    "call": "● ",
    "result": "└ ",
    "boundary": "━━ ",
    "summary": "",
    "note": "… ",
}


@click.command("transcript")
@click.argument("session", default="")
@click.option("--turns", "form", flag_value="turns", help="What was asked, the work it took, how it closed.")
@click.option("--facts", "form", flag_value="facts", help="The facts in it, read without a model.")
@click.option("--capture", default="", help="With --facts: what this capture covers; its path, name or time.")
@click.option("--at", "line", type=click.IntRange(1), help="Only this line and those around it.")
@click.option(
    "--around", type=click.IntRange(0), default=10, show_default=True, help="Lines on either side of it."
)
@common_options
def transcript(
    session: str, form: str | None, capture: str, line: int | None, around: int, as_json: bool, places: Places
) -> None:
    """Print a session's transcript, or the surroundings of one of its lines.

    SESSION is a session's id, the beginning of one, or a transcript; without it, it is the session that
    memtui was started from, else the project's newest. L476 names line 476: --at 476 prints it. The facts are
    the turns, the files changed and read, the plan, tasks, errors, answers and compactions.
    """
    if capture and (form != "facts" or session):
        raise click.UsageError("--capture goes with --facts, and without a session.")
    if line and form:
        raise click.UsageError("--at goes without --turns and --facts.")
    if capture:
        store = CaptureStore(places.project)
        facts, problem = capture_facts(store.load(store.resolve(capture)), places)
        if problem:
            say(problem, err=True)
        _print_facts(facts, as_json)
    elif form == "facts":
        _print_facts(_read(places, session), as_json)
    elif form == "turns":
        _print_turns(_read(places, session), as_json)
    else:
        wanted = (max(1, line - around), line + around) if line else None
        _print_entries(find_transcript(places, session), line, wanted, as_json)


def _read(places: Places, session: str) -> Facts:
    path = find_transcript(places, session)
    facts = read_facts(path)
    refuse_strange(path, facts)
    return facts


def _print_facts(facts: Facts, as_json: bool) -> None:
    if as_json:
        print_json(masked_in(to_json(facts)))
        return
    folder = Path(facts.cwd) if facts.cwd else None
    # Paths are shortened to those of its project, which may be on another machine.
    groups = evidence(facts, find_root(folder) if folder is not None and folder.is_dir() else folder)
    print_groups((group.title, [masked(item.text) for item in group.items]) for group in groups)
    if facts.skipped_lines and is_terminal():
        lines = counted(facts.lines, "line")
        say(f"{facts.skipped_lines} of {lines} could not be read (torn, too long or not JSON).")


def _print_turns(facts: Facts, as_json: bool) -> None:
    if as_json:
        print_json([masked_in(turn_json(turn) | {"source": turn.source._asdict()}) for turn in facts.turns])
    else:
        lines = (line for turn in facts.turns for line in _turn(turn, turn is facts.turns[-1]))
        say("\n".join(lines) or "The session has no turn yet.")


def _turn(turn: Turn, last: bool) -> Iterator[str]:
    end = turn.end if last or turn.end != "running" else "the user spoke meanwhile"
    yield f"{turn.number}. {_source(turn.source)}  {turn.kind}, {counted(turn.calls, 'call')}, {end}"
    for mark, text in (("❯", turn.ask), ("●", turn.closing.text if turn.closing else "")):
        if flat := one_line(masked(text)):
            yield f"   {mark} {shortened(flat, 300)}"


def _print_entries(path: Path, line: int | None, wanted: tuple[int, int] | None, as_json: bool) -> None:
    entries = read_entries(path, wanted)
    if as_json:
        print_json([masked_in(asdict(entry) | {"source": entry.source._asdict()}) for entry in entries])
        return
    found = False
    for entry in entries:
        found = True
        say(_shown(entry, marked=entry.source.line == line))
    if not found:
        where = f" around line {line}" if line else ""
        reason = f"{path} has nothing to read{where}; `memtui transcript --turns` lists its lines."
        raise click.ClickException(reason)


def _source(source: Source) -> str:
    """``L476 2026-01-02 14:53``, without unknown parts."""
    moment = parse_iso(source.timestamp)
    return f"L{source.line}" + (f" {local_minute(moment)}" if moment else "")


def _shown(entry: Entry, *, marked: bool) -> str:
    head = f"{'>' if marked else ' '} {_source(entry.source)}"
    if entry.agent:
        head += f" ({entry.agent})"
    text = f"{entry.title}  {entry.text}" if entry.title else entry.text
    lines = masked(text).strip("\n").split("\n")
    if entry.kind in ("result", "note") and len(lines) > _RESULT and not marked:
        lines = [*lines[:_RESULT], f"... {len(lines) - _RESULT} more lines"]
    lead = "✗ " if entry.failed else _LEADS.get(entry.kind, "")
    return "\n".join((head, f"    {lead}{lines[0]}", *(f"    {line}" for line in lines[1:])))
