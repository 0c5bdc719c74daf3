"""The active commands and their compact summaries; unreadable ones are left out and reported."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime

from memtui.clean import clean, clean_line
from memtui.hooks.report import Report
from memtui.hooks.room import abridged, shares
from memtui.hooks.sections import size_of
from memtui.named import NamedTuple
from memtui.project import Project

RULES_ROOM, SUMMARISER_ROOM = 3_500, 31_500
"""Least room for the rules of all active commands, in characters: after a compaction, and for its summary."""

_MOST = 20
"""The most commands that are read."""

_NEVER = datetime.min.replace(tzinfo=UTC)


class Rules(NamedTuple):
    """An active command and the rules that outlive a compaction."""

    name: str
    """Without a slash in front: ``babysit``, ``research/ask``."""
    text: str
    path: str
    """Its file, for display."""
    rank: int
    """0 for the command that was activated last, the one in use; 1 for the one before it, and so on."""


def active_rules(project: Project, report: Report) -> list[Rules]:
    """The active commands that have a compact summary, in the file's order."""
    if not os.path.lexists(project.session_state_json):
        return []
    # Imported here: most projects have no active commands, and this takes as long as the rest.
    from memtui.store.commands_file import CommandProblem, CommandsFile, normalised
    from memtui.store.shared_text import HOOK_PATIENCE

    commands = CommandsFile(project, HOOK_PATIENCE)
    try:
        entries = commands.entries()
    except CommandProblem as problem:
        report.problem(problem)
        return []
    entries = entries[:_MOST]
    latest_first = sorted(entries, key=lambda entry: entry.activated_at or _NEVER, reverse=True)
    found: dict[str, Rules] = {}
    for entry in entries:
        name = normalised(entry.name)
        try:
            summary = commands.summary(entry.name)
        except CommandProblem as problem:
            report.did(f"no summary of {name}: {problem.reason}")
            continue
        text = clean(summary.text).strip("\n")
        if text.strip() and name not in found:
            found[name] = Rules(name, text, clean_line(summary.shown), latest_first.index(entry))
    return list(found.values())


def shortenings(project: Project) -> dict[str, str]:
    """By name, a note on rules of active commands that may have too little room; those that fit have none."""
    rules = active_rules(project, Report())
    sizes = [size_of(each.text) for each in rules]
    notes = {}
    for each, size, before, after in zip(
        rules, sizes, shares(sizes, SUMMARISER_ROOM), shares(sizes, RULES_ROOM), strict=True
    ):
        if after < size:
            summary = f"about {before:,} in a compaction's summary and " if before < size else ""
            then = "after it" if summary else "after a compaction"
            notes[each.name] = f"{size:,} characters: room for {summary}about {after:,} or more {then}"
    return notes


def sharing(rules: Sequence[Rules], room: int) -> list[Rules]:
    """All rules in at most `room` characters: long ones are abridged."""
    given = shares([size_of(each.text) for each in rules], room)
    return [
        each._replace(text=abridged(each.text, size, each.path))
        for each, size in zip(rules, given, strict=True)
    ]
