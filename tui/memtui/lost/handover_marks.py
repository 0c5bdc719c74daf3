"""The mark at the end of each hand-over, by which a transcript shows that it arrived.

Its eight characters are a checksum of the text before it, which shows whether all of the text arrived.
Standard library only: hooks write marks, everything else finds them.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

MARK = re.compile(r"memtui:([0-9a-f]{8})\b")
"""A mark; its eight characters identify the text handed over."""


class FoundMark(NamedTuple):
    """A mark in a text."""

    mark: str
    """Its eight characters."""
    whole: bool
    """Whether the text before it is complete and unchanged."""


def with_mark(text: str) -> str:
    """A text with its mark as a last line."""
    text = text.strip()
    return f"{text}\n\nmemtui:{checksum(text)}"


def mark_of(text: str) -> str:
    """The eight characters of the last mark in a text; "" without one."""
    found = MARK.findall(text)
    return found[-1] if found else ""


def find_mark(text: str) -> FoundMark | None:
    """The last mark of a text, and whether the complete hand-over precedes it."""
    marks = list(MARK.finditer(text))
    if not marks:
        return None
    last = marks[-1]
    return FoundMark(last[1], checksum(text[: last.start()].strip()) == last[1])


def checksum(text: str) -> str:
    """Eight hexadecimal digits."""
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
