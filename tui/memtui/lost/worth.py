"""Which losses come first: by kind, by how rare what is missing is, and by how late they stand.

Published in CONTRIBUTING. Rules in force first, then what is still due, what was refused or failed, commands
that work here, decisions, names and numbers, and findings; of near-doubles only the first one is listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from memtui.lost.records import PLAN, Row
from memtui.lost.verdicts import Verdict, identifiers, stems
from memtui.transcript.checks import selected_tests
from memtui.transcript.text import COMMAND

HEADINGS: dict[str, str] = {
    "R": "Rules still in force",
    "S": "Steps still due",
    "F": "Refused or failed",
    "C": "Commands that work here",
    "N": "Names and numbers",
    "O": "Open findings",
}
"""The headings of a note, by the letters of a choice."""

_KINDS = {
    "R": "pin active rule answer",
    "S": "step task",
    "F": "refused failure",
    "C": "check command",
    "N": "name file",
    "O": "ask finding report said",
}
HEADING = {kind: letter for letter, kinds in _KINDS.items() for kind in kinds.split()}

_BASE = (
    {"pin": 160.0, "active": 150, "name": 95, "rule": 92, "refused": 82, "check": 78, "task": 72}
    | {"failure": 70, "step": 56, "command": 56, "answer": 50, "ask": 40, "file": 29, "finding": 26}
    | {"said": 26, "report": 20}
)
_RECENT = 14.0
_MISSING = 6.0
_DUE, _ADVICE = 24.0, 34.0
"""For a step that is still due of a command; off for a command's or skill's general advice."""
_ONCE = 50.0
"""Taken off for a query that was made once: the session has its answer."""
_DOUBLE = 0.6
_AGAIN = 4.0
"""Taken off for each line of more worth that stands in the same place; for checks ever more."""


def worth(line: Row, verdict: Verdict, end: int) -> float:
    """How much a lost line is worth, only for comparing; `end` is the line of the boundary."""
    value, missing = _BASE[line.kind], len(verdict.missing)
    if line.kind in ("pin", "active"):  # in the order in which they were written
        return value
    late = _RECENT * line.source.line / max(1, end)
    if line.kind == "rule":  # an early one is nearly as much in force
        late = _RECENT / 2 + late / 7
    if line.kind in ("check", "command", "file"):
        value += min(line.times, 6)
    if line.kind == "command" and line.times == 1:
        value -= _ONCE
    if line.kind == "check":  # that of the whole project is worth more than one of some files or tests
        missing = 3 - len(identifiers(line.text)) - bool(selected_tests(line.text))
    elif line.kind == "step" and line.target != PLAN:
        due = line.standing == "open"
        value += _DUE if due else -_ADVICE
        missing = 2 if due else missing  # in the order in which they are to be done
    elif line.kind == "rule":
        value += _RECENT * bool(line.earlier) - _DUE * (line.source.speaker == "claude code")
    return value + late + _MISSING * min(missing, 3)


def ranked(rows: Sequence[Row]) -> list[Row]:
    """Rows by their worth, best first; each further check is worth less, except the newest."""
    found, before = [], 0
    latest = max((row.source.line for row in rows if row.kind == "check"), default=0)
    for row in sorted(rows, key=lambda each: -each.worth):
        if row.kind == "check":
            less = 0 if row.source.line == latest else _AGAIN * before * before
            row, before = replace(row, worth=row.worth - less), before + 1
        found.append(row)
    return sorted(found, key=lambda row: -row.worth)


def doubles(texts: Sequence[str]) -> set[int]:
    """The places of texts that mostly repeat one before them.

    Two of them share one of the rarest words of the shorter, so only those that do are compared.
    """
    found = set[int]()
    stemmed, named = [stems(text) for text in texts], [{*COMMAND.findall(text)} for text in texts]
    times = Counter(word for own in stemmed for word in own)
    having: defaultdict[str, list[int]] = defaultdict(list)
    having_rare: defaultdict[str, list[int]] = defaultdict(list)
    for at, own in enumerate(stemmed):
        rare = sorted(own, key=lambda word: (times[word], word))[: len(own) - int(_DOUBLE * len(own))]
        near = {each for word in rare for each in having[word]}
        near.update(each for word in own for each in having_rare[word])
        near = {each for each in near if named[at] <= named[each]}  # else it says something of its own
        if any(len(own & stemmed[each]) > _DOUBLE * min(len(own), len(stemmed[each])) for each in near):
            found.add(at)
            continue
        for word in own:
            having[word].append(at)
        for word in rare:
            having_rare[word].append(at)
    return found
