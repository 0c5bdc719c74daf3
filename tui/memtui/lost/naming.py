"""Words of texts in any script, and places in texts."""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Span(NamedTuple):
    """The place of a name in a text, as character offsets."""

    start: int
    end: int


def words(text: str) -> frozenset[str]:
    """The words of a text; runs of Chinese, Japanese or Korean as pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        pairs = [word[at : at + 2] for at in range(max(1, len(word) - 1))] if _WIDE.match(word) else [word]
        found.update(pairs)
    return frozenset(found)
