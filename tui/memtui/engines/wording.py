"""Whether two texts say the same. In doubt they do not: then both stay."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from memtui.engines.citations import without_citations
from memtui.engines.known import UNSEEN

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
"""The share of words that the shorter of two wordings of one task has."""


class Wording(NamedTuple):
    """A text as it is compared."""

    words: tuple[str, ...]
    """In lower case; of a script without spaces every two characters that follow each other."""
    denials: int
    """How often it says no: what is told to be done is not told by what forbids it."""

    def tells(self, other: Wording) -> bool:
        """Whether all words of another text are here, in their order, and nothing is denied or allowed."""
        if self.denials != other.denials:
            return False
        mine = iter(self.words)
        return all(word in mine for word in other.words)


def wording(text: str) -> Wording:
    """How a text is compared."""
    text = without_citations(text.replace(UNSEEN, ""))  # our marks and sources deny nothing
    words: list[str] = []
    for piece in _PIECE.findall(text.casefold()):
        if _WIDE.match(piece) and len(piece) > 1:
            words += [piece[at : at + 2] for at in range(len(piece) - 1)]
        else:
            words.append(piece)
    return Wording(tuple(words), len(_NOT.findall(text)))


def is_told(item: str, told: Collection[Wording]) -> bool:
    """Whether one of the texts says all that `item` says; what has no words says nothing."""
    mine = wording(item)
    return any(text.tells(mine) for text in told)


def is_near(one: str, other: str) -> bool:
    """Whether two texts are wordings of one task: one says all of the other, and not much more."""
    short, long = sorted((wording(one), wording(other)), key=lambda each: len(each.words))
    return bool(short.words) and len(short.words) >= len(long.words) * _NEAR and long.tells(short)
