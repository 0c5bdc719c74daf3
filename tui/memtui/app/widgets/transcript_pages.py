"""Reads a transcript a page of blocks at a time, from any place in both directions, never the whole file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from memtui.formats.transcript import read_lines
from memtui.formats.transcript_events import Boundary, Call, Result, Said
from memtui.reading.blocks import Attached, Block, Thinking, blocks
from memtui.reading.line_index import LineIndex, never

PAGE = 256 * 1024
"""Bytes of a page, about: it begins and ends between lines."""

FEW = 60
"""A page that shows fewer blocks than this is made larger: bookkeeping may go on for megabytes."""

_LARGEST = 16 * PAGE
_BLOCK = 256 * 1024


class Shows(StrEnum):
    """The visible kinds of blocks."""

    ALL = "all"
    TALK = "without tools"
    ASKS = "asks and closing messages"


@dataclass(frozen=True, slots=True)
class Page:
    """The blocks of one stretch of a transcript."""

    start: int
    """Byte offset at which it begins: that of a line."""
    end: int
    """Byte offset behind its last complete line."""
    blocks: tuple[Block, ...]
    last: bool
    """Nothing complete followed when it was read."""

    def __add__(self, following: Page) -> Page:
        """Both, as one page."""
        return Page(self.start, following.end, self.blocks + following.blocks, following.last)


class Pages:
    """Makes the pages of one transcript.

    Each method raises OSError when the file cannot be read.
    """

    def __init__(self, path: Path, index: LineIndex, shows: Shows = Shows.ALL) -> None:
        """Read `path`; `index` has to be complete where only asks are shown."""
        self.path = path
        self.shows = shows
        self._index = index

    def before(self, end: int, cancelled: Callable[[], bool] = never) -> Page:
        """The page that ends at byte `end`, which must be between lines."""
        if self.shows is Shows.ASKS:
            offsets = [each for each in self._wanted() if each < end][-FEW:]
            return self._picked(offsets, offsets[0] if len(offsets) == FEW else 0, end, last=False)
        start = end
        parts: list[list[Block]] = []
        while start > 0 and _count(parts) < FEW and end - start < _LARGEST and not cancelled():
            stop, start = start, line_start(self.path, start - PAGE, start)
            parts.insert(0, self._read(start, stop))
        return Page(start, end, _joined(parts), last=False)

    def after(self, start: int, cancelled: Callable[[], bool] = never) -> Page:
        """The page that begins at byte `start`, which must be between lines."""
        if self.shows is Shows.ASKS:
            wanted = [each for each in self._wanted() if each >= start]
            rest = wanted[FEW : FEW + 1]
            end = rest[0] if rest else max(start, self._index.end)
            return self._picked(wanted[:FEW], start, end, last=not rest)
        end = start
        found: list[Block] = []
        for each in read_lines(self.path, start=start):
            if each.end <= each.offset:
                break  # it is still being written
            found += self._kept(blocks(each))
            end = each.end
            if cancelled() or (end - start >= PAGE and len(found) >= FEW) or end - start >= _LARGEST:
                return Page(start, end, tuple(found), last=False)
        return Page(start, end, tuple(found), last=True)

    def last(self, cancelled: Callable[[], bool] = never) -> Page:
        """The page at the end of the file."""
        size = self.path.stat().st_size
        if self.shows is Shows.ASKS:
            offsets = self._wanted()[-FEW:]
            start = offsets[0] if len(offsets) == FEW else 0
            return self._picked(offsets, start, max(start, self._index.end), last=True)
        start = line_start(self.path, size - PAGE, size)
        page = self.after(start, cancelled)
        while page.last is False and not cancelled():  # it grew, or holds lines of many megabytes
            page += self.after(page.end, cancelled)
        if len(page.blocks) < FEW and start > 0:
            page = self.before(start, cancelled) + page
        return page

    def around(self, offset: int, cancelled: Callable[[], bool] = never) -> Page:
        """The page that has byte `offset`, which must be between lines, somewhere in its middle."""
        return self.before(offset, cancelled) + self.after(offset, cancelled)

    def _read(self, start: int, stop: int) -> list[Block]:
        return [
            block
            for each in read_lines(self.path, start=start, stop=stop)
            for block in self._kept(blocks(each))
        ]

    def _kept(self, found: Sequence[Block]) -> Sequence[Block]:
        return found if self.shows is Shows.ALL else list(filter(self.is_shown, found))

    def is_shown(self, block: Block) -> bool:
        """Whether a block is among what is shown."""
        if self.shows is Shows.ALL:
            return True
        if self.shows is Shows.TALK:
            return not isinstance(block.event, (Call, Result, Thinking, Attached))
        closing = isinstance(block.event, (Said, Boundary)) and block.key[0] in self._closing
        return closing or block.is_ask

    @cached_property
    def _closing(self) -> frozenset[int]:
        return frozenset(self._wanted())

    def _wanted(self) -> list[int]:
        index = self._index
        last = [index.last_text] if index.last_text >= 0 else []
        return sorted({*index.asks, *index.closings, *index.boundaries, *last})

    def _picked(self, offsets: Iterable[int], start: int, end: int, *, last: bool) -> Page:
        found = [block for offset in offsets for block in self._one(offset) if self.is_shown(block)]
        return Page(start, end, tuple(found), last)

    def _one(self, offset: int) -> list[Block]:
        for each in read_lines(self.path, start=offset):
            return blocks(each)
        return []


def _count(parts: Iterable[Sequence[Block]]) -> int:
    return sum(len(part) for part in parts)


def _joined(parts: Iterable[Sequence[Block]]) -> tuple[Block, ...]:
    return tuple(block for part in parts for block in part)


def line_offset(path: Path, number: int, index: LineIndex) -> int:
    """Byte offset at which line `number` begins (1-based); that of the last line where there are fewer.

    Raises:
        OSError: The file cannot be read.
    """
    known = index.offset_of(number)
    if known is not None:
        return known
    left, offset = number - 1, 0
    with path.open("rb", buffering=0) as file:
        while left > 0 and (data := file.read(_BLOCK)):
            count = data.count(b"\n")
            if count < left:
                left, offset = left - count, offset + len(data)
                continue
            at = 0
            for _ in range(left):
                at = data.index(b"\n", at) + 1
            left, offset = 0, offset + at
        size = file.seek(0, 2)
    return offset if offset < size else line_start(path, size - 1, size)


def line_start(path: Path, offset: int, end: int) -> int:
    """The offset of a line: the first one at or after `offset` and before `end`, else the last one before.

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
    """The start of the line with the byte at `offset`, found by reading backwards in blocks."""
    while offset > 0:
        size = min(_BLOCK, offset)
        offset -= size
        file.seek(offset)
        found = file.read(size).rfind(b"\n")
        if found >= 0:
            return offset + found + 1
    return 0
