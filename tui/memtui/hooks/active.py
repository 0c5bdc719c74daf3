"""The active commands and their compact summaries; what cannot be read is left out, and reported."""

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

RULES_ROOM = 3_500
"""Characters that the rules of all active commands have at least after a compaction; the summariser is given
ten times as many."""

_MOST = 20
"""Commands that are looked at; more are no work of a person."""

_NEVER = datetime.min.replace(tzinfo=UTC)


class Rules(NamedTuple):
    """An active command and what of it outlives a compaction."""

    name: str
    """Without a slash in front: ``babysit``, ``research/ask``."""
    text: str
    path: str
    """Its file as a person knows it."""
    rank: int
    """0 for the command that was activated last, the one in use; 1 for the one before it, and so on."""


def active_rules(project: Project, report: Report) -> list[Rules]:
    """The active commands that have a compact summary, in the file's order."""
    if not os.path.lexists(project.session_state_json):
        return []
    # Here and not above: most projects have no active commands, and this takes as long as the rest.
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


def long_rules(text: str) -> str:
    """What happens to a compact summary too long for a compacted session; "" when it has room."""
    size = size_of(clean(text).strip("\n"))
    if size <= RULES_ROOM:
        return ""
    return f"{size:,} characters: after a compaction shortened to about {RULES_ROOM:,}, with its path"


def sharing(rules: Sequence[Rules], room: int) -> list[Rules]:
    """The rules in at most `room` characters: none is dropped, long ones are abridged."""
    given = shares([size_of(each.text) for each in rules], room)
    return [
        each._replace(text=abridged(each.text, size, each.path))
        for each, size in zip(rules, given, strict=True)
    ]
