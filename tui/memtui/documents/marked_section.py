"""A section between marks in a file of others: everything outside the marks stays unchanged.

The first mark says how many line feeds before it belong to the section, and whether the file was created for
it, so that removing the section restores the file byte for byte.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memtui.ground.text import FormatError

_BEGIN = re.compile(rb"^<!-- memtui:handoff begin (\d) (made|found)\b[^\n]*-->[ \t]*\r?\n", re.MULTILINE)
_END = re.compile(rb"^<!-- memtui:handoff end -->[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_ANY = re.compile(rb"<!--[ \t]*memtui:handoff\b")
_FIRST = "<!-- memtui:handoff begin {} {}; `memtui export --for AGENT --done` takes this section out -->\n"
_LAST = "<!-- memtui:handoff end -->\n"


class Without(NamedTuple):
    """A file without its section."""

    data: bytes
    made: bool
    """Whether the file was created for the section."""


class _Place(NamedTuple):
    start: int
    end: int
    made: bool


def with_section(data: bytes | None, text: str) -> bytes:
    """A file with `text` in its section, which replaces the previous one or is added at the end.

    Args:
        data: the file's content; None if there is no file.
        text: the section; anything in it that looks like the beginning of a comment is broken up.

    Raises:
        FormatError: the marks in the file do not form one section.
    """
    place = _place(data or b"")
    made = data is None
    if place is None:
        before, after = data or b"", b""
    else:
        assert data is not None
        before, after, made = data[: place.start], data[place.end :], place.made
    newlines = 0 if not before else 1 if before.endswith(b"\n") else 2
    first = _FIRST.format(newlines, "made" if made else "found")
    body = text.replace("<!--", "<!- -").strip("\n")
    return before + b"\n" * newlines + f"{first}{body}\n{_LAST}".encode() + after


def without_section(data: bytes) -> Without | None:
    """A file without its section; None when it has none.

    Raises:
        FormatError: the marks in the file do not form one section.
    """
    place = _place(data)
    return None if place is None else Without(data[: place.start] + data[place.end :], place.made)


def _place(data: bytes) -> _Place | None:
    """The section with the preceding line feeds."""
    marks = len(_ANY.findall(data))
    if not marks:
        return None
    begin = _BEGIN.search(data)
    end = _END.search(data, begin.end()) if begin else None
    if marks != 2 or begin is None or end is None:
        raise FormatError(
            "its marks of memtui's handoff are not one beginning and one end; take them out by hand"
        )
    start = begin.start()
    line_end = b"\r\n" if begin[0].endswith(b"\r\n") else b"\n"  # an editor may have converted all of them
    for _ in range(int(begin[1])):
        if data[:start].endswith(line_end):
            start -= len(line_end)
    return _Place(start, end.end(), begin[2] == b"made")
