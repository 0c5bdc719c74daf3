"""Key decisions from version to version (seed 003), which are only ever added.

Beyond twenty entries, related decisions share an entry: each keeps its words, on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from memtui.documents.sources import without_source
from memtui.formats.session_state import Decision
from memtui.transcript.short_text import key_of

MOST = 20
_SINGLE = 8
"""Number of the latest decisions that keep an entry of their own."""

_WORD = re.compile(r"[^\W_]{4,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}")
_CUT = 40
"""Length in characters at which the beginning of a decision is enough to recognise it."""


def members(decision: Decision) -> list[str]:
    """The decisions in an entry; for a single one, the entry's own text."""
    lines = decision.text.split("\n")
    if len(lines) > 1 and all(line.startswith("- ") and line[2:].strip() for line in lines):
        return [line[2:].strip() for line in lines]
    return [decision.text]


def merged_decisions(previous: Iterable[Decision], drafted: Iterable[Decision]) -> tuple[Decision, ...]:
    """All decisions of the previous version unchanged, followed by the new ones, without repetitions."""
    entries = [_Entry(decision.kind, members(decision), decision) for decision in previous]
    known = {_key(text) for entry in entries for text in entry.texts}
    for decision in drafted:
        for text in members(decision):
            key = _key(text)
            if key in known or _is_cut(text, key, known):
                continue
            known.add(key)
            entries.append(_Entry(decision.kind, [text], Decision(kind=decision.kind, text=text)))
            if len(entries) > MOST:
                _join_one(entries)
    while len(entries) > MOST and _join_one(entries):
        pass
    return tuple(entry.decision or _listed(entry) for entry in entries)


def _key(text: str) -> str:
    return key_of(without_source(text))


def _is_cut(text: str, key: str, known: set[str]) -> bool:
    """Whether a decision is a shortened copy of a known one."""
    return text.endswith(("…", "...")) and len(key) >= _CUT and any(each.startswith(key) for each in known)


class _Entry:
    """An entry during joining; parsed once, as a long session has thousands of decisions."""

    def __init__(self, kind: Literal["decision", "constraint"], texts: list[str], whole: Decision) -> None:
        self.kind = kind
        self.texts = texts
        self.words = _words(texts)
        self.decision: Decision | None = whole
        """The entry as written; None after it was joined into another one."""
        self.is_single = "\n" not in whole.text
        """Whether it is one decision on one line; entries with several lines by a person are never joined."""

    def join(self, before: list[str], behind: list[str], words: set[str]) -> None:
        """Add other decisions to the entry."""
        self.texts = [*before, *self.texts, *behind]
        self.words |= words
        self.decision, self.is_single = None, False

    def related(self, other: _Entry) -> float:
        """The share of words that two entries have in common."""
        return len(self.words & other.words) / (min(len(self.words), len(other.words)) or 1)


def _join_one(entries: list[_Entry]) -> bool:
    """Join the oldest single decision into the most related entry of its kind."""
    early = entries[:-_SINGLE]
    singles = [index for index, entry in enumerate(early) if entry.is_single]
    groups = [index for index, entry in enumerate(early) if len(entry.texts) > 1]
    for index in (*singles, *groups):
        entry = early[index]
        others = [
            other for other in (*singles, *groups) if other != index and early[other].kind == entry.kind
        ]
        if others:
            best = max(others, key=lambda other: (entry.related(early[other]), -abs(other - index)))
            before, behind = (entry.texts, []) if index < best else ([], entry.texts)
            early[best].join(before, behind, entry.words)
            del entries[index]
            return True
    return False


def _listed(entry: _Entry) -> Decision:
    return Decision(kind=entry.kind, text="\n".join(f"- {text}" for text in entry.texts))


def _words(texts: Sequence[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())}
