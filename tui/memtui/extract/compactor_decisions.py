"""Key decisions from version to version (seed 003): they are only ever added to.

Beyond twenty entries related ones share one: every decision keeps its words, on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memtui.extract.phrasing import key_of
from memtui.formats.session_state import Decision

MOST = 20
_SINGLE = 8
"""The last decisions stay on their own."""

_WORD = re.compile(r"[^\W_]{4,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}")
_CUT = 40
"""Characters from which the beginning of a decision is enough to know it again."""


def members(decision: Decision) -> list[str]:
    """The decisions that share an entry; the entry's own text when it holds one."""
    lines = decision.text.split("\n")
    if len(lines) > 1 and all(line.startswith("- ") and line[2:].strip() for line in lines):
        return [line[2:].strip() for line in lines]
    return [decision.text]


def merged_decisions(previous: Iterable[Decision], drafted: Iterable[Decision]) -> tuple[Decision, ...]:
    """All decisions of the version before, as they are, and the new ones behind them; none twice."""
    entries = list(previous)
    known = {key_of(text) for entry in entries for text in members(entry)}
    for decision in drafted:
        for text in members(decision):
            key = key_of(text)
            if key in known or _is_cut(text, key, known):
                continue
            known.add(key)
            entries.append(Decision(kind=decision.kind, text=text))
            if len(entries) > MOST:
                _join_one(entries)
    while len(entries) > MOST and _join_one(entries):
        pass
    return tuple(entries)


def _is_cut(text: str, key: str, known: set[str]) -> bool:
    """Whether a decision is the beginning of one that is told already, and was cut there."""
    return text.endswith(("…", "...")) and len(key) >= _CUT and any(each.startswith(key) for each in known)


def _join_one(entries: list[Decision]) -> bool:
    """Put the oldest single decision into the entry of its kind that it is most related to."""
    early = entries[:-_SINGLE]
    singles = [index for index, entry in enumerate(early) if _is_single(entry)]
    groups = [index for index, entry in enumerate(early) if len(members(entry)) > 1]
    for index in (*singles, *groups):
        others = [
            other
            for other in (*singles, *groups)
            if other != index and early[other].kind == early[index].kind
        ]
        if others:
            best = max(others, key=lambda other: (_related(early[index], early[other]), -abs(other - index)))
            entries[best] = _joined(entries[min(index, best)], entries[max(index, best)])
            del entries[index]
            return True
    return False


def _is_single(entry: Decision) -> bool:
    """Whether an entry is one decision on one line; one of several lines that a person wrote stays alone."""
    return "\n" not in entry.text


def _joined(first: Decision, second: Decision) -> Decision:
    lines = (f"- {text}" for text in (*members(first), *members(second)))
    return Decision(kind=first.kind, text="\n".join(lines))


def _related(one: Decision, other: Decision) -> float:
    """The share of words that two entries have in common."""
    mine, theirs = _words(members(one)), _words(members(other))
    return len(mine & theirs) / (min(len(mine), len(theirs)) or 1)


def _words(texts: Sequence[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())}
