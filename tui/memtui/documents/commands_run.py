"""The commands of a session, each once with its last outcome."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.documents.events import outcome_of
from memtui.documents.sources import with_source
from memtui.transcript.checks import all_commands, bare_command, is_check, is_lookup
from memtui.transcript.records import Command, Facts
from memtui.transcript.short_text import shortened

TITLE = "Commands and their last outcome"

_WIDTH = 145
_FOLDERS = 3
_FOLDER = re.compile(r"\s*cd (\"[^\"]+\"|'[^']+'|\S+) *(?:&&|;|\n)")
_MARKS = {"unknown": "no result on record", "background": "started in the background"}


def commands_run(facts: Facts, most: int) -> Iterator[str]:
    """Checks first, including subagents', then repeated commands, then the rest; each group newest first."""
    last: dict[str, Command] = {}
    times: dict[str, int] = {}
    for command in all_commands(facts):
        text = bare_command(command.text)
        last.pop(text, None)
        last[text] = command
        times[text] = times.get(text, 0) + 1
    newest_first = list(reversed(last))
    ranked = sorted(newest_first, key=lambda text: _rank(text, times[text]))
    for text in ranked[:most]:
        outcome = outcome_of(last[text])
        count = f"{times[text]} times, last: " if times[text] > 1 else ""
        by = ", by a subagent" if last[text].by == "subagent" else ""
        line = f"`{shortened(text, _WIDTH)}`: {count}{_MARKS.get(outcome, outcome)}{by}"
        yield with_source(line, last[text].source)
    ran = (last[text] for text in ranked[:most] if last[text].outcome != "rejected")
    folders = (_FOLDER.match(command.text) for command in ran)
    named = dict.fromkeys(found[1].strip("\"'") for found in folders if found)
    if elsewhere := [folder for folder in named if folder.rstrip("/\\") not in ("", ".", facts.cwd)]:
        yield f"some after `cd` to {', '.join(elsewhere[:_FOLDERS])}"


def _rank(command: str, times: int) -> int:
    return 0 if is_check(command) else 1 if times > 1 else 3 if is_lookup(command) else 2
