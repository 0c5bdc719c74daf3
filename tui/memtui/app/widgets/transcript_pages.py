"""Reads a transcript in pages of blocks, from any place in both directions, never the whole file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from memtui.transcript.blocks import Attached, Block, Thinking, blocks
from memtui.transcript.events import Boundary, Call, Result, Said
from memtui.transcript.line_index import LineIndex, never
from memtui.transcript.line_offsets import line_start
from memtui.transcript.lines import read_lines

PAGE = 128 * 1024
"""Approximate size of a page in bytes; it begins and ends between lines."""

FEW = 40
"""A page with fewer visible blocks is enlarged: bookkeeping may go on for megabytes."""

SIGHT = 45
"""Approximate number of blocks that fill a screen, for a page that is needed at once."""

_STEP = 32 * 1024
_LARGEST = 32 * PAGE


class Shows(StrEnum):
    """The visible kinds of blocks."""

    ALL = "all"
    TALK = "without tools"
    ASKS = "asks and closing messages"


@dataclass(frozen=True, slots=True)
class Page:
    """The blocks of a range of a transcript."""

    start: int
    """Byte offset of its beginning, between lines."""
    end: int
    """Byte offset behind its last complete line."""
    blocks: tuple[Block, ...]
    last: bool
    """Whether nothing complete followed when it was read."""

    def __add__(self, following: Page) -> Page:
        """Both as one page."""
        return Page(self.start, following.end, self.blocks + following.blocks, following.last)


class Pages:
    """Reads the pages of one transcript.

    Each method raises OSError when the file cannot be read.
    """

    def __init__(self, path: Path, index: LineIndex, shows: Shows = Shows.ALL) -> None:
        """Read `path`; `index` must be complete if only asks are shown."""
        self.path = path
        self.shows = shows
        self._index = index

    def before(self, end: int, cancelled: Callable[[], bool] = never, *, few: int = 0) -> Page:
        """The page that ends at byte `end`, which must be between lines.

        Args:
            end: its end.
            cancelled: asked now and then.
            few: number of blocks that are enough, however small; 0 for a page of the usual size.
        """
        if self.shows is Shows.ASKS:
            offsets = [each for each in self._wanted() if each < end][-FEW:]
            return self._picked(offsets, offsets[0] if len(offsets) == FEW else 0, end, last=False)
        start, step = end, _STEP if few else PAGE
        parts: list[list[Block]] = []
        while start > 0 and _count(parts) < (few or FEW) and end - start < _LARGEST and not cancelled():
            stop, start = start, line_start(self.path, start - step, start)
            parts.insert(0, self._read(start, stop))
            step = min(2 * step, PAGE)
        return Page(start, end, _joined(parts), last=False)

    def after(self, start: int, cancelled: Callable[[], bool] = never, *, few: int = 0) -> Page:
        """The page that begins at byte `start`, which must be between lines; `few` as for `before`."""
        if self.shows is Shows.ASKS:
            wanted = [each for each in self._wanted() if each >= start]
            rest = wanted[FEW : FEW + 1]
            end = rest[0] if rest else max(start, self._index.end)
            return self._picked(wanted[:FEW], start, end, last=not rest)
        end = start
        size, least = (0, few) if few else (PAGE, FEW)
        found: list[Block] = []
        for each in read_lines(self.path, start=start):
            if each.end <= each.offset:
                break  # still being written
            found += self._kept(blocks(each))
            end = each.end
            if cancelled() or (end - start >= size and len(found) >= least) or end - start >= _LARGEST:
                return Page(start, end, tuple(found), last=False)
        return Page(start, end, tuple(found), last=True)

    def first(self, cancelled: Callable[[], bool] = never) -> Page:
        """About a screenful from the beginning of the file."""
        return self.after(0, cancelled, few=SIGHT)

    def last(self, cancelled: Callable[[], bool] = never) -> Page:
        """About a screenful from the end of the file."""
        size = self.path.stat().st_size
        if self.shows is Shows.ASKS:
            offsets = self._wanted()[-FEW:]
            start = offsets[0] if len(offsets) == FEW else 0
            return self._picked(offsets, start, max(start, self._index.end), last=True)
        start = line_start(self.path, size - _STEP, size)
        page = self.after(start, cancelled)
        while page.last is False and not cancelled():  # it grew, or has lines of many megabytes
            page += self.after(page.end, cancelled)
        if len(page.blocks) < SIGHT and start > 0:
            page = self.before(start, cancelled, few=SIGHT - len(page.blocks)) + page
        return page

    def around(self, offset: int, cancelled: Callable[[], bool] = never) -> Page:
        """About a screenful around byte `offset`, which must be between lines and is in the upper part."""
        return self.before(offset, cancelled, few=SIGHT // 3) + self.after(offset, cancelled, few=SIGHT)

    def _read(self, start: int, stop: int) -> list[Block]:
        return [
            block
            for each in read_lines(self.path, start=start, stop=stop)
            for block in self._kept(blocks(each))
        ]

    def _kept(self, found: Sequence[Block]) -> Sequence[Block]:
        return found if self.shows is Shows.ALL else list(filter(self.is_shown, found))

    def is_shown(self, block: Block) -> bool:
        """Whether a block is visible."""
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
