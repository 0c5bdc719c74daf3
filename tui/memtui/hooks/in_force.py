"""What has to stay in force: the pins, and the active commands with their rules.

Unreadable ones are left out and reported.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.hooks.records import Report
from memtui.hooks.sections import abridged, shares, size_of

if TYPE_CHECKING:
    from memtui.documents.commands import ActiveCommand
    from memtui.store.commands_file import CommandsFile

FOR_SUMMARISER = "## Pinned by the user: every line has to stand in the summary, word for word"
FOR_SESSION = "## Pinned by the user"


def pins_text(project: Project, home: Home, title: str, report: Report) -> str:
    """The pins under a title, `FOR_SUMMARISER` or `FOR_SESSION`; "" without any."""
    return titled_list(title, pin_texts(project, home, report), report)


def titled_list(title: str, lines: list[str], report: Report) -> str:
    """Lines as a list under a title, as many as fit; "" for none."""
    if not lines:
        return ""
    from memtui.lost.pins import ROOM
    from memtui.secrets.quoting import fenced

    kept: list[str] = []
    room = ROOM
    for line in lines:
        room -= size_of(line)
        if room < 0:
            report.problem(f"pins have {ROOM:,} characters together: {len(lines) - len(kept)} were left out")
            break
        kept.append(f"- {line}")
    return f"{title}\n\n{fenced(chr(10).join(kept))}" if kept else ""


def pin_texts(project: Project, home: Home, report: Report) -> list[str]:
    """The texts of the pins, masked and cleaned, once each; unconfirmed ones of the project are left out."""
    if not any(map(os.path.lexists, (project.pins, home.pins))):
        return []
    # Imported here: most projects have no pins.
    from memtui.lost.pins import Pins
    from memtui.secrets.quoting import safe

    found: dict[str, None] = {}
    for everywhere in (False, True):
        try:
            pins = Pins(project, home).of(everywhere=everywhere)
        except FileProblem as problem:
            report.problem(problem)
            continue
        known = [each.pin.text for each in pins if each.confirmed]
        if len(known) < len(pins):
            report.add_work(f"left out {len(pins) - len(known)} pins from the repository, not confirmed")
        found.update((line, None) for text in known if (line := clean_line(safe(text))))
    return list(found)


RULES_ROOM = 3_500
"""Least room for the rules of all active commands in the notes after a compaction, in characters."""

SUMMARISER_ROOM = 7_000
"""Room for the rules of all active commands in a summariser's block, in characters, fences included: its
9,900 without the status and the most that pins take."""

FENCE = 40
"""Characters of the marks around rules in that block, unless they hold long marks of their own."""

_NEVER = datetime.min.replace(tzinfo=UTC)


class CommandStatus(NamedTuple):
    """An active command, and whether its rules outlive a compaction."""

    entry: ActiveCommand
    name: str
    """Without a slash in front: ``babysit``, ``research/ask``."""
    rank: int
    """0 for the command that was activated last, the one in use; 1 for the one before it, and so on."""
    text: str = ""
    """The rules."""
    path: str = ""
    """Their file, for display."""
    problem: FileProblem | None = None
    """Why there are no rules; None if there is a summary."""
    shortage: str = ""
    """How little room the rules have, to stand after "the rules have"; "" if it is enough."""


def active_rules(project: Project, report: Report) -> list[CommandStatus]:
    """The active commands that have a compact summary, in the file's order."""
    if not os.path.lexists(project.session_state_json):
        return []
    # Imported here: most projects have no active commands, and this takes as long as the rest.
    from memtui.store.commands_file import HOOK_PATIENCE, CommandsFile

    commands = CommandsFile(project, HOOK_PATIENCE)
    try:
        statuses = command_statuses(commands, commands.read().commands)
    except FileProblem as problem:
        report.problem(problem)
        return []
    for status in statuses:
        if status.problem:
            report.add_work(f"no summary of {status.name}: {status.problem.reason}")
    return _rules(statuses)


def command_statuses(commands: CommandsFile, entries: Sequence[ActiveCommand]) -> list[CommandStatus]:
    """The status of each active command, in the order given; each command's file is read once."""
    from memtui.store.commands_file import normalised

    newest = sorted(entries, key=lambda each: each.activated_at or _NEVER, reverse=True)
    statuses = []
    for entry in entries:
        status = CommandStatus(entry, normalised(entry.name), newest.index(entry))
        try:
            found = commands.summary(entry.name)
            status = status._replace(text=clean(found.text).strip("\n"), path=found.shown)
        except FileProblem as problem:
            status = status._replace(problem=problem)
        statuses.append(status)
    rules = _rules(statuses)
    sizes = [size_of(each.text) for each in rules]
    in_summary, in_notes = shares(sizes, SUMMARISER_ROOM - FENCE * len(rules)), shares(sizes, RULES_ROOM)
    shortages: dict[str, str] = {}
    for each, size, before, after in zip(rules, sizes, in_summary, in_notes, strict=True):
        if after < size:
            summary = f"about {before:,} in a compaction's summary and " if before < size else ""
            then = "after it" if summary else "after a compaction"
            shortages[each.name] = f"{size:,} characters: room for {summary}about {after:,} or more {then}"
    return [each._replace(shortage=shortages.get(each.name, "") if each.path else "") for each in statuses]


def _rules(statuses: Sequence[CommandStatus]) -> list[CommandStatus]:
    """The commands with rules; of two with the same name the first."""
    found: dict[str, CommandStatus] = {}
    for each in statuses:
        if each.text.strip():
            found.setdefault(each.name, each)
    return list(found.values())


def abridged_rules(rules: Sequence[CommandStatus], room: int) -> list[CommandStatus]:
    """All rules in at most `room` characters: long ones are abridged."""
    given = shares([size_of(each.text) for each in rules], room)
    return [
        each._replace(text=abridged(each.text, size, clean_line(each.path)))
        for each, size in zip(rules, given, strict=True)
    ]
