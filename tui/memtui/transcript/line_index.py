"""Offsets of a transcript's lines, found by one scan for newlines, and which lines open turns or compact.

Lines are parsed on demand. Of the others only those that may open a turn or mark a compaction are, and what
is longer than `LINE_LIMIT` (an image, a hole of NULs) is neither held nor read again.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic_core import from_json

from memtui.transcript.blocks import Block, Key, blocks
from memtui.transcript.events import Boundary, Queue, Queued, Words, events_of, is_ask, may_ask
from memtui.transcript.lines import LINE_LIMIT, Line, read_lines, regular_only
from memtui.transcript.words import queued_words

_BLOCK = 1 << 20
_STRETCH = 256 << 10  # bytes of lines that are examined at once: other threads get their turn in between


def opened(path: Path) -> BinaryIO:
    """A transcript for reading lines of it in any order."""
    return open(path, "rb", buffering=1 << 17, opener=regular_only)


class LineIndex:
    """The lines of a transcript, numbered from 0; those of its turns and compactions.

    One thread may `scan` and `classify` while others read: the lists only grow.
    """

    def __init__(self) -> None:
        self._starts = array("Q")
        self._tail = 0
        """Where the last line begins that has no newline yet."""
        self.end = 0
        """The byte offset that the scan has reached."""
        self.has_tail = False
        """Whether that line is a whole object, as the last one of an export is."""
        self.asks = array("Q")
        """Lines that open a turn."""
        self.boundaries = array("Q")
        self.complete = False
        """Whether turns and compactions are known up to the end, as last scanned."""
        self.said: dict[Key, Key] = {}
        """Where messages that were queued while Claude worked were said: they are shown there alone."""
        self._queue: dict[Key, tuple[str, str]] = {}
        """What was queued: what became of it, and its text."""
        self._classified = 0

    def __len__(self) -> int:
        return len(self._starts) + self.has_tail

    def start(self, line: int) -> int:
        """The byte at which a line begins; for the line after the last one, the end of the last."""
        if line < len(self._starts):
            return self._starts[line]
        return self._tail if line == len(self._starts) else self.end

    def at(self, offset: int) -> int:
        """The line with the byte at `offset`."""
        return max(0, bisect_right(self._starts, offset) - (offset < self._tail))

    def after(self, offset: int) -> int:
        """The first line that begins at `offset` or after it; if there is none, the last line."""
        last = len(self._starts) - (self._tail == self.end)
        return max(0, min(last, bisect_left(self._starts, max(0, offset))))

    def turn_at(self, line: int) -> int:
        """The number of the turn that a line belongs to; 0 before the first one."""
        return bisect_right(self.asks, line)

    def read(self, file: BinaryIO, line: int) -> list[Block]:
        start, end = self.start(line), self.start(line + 1)
        if end - start > LINE_LIMIT:
            return blocks(Line(start, end, (), "too long"))
        file.seek(start)
        return [block for each in read_lines(file, start=start, stop=end) for block in blocks(each)]

    def scan(self, path: Path, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Find the lines added since the last call."""
        with opened(path) as file:
            file.seek(self.end)
            at, found = self._tail, self._starts
            begin = self.end
            while not cancelled() and (data := file.read(_BLOCK)):
                newline = data.find(b"\n")
                while newline >= 0:
                    found.append(at)
                    at = begin + newline + 1
                    newline = data.find(b"\n", newline + 1)
                begin += len(data)
                self._tail, self.end = at, begin
            if 0 < self.end - self._tail <= LINE_LIMIT:
                file.seek(self._tail)
                tail = read_lines(file, start=self._tail, stop=self.end)
                self.has_tail = any(each.records for each in tail)
            else:
                self.has_tail = False

    def stretches(self, file: BinaryIO, first: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Yield lines from `first` to `stop`, some at a time: the first one's number, and their bytes.

        Lines over `LINE_LIMIT` are left out.
        """
        while first < stop:
            begin = self.start(first)
            after = stop
            if self.start(stop) - begin > _STRETCH:
                after = max(first + 1, bisect_right(self._starts, begin + _STRETCH) - 1)
            if (size := self.start(after) - begin) <= LINE_LIMIT:
                file.seek(begin)
                yield first, file.read(size)
            first = after

    def classify(self, path: Path, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Find the turns and compactions among the lines scanned since the last call."""
        stop = len(self._starts)
        with opened(path) as file:
            for first, data in self.stretches(file, self._classified, stop):
                if cancelled():
                    return
                begin, line = self._starts[first], first
                at = 0
                while at < len(data):
                    end = data.find(b"\n", at) + 1 or len(data)
                    if may_ask(data, at, end) or data.find(b'"compact_boundary"', at, end) >= 0:
                        self._look(data[at:end], line, begin + at)
                    at, line = end, line + 1
                self._classified = line
        self._classified = stop
        self.complete = True

    def _look(self, data: bytes, line: int, offset: int) -> None:
        try:
            record = from_json(data, cache_strings="keys")
        except ValueError:
            return
        if type(record) is not dict:
            return
        for event in events_of(record):
            if isinstance(event, Queue | Queued | Words):
                self._follow_queue(event, (offset, 0))
            if is_ask(event):
                if not self.asks or self.asks[-1] != line:
                    self.asks.append(line)
            elif isinstance(event, Boundary):
                self.boundaries.append(line)

    def _follow_queue(self, event: Queue | Queued | Words, at: Key) -> None:
        """Note where a queued message is said: what was removed was said then, only attachments repeat it."""
        change, queue = event.operation if isinstance(event, Queue) else "said", self._queue
        if change == "enqueue":
            queue[at] = change, event.text
            return
        states = {"said": ("enqueue", "dequeue", *["remove"] * isinstance(event, Queued))}
        for own, (state, text) in queue.items():
            same = (event.text == queued_words(text) != "") if change == "said" else event.text in ("", text)
            if same and state in states.get(change, ("enqueue",)):
                queue[own] = change, text
                if change == "said":
                    self.said[own] = at
                return


_PLAIN = re.compile(r"[\w .,:;()-]+", re.ASCII)
"""Characters that JSON does not escape, and that `bytes.lower` makes equal."""

Rows = Callable[[Block], list[str]]  # returns the rows of a fully unfolded block


@dataclass(frozen=True)
class Query:
    """A text to find, or any of some words: case-sensitive if it has a capital letter."""

    text: str
    words: tuple[str, ...] = ()
    """Found instead of the text, which only names them."""
    least: int = 1
    """How many of the words a row has to have."""

    @cached_property
    def exact(self) -> bool:
        return self.text != self.text.lower()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        wanted = "|".join(map(re.escape, sorted(self.words, key=len, reverse=True) or (self.text,)))
        return re.compile(wanted, 0 if self.exact else re.IGNORECASE)

    def spans(self, row: str) -> list[tuple[int, int]]:
        return [found.span() for found in self._pattern.finditer(row)] if self.text else []

    def is_in(self, row: str) -> bool:
        if self.least == 1:
            return self._pattern.search(row) is not None
        return len(self.found_in(row)) >= self.least

    def found_in(self, row: str) -> set[str]:
        return {found.casefold() for found in self._pattern.findall(row)}

    @cached_property
    def needles(self) -> tuple[bytes, ...]:
        """Byte strings, one of which occurs in every candidate line; empty if every line is a candidate.

        That is the longest plain part of each text.
        """
        wanted = self.words or (self.text,)
        parts = [max(_PLAIN.findall(each), key=len, default="").strip(" ") for each in wanted]
        return tuple((each if self.exact else each.lower()).encode() for each in parts) if all(parts) else ()

    def candidates(self, data: bytes) -> Iterator[int]:
        """Yield the indices of the lines in `data` that may match."""
        starts = [0, *(found.end() for found in re.finditer(b"\n", data))]
        if not self.needles:
            yield from range(len(starts) - (starts[-1] == len(data)))
            return
        text, found = data if self.exact else data.lower(), set[int]()
        for needle in self.needles:
            at = text.find(needle)
            while at >= 0:
                line = bisect_left(starts, at + 1) - 1
                found.add(line)
                at = text.find(needle, starts[line + 1]) if line + 1 < len(starts) else -1
        yield from sorted(found)


class Hit(NamedTuple):
    """A matching row."""

    key: Key
    number: int
    """Index among the block's matching rows, from 0."""


def hits_in(found: list[Block], query: Query, rows: Rows) -> list[Hit]:
    return [
        Hit(block.key, number) for block in found for number, _ in enumerate(filter(query.is_in, rows(block)))
    ]


def best_hit(found: list[Block], query: Query, rows: Rows) -> Hit | None:
    """The hit with most of the query's texts, by their length."""
    matching = (row for block in found for row in filter(query.is_in, rows(block)))
    lengths = [sum(map(len, query.found_in(row))) for row in matching]
    return hits_in(found, query, rows)[lengths.index(max(lengths))] if lengths else None


def find(
    path: Path, index: LineIndex, query: Query, first: int, stop: int, rows: Rows
) -> Iterator[list[Hit]]:
    """Yield the hits in the lines from `first` to `stop`, for a stretch of them at a time."""
    with opened(path) as file:
        for start, data in index.stretches(file, first, stop):
            yield [
                hit
                for line in query.candidates(data)
                for hit in hits_in(index.read(file, start + line), query, rows)
            ]
