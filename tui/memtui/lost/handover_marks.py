"""The mark at the end of each hand-over, by which a transcript shows that it arrived.

Its eight characters are a checksum of the text before it, which shows whether all of the text arrived.
Standard library only: hooks write marks, everything else finds them.
"""

from __future__ import annotations

import re
import zlib

MARK = re.compile(r"memtui:([0-9a-f]{8})\b")
"""A mark; its eight characters identify the text handed over."""


def with_mark(text: str) -> str:
    """A text with its mark as a last line."""
    text = text.strip()
    return f"{text}\n\nmemtui:{checksum(text)}"


def mark_of(text: str) -> str:
    """The eight characters of the last mark in a text; "" without one."""
    found = MARK.findall(text)
    return found[-1] if found else ""


def is_whole(text: str) -> bool:
    """Whether the complete hand-over precedes the last mark of a text."""
    last = next(reversed([*MARK.finditer(text)]), None)
    return last is not None and checksum(text[: last.start()].strip()) == last[1]


def checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
