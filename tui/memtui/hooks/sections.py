"""Texts made of sections, shortened by leaving out whole ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LIMIT = 9_000
"""Upper limit of a session's notes in characters (`size_of`): of 10,000 or more, Claude Code 2.1.197 passes
on only the first 2,000."""

_BETWEEN = "\n\n"


class Section(NamedTuple):
    """A part of a text, kept or left out as a whole."""

    text: str
    rank: int
    """Smaller is more important."""


def size_of(text: str) -> int:
    """Characters as Claude Code counts them, which are JavaScript's: most emoji are two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "replace")) // 2


def beginning(text: str, limit: int) -> str:
    """The first `limit` such characters of `text`."""
    return text.encode("utf-16-le", "replace")[: max(0, limit) * 2].decode("utf-16-le", "ignore")


def fitting(sections: Sequence[Section], limit: int) -> list[Section]:
    """The sections that fit, in order; more important ones are chosen first.

    Args:
        sections: all of them.
        limit: characters as `size_of` counts them.
    """
    kept: set[int] = set()
    used = 0
    for number, section in sorted(enumerate(sections), key=lambda pair: pair[1].rank):
        size = size_of(section.text) + (len(_BETWEEN) if kept else 0)
        if section.text and used + size <= limit:
            kept.add(number)
            used += size
    return [section for number, section in enumerate(sections) if number in kept]


def joined(sections: Sequence[Section]) -> str:
    """The text of the sections."""
    return _BETWEEN.join(section.text for section in sections)
