"""Reads a transcript a page at a time, from any line in both directions, never the whole file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from memtui.app.widgets.document import Line, line
from memtui.app.widgets.transcript_lines import join, render
from memtui.formats.transcript import read_lines

PAGE = 256 * 1024
"""Bytes of a page, about: it begins and ends between lines."""

FEW = 120
"""A page that shows fewer lines than this is made larger: bookkeeping may go on for megabytes."""

_LARGEST = 16 * PAGE
_BLOCK = 256 * 1024


@dataclass(frozen=True, slots=True)
class Page:
    """The lines of one stretch of a transcript."""

    start: int
    """Byte offset at which it begins: that of a line."""
    end: int
    """Byte offset behind its last complete line."""
    lines: tuple[Line, ...]
    last: bool
    """Nothing complete followed when it was read."""

    def __add__(self, following: Page) -> Page:
        """Both, as one page."""
        lines = tuple(join((self.lines, following.lines)))
        return Page(self.start, following.end, lines, following.last)


def never() -> bool:
    """The `cancelled` of a caller that does not cancel."""
    return False


def page_before(path: Path, end: int, cancelled: Callable[[], bool] = never) -> Page:
    """The page that ends at byte `end`, which must be between lines.

    Raises:
        OSError: The file cannot be read.
    """
    start = end
    parts: list[list[Line]] = []
    shown = 0
    while start > 0 and shown < FEW and end - start < _LARGEST and not cancelled():
        stop, start = start, line_start(path, start - PAGE, start)
        part = join(render(each) for each in read_lines(path, start=start, stop=stop))
        parts.insert(0, part)
        shown += len(part)
    return Page(start, end, tuple(join(parts)), last=False)


def page_after(path: Path, start: int, cancelled: Callable[[], bool] = never) -> Page:
    """The page that begins at byte `start`, which must be between lines.

    Raises:
        OSError: The file cannot be read.
    """
    end = start
    parts: list[list[Line]] = []
    shown = 0
    for each in read_lines(path, start=start):
        if each.end <= each.offset:
            break  # it is still being written
        part = render(each)
        parts.append(part)
        shown += len(part)
        end = each.end
        if cancelled() or (end - start >= PAGE and shown >= FEW) or end - start >= _LARGEST:
            return Page(start, end, tuple(join(parts)), last=False)
    return Page(start, end, tuple(join(parts)), last=True)


def last_page(path: Path, cancelled: Callable[[], bool] = never) -> Page:
    """The page at the end of the file.

    Raises:
        OSError: The file cannot be read.
    """
    size = path.stat().st_size
    start = line_start(path, size - PAGE, size)
    page = page_after(path, start, cancelled)
    while page.last is False and not cancelled():  # it grew, or holds lines of many megabytes
        page += page_after(path, page.end, cancelled)
    if len(page.lines) < FEW and start > 0:
        page = page_before(path, start, cancelled) + page
    return page


def line_offset(path: Path, number: int) -> int:
    """Byte offset at which line `number` begins (1-based); that of the last line where there are fewer.

    Raises:
        OSError: The file cannot be read.
    """
    offset = before = 0
    with path.open("rb") as file:
        for row in islice(file, number - 1):
            before, offset = offset, offset + len(row)
    return offset if offset < path.stat().st_size else before


def page_at_line(path: Path, number: int, cancelled: Callable[[], bool] = never) -> Page:
    """The page that begins with line `number`, under a line that names it.

    Raises:
        OSError: The file cannot be read.
    """
    page = page_after(path, line_offset(path, number), cancelled)
    return replace(page, lines=(line(f"▸ L{number}", "accent"), *page.lines))


def line_start(path: Path, offset: int, end: int) -> int:
    """Where a line begins: the first one at or after `offset` and before `end`, else the last one before.

    Args:
        path: The transcript.
        offset: Where to look; 0 or less is the beginning of the file.
        end: Where a line ends, or the end of the file.

    Raises:
        OSError: The file cannot be read.
    """
    if offset <= 0:
        return 0
    with path.open("rb") as file:
        position = offset - 1
        while position < end - 1:
            file.seek(position)
            block = file.read(min(_BLOCK, end - 1 - position))
            found = block.find(b"\n")
            if found >= 0:
                return position + found + 1
            if not block:
                break
            position += len(block)
        return _line_start_before(file, min(offset, end) - 1)


def _line_start_before(file: BinaryIO, offset: int) -> int:
    """Where the line begins that holds the byte at `offset`, read backwards in blocks."""
    while offset > 0:
        size = min(_BLOCK, offset)
        offset -= size
        file.seek(offset)
        found = file.read(size).rfind(b"\n")
        if found >= 0:
            return offset + found + 1
    return 0
