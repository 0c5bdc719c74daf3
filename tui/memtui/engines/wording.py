"""Comparing the wording of two texts. In doubt they differ, and both are kept."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from memtui.engines.citations import without_citations
from memtui.engines.known_names import UNSEEN

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)?")
_WIDE = re.compile(f"[{_CJK}]")
_NOT = re.compile(
    r"\b(?:no|not|never|none|nor|without|cannot|stop|avoid|forbidden|instead|\w+n['’]t"
    r"|ne|pas|jamais|sans|aucun|nicht|nie|kein\w*|ohne|sin|nunca)\b"
    r"|[不没沒未勿别別非无無莫禁]|ない|ません|않|없|금지|마세요",
    re.IGNORECASE,
)
_NEAR = 0.5
"""Least share of words in the shorter of two wordings of one task."""


class Wording(NamedTuple):
    """The comparable form of a text."""

    words: tuple[str, ...]
    """In lower case; for scripts without spaces all pairs of adjacent characters."""
    denials: int
    """Number of negations; texts match only if it is equal."""

    def covers(self, other: Wording) -> bool:
        """Whether all words of another text occur here in order, with as many negations."""
        if self.denials != other.denials:
            return False
        mine = iter(self.words)
        return all(word in mine for word in other.words)


def wording(text: str) -> Wording:
    """The comparable form of a text."""
    text = without_citations(text.replace(UNSEEN, ""))  # memtui's own marks and sources are not negations
    words: list[str] = []
    for piece in _PIECE.findall(text.casefold()):
        if _WIDE.match(piece) and len(piece) > 1:
            words += [piece[at : at + 2] for at in range(len(piece) - 1)]
        else:
            words.append(piece)
    return Wording(tuple(words), len(_NOT.findall(text)))


def is_covered(item: str, texts: Collection[Wording]) -> bool:
    """Whether one of the texts contains the wording of `item`; an item without words does not count."""
    mine = wording(item)
    return any(text.covers(mine) for text in texts)


def is_near(one: str, other: str) -> bool:
    """Whether two texts are wordings of one task: one contains the other, and little more."""
    short, long = sorted((wording(one), wording(other)), key=lambda each: len(each.words))
    return bool(short.words) and len(short.words) >= len(long.words) * _NEAR and long.covers(short)
