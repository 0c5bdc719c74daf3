"""The meaning of queries: any text is a query, and this module alone defines which texts match it.

A query is split into terms at its blanks. ``"a phrase in quotes"``, straight or typographic, is one term; an
unclosed quote ends with the query, and one inside a word is a character like any other. A text matches when
it contains every term, anywhere, in any order: as a word, as its beginning, in its middle. Case,
accents, width and line breaks make no difference (`folding.fold`). A query without terms matches every text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from memtui.ground.clean import without_surrogates
from memtui.store.folding import aligned, fold, fold_in_place

_QUOTES = {'"': '"', "“": "”", "”": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "＂": "＂"}
"""Opening and closing quotes."""

_BLOCK = 64 << 10
"""Block size in characters for finding the place of a snippet in a long text."""
_FINE = 2000
_LONGEST = 1000
"""Overlap of two blocks in characters, so that terms across their border are found."""

_SNIPPET = 160
_BEFORE = 40
"""Length of a snippet, and of its part before the first match, in characters."""


@dataclass(frozen=True)
class Query:
    """A parsed query."""

    terms: tuple[str, ...]
    """Folded, without repetition, in the order in which they were written."""

    @classmethod
    def parse(cls, text: str) -> Query:
        """Parse any text."""
        folded = (fold(term) for term in _terms(without_surrogates(text).replace("\x00", " ")))
        return cls(tuple(dict.fromkeys(term for term in folded if term)))

    def matches(self, text: str) -> bool:
        """Whether a text contains every term."""
        return self.matches_folded(fold(text))

    def matches_folded(self, folded: str) -> bool:
        """The same for a text that is folded already."""
        return all(term in folded for term in self.terms)

    def snippet(self, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """One line of the text around the first match, and the matches in it.

        Returns:
            The line, with ``…`` where the text continues, and the matches as character offsets (start, end).
        """
        position = self.first(text)
        start = max(0, position - _BEFORE)
        if start:  # begin at a word when one begins soon
            blank = re.compile(r"\s\S").search(text, start, position)
            start = blank.start() + 1 if blank else start
        window = text[start : start + _SNIPPET]
        before, after = "…" if start and text[:start].strip() else "", ""
        if text[start + _SNIPPET : start + _SNIPPET + _BLOCK].strip():
            after = "…"
        line = " ".join(window.replace("\x00", " ").split())
        marks = self.marks(line)
        return before + line + after, tuple((a + len(before), b + len(before)) for a, b in marks)

    def first(self, text: str) -> int:
        """The offset of the first match in a text, or 0."""
        for start in range(0, len(text), _BLOCK):
            block = text[start : start + _BLOCK + _LONGEST]
            lowered = block.lower()  # quicker than folding, and nearly always enough
            if len(lowered) == len(block) and (found := self._pattern.search(lowered)):
                return start + found.start()
            if block.isascii():
                continue
            if len(block) > _FINE and not self._pattern.search(fold(block)):
                continue
            for fine in range(0, len(block), _FINE):
                part = block[fine : fine + _FINE + _LONGEST]
                if found := self._pattern.search(fold_in_place(part)):
                    return start + fine + aligned(part).span(*found.span())[0]
        return 0

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """A pattern for any term, with any white space for its blanks; without terms it matches nothing."""
        longest_first = sorted(self.terms, key=len, reverse=True)
        parts = (r"\s+".join(map(re.escape, term.split(" "))) for term in longest_first)
        return re.compile("|".join(parts) or r"(?!)")

    def marks(self, line: str) -> list[tuple[int, int]]:
        """The matches in a line, as character offsets (start, end)."""
        piece = aligned(line)
        found = []
        for term in self.terms:
            place = piece.folded.find(term)
            while place >= 0:
                end = place + len(term)
                found.append(piece.span(place, end))
                place = piece.folded.find(term, end)
        return _joined(sorted(found))


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, with touching and overlapping ones joined."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _terms(text: str) -> Iterator[str]:
    rest = text.lstrip()
    while rest:
        phrase = _phrase(rest)
        term = phrase or rest.split(maxsplit=1)[0]
        yield term[1:].rstrip(_QUOTES[term[0]]) if phrase else term
        rest = rest[len(term) :].lstrip()


def _phrase(text: str) -> str:
    """The phrase in quotes at the beginning of `text`, quotes included; "" without one or if it is empty."""
    closing = _QUOTES.get(text[0])
    if closing is None:
        return ""
    end = next((place for place, char in enumerate(text[1:], 1) if char in closing), len(text))
    return text[: end + 1] if text[1:end].strip() else ""
