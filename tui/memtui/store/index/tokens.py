"""The tokens noted for a text, so that every part of it can be found.

A memory is found by the parts of its words, not only by whole words: `user` finds `getUserById`. So of each
folded text these tokens are kept, each once:

- every character, every two neighbours, and every three of a script that is written with blanks;
- across a blank, up to two characters of both sides: ``to th`` of ``to the``, for phrases;
- for the list of all words: every run of four and more characters without a blank. Long runs are cut into
  windows that overlap.

Chinese, Japanese and Korean have no three-character tokens: there are too many of them, and two are rare
enough. A term of up to two characters, or three where that is noted, is itself a token; a longer one never
is.
"""

from __future__ import annotations

import re
from itertools import pairwise

_WIDE = (
    "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
_HAS_WIDE = re.compile(f"[{_WIDE}]").search
_NARROW = re.compile(f"[^{_WIDE} ]+")

WORD = 4
"""Characters of the shortest word in the list of words: shorter ones are tokens themselves."""
WINDOW = 64
PART = WINDOW // 2
"""Characters of the longest term that is sought in the list of words: windows overlap by that much."""

_MOST = 12
"""Tokens by which a term is sought at most; what is found is compared with the text."""


def chunks(folded: str) -> list[str]:
    """What stands between the blanks of a folded text."""
    return folded.split(" ")


def junctions(chunks: list[str]) -> set[str]:
    """The tokens across the blanks between chunks."""
    return {f"{one[-2:]} {two[:2]}" for one, two in pairwise(chunks)}


def grams(chunk: str) -> set[str]:
    """The tokens within a chunk, but for its words."""
    found = {*chunk, *map("".join, pairwise(chunk))}
    if not _HAS_WIDE(chunk):
        return found.union([chunk[at : at + 3] for at in range(len(chunk) - 2)])
    for run in _NARROW.findall(chunk):
        found.update([run[at : at + 3] for at in range(len(run) - 2)])
    return found


def words(chunk: str) -> list[str]:
    """The tokens of a chunk for the list of words."""
    if WORD <= len(chunk) <= WINDOW and not _HAS_WIDE(chunk):
        return [chunk]
    found: list[str] = []
    for run in _NARROW.findall(chunk):
        if len(run) > WINDOW:
            found += [run[at : at + WINDOW] for at in range(0, len(run) - PART, PART)]
        elif len(run) >= WORD:
            found.append(run)
    return found


def is_token(term: str) -> bool:
    """Whether a term is itself a token, so that its posting names exactly the memories that hold it."""
    return " " not in term and (len(term) <= 2 or (len(term) == 3 and not _HAS_WIDE(term)))


def is_part_of_word(term: str) -> bool:
    """Whether all texts that hold a term hold a word of the list that has it in it."""
    return WORD <= len(term) <= PART and " " not in term and not _HAS_WIDE(term)


def needed_tokens(term: str) -> list[str]:
    """Tokens that every text has that holds a longer term; the more telling ones first."""
    pieces = term.split(" ")
    found: list[str] = []
    for number, (one, two) in enumerate(pairwise(pieces)):
        # At the ends of a phrase words may go on: of one character it is not known what is beside it.
        if (len(one) > 1 or number) and (len(two) > 1 or number < len(pieces) - 2):
            found.append(f"{one[-2:]} {two[:2]}")
    for piece in sorted(pieces, key=len, reverse=True):
        found += _spread(piece)
    return list(dict.fromkeys(found))[:_MOST]


def open_end(term: str) -> str:
    """How one token begins in every text that holds a phrase whose last piece is one character; else ""."""
    pieces = term.split(" ")
    if len(pieces) < 2 or len(pieces[-1]) > 1 or len(pieces[-2]) + len(pieces) < 4:
        return ""
    return f"{pieces[-2][-2:]} {pieces[-1]}"


def trigrams(term: str) -> list[str]:
    """All runs of three characters of a term."""
    return list(dict.fromkeys(term[at : at + 3] for at in range(len(term) - 2)))


def _spread(piece: str) -> list[str]:
    """The tokens of one piece of a term, those first that overlap little."""
    if len(piece) <= 2:
        return [piece]
    found: list[str] = []
    if not _HAS_WIDE(piece):
        grams = [piece[at : at + 3] for at in range(len(piece) - 2)]
        found = grams[::3] + grams[-1:] + grams[1::3] + grams[2::3]
    else:
        grams = [one + two for one, two in pairwise(piece)]
        found = grams[::2] + grams[-1:] + grams[1::2]
    return found
