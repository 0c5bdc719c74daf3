"""Folding of texts for searching: without case, accents, width and line breaks.

Folding goes character by character, and then joins the parts of one character: a base letter and its voicing
mark, the parts of a Hangul syllable. So a part of a text is also a part of its folded text, unless it ends
within such a character: half-width ``ｶ`` is not found in ``ｶﾞ``, as ``カ`` is not in ``ガ``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_KEPT_CLASSES = (0, 7, 8, 9)
"""Combining classes that make another letter, not an accent: nuktas, the voicing of kana, viramas."""

_AS = {"\x00": " ", "‘": "'", "’": "'", "“": '"', "”": '"'}
"""NUL separates like a blank. Editors write typographic quotes where people type plain ones."""

# Characters that combine with the previous one: accents, voicing of kana (half-width, too), parts of Hangul.
_FOLLOWING = "[\u0300-\u036f\u3099\u309a\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7ff]"
_PIECE = re.compile(f"[\\x00-\\x7f]+(?!{_FOLLOWING})|(?s:.){_FOLLOWING}*")
"""A run of ASCII, or one character with its combining ones."""

_OTHERS = re.compile(r"[^\x00-\x7f]+")


class _Table(dict[int, str]):
    """The folded form of each character, computed on first use."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _folded(chr(code))
        return found


def _folded(char: str) -> str:
    if char in _AS:
        return _AS[char]
    if char.isspace():
        return " "
    parts = unicodedata.normalize("NFKD", char.casefold())
    if " " in parts:  # a free-standing accent: its parts are a blank and a mark
        return char
    bare = "".join(part for part in parts if unicodedata.combining(part) in _KEPT_CLASSES)
    return unicodedata.normalize("NFC", bare.casefold()).lower()  # Cherokee folds to capitals


_TABLE = _Table()


def fold(text: str) -> str:
    """The folded text: no case, accents or full-width forms, single blanks, none at the ends."""
    return " ".join(fold_in_place(text).split())


def fold_in_place(text: str) -> str:
    """The folded text with its white space as it is."""
    if not text.isascii():
        # The table is only used where needed: most of a text is ASCII.
        text = unicodedata.normalize("NFC", _OTHERS.sub(lambda run: run[0].translate(_TABLE), text))
    return text.lower().replace("\x00", " ")


class Aligned(NamedTuple):
    """A folded text with the origin of each character."""

    folded: str
    spans: Sequence[tuple[int, int]] | None
    """For each character of `folded` the start and end of its original; None: the same place."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original place of the characters from `start` to `end` of `folded`."""
        return (start, end) if self.spans is None else (self.spans[start][0], self.spans[end - 1][1])


def aligned(text: str) -> Aligned:
    """Fold a text without changing its white space.

    Slow, unless every character folds to one other.
    """
    folded = fold_in_place(text)
    if text.isascii() or (
        len(folded) == len(text)
        and all(len(_TABLE[ord(char)]) == 1 for char in set("".join(_OTHERS.findall(text))))
    ):
        return Aligned(folded, None)
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        part = fold_in_place(piece[0])
        parts.append(part)
        if text[start] < "\x80" and len(part) == end - start:
            spans += zip(range(start, end), range(start + 1, end + 1), strict=True)
        else:
            spans += [(start, end)] * len(part)
    return Aligned("".join(parts), spans)
