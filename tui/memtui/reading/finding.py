"""Finds text in a transcript of any size: searches bytes, and reads only lines that may hold it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from memtui.formats.transcript import LINE_LIMIT, read_lines
from memtui.reading.blocks import Block, Key, blocks

_CHUNK = 256 << 10
_SAFE = re.compile(r"""[^"\\/\x00-\x1f\x7f]+""")
"""Characters that JSON does not escape."""

Rows = Callable[[Block], list[str]]
"""The rows that a block shows when all of it is unfolded."""


@dataclass(frozen=True)
class Query:
    """A text to find: case counts if it has a capital letter."""

    text: str

    @cached_property
    def exact(self) -> bool:
        """Whether capitals and small letters differ."""
        return self.text != self.text.lower()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.text), 0 if self.exact else re.IGNORECASE)

    def spans(self, row: str) -> list[tuple[int, int]]:
        """Its places in a row."""
        return [found.span() for found in self._pattern.finditer(row)] if self.text else []

    def is_in(self, row: str) -> bool:
        """Whether it stands in a row."""
        return self._pattern.search(row) is not None

    @cached_property
    def needles(self) -> tuple[bytes, ...]:
        """Bytes of which one stands in every line that may hold it; none where every line may.

        That is the longest part that JSON leaves as it is, and whose capitals are ASCII; beyond ASCII it may
        be escaped.
        """
        parts = _SAFE.findall(self.text)
        if not self.exact:
            parts = [piece for part in parts for piece in _pieces(part)]
        best = max(parts, key=len, default="").strip(" ")
        if not best:
            return ()
        plain, escaped = best.encode("utf-8", "replace"), json.dumps(best)[1:-1].encode()
        needles = (plain,) if plain == escaped else (plain, escaped)
        return needles if self.exact else tuple(needle.lower() for needle in needles)


def _pieces(part: str) -> Iterator[str]:
    """The stretches of a text whose case `bytes.lower` knows, or which have none."""
    piece = ""
    for char in part:
        if char.isascii() or char.lower() == char.upper():
            piece += char
        else:
            yield piece
            piece = ""
    yield piece


class Hit(NamedTuple):
    """A row that holds what is looked for."""

    key: Key
    """The block."""
    number: int
    """Which of the block's rows that hold it: 0 is the first."""


def hits_in(found: list[Block], query: Query, rows: Rows) -> list[Hit]:
    """The hits in some blocks, in order."""
    return [
        Hit(block.key, number) for block in found for number, _ in enumerate(filter(query.is_in, rows(block)))
    ]


def lines_forward(
    path: Path, start: int, query: Query, rows: Rows, cancelled: Callable[[], bool]
) -> Iterator[list[Hit]]:
    """The lines at or behind byte `start` that hold the query, in order, each as its hits.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        offset, carry = start, b""
        while not cancelled():
            chunk = file.read(_CHUNK)
            data = carry + chunk if carry else chunk
            stop = data.rfind(b"\n") + 1 if chunk else len(data)
            if stop:
                yield from _hits(path, data, stop, offset, query, rows, cancelled)
                carry = data[stop:]
                offset += stop
            else:
                carry = data
            if not chunk:
                return


def lines_backward(
    path: Path, end: int, query: Query, rows: Rows, cancelled: Callable[[], bool]
) -> Iterator[list[Hit]]:
    """The lines before byte `end`, which must be between lines, the last one first.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        size = _CHUNK
        while end > 0 and not cancelled():
            begin = max(0, end - size)
            file.seek(begin)
            data = file.read(end - begin)
            skip = 0 if begin == 0 else data.find(b"\n") + 1
            if begin and not 0 < skip < len(data):
                size *= 2  # a line that is longer than what was read
                continue
            size = _CHUNK
            part = data[skip:]
            found = list(_hits(path, part, len(part), begin + skip, query, rows, cancelled))
            yield from reversed(found)
            end = begin + skip


def _hits(
    path: Path, data: bytes, stop: int, offset: int, query: Query, rows: Rows, cancelled: Callable[[], bool]
) -> Iterator[list[Hit]]:
    for begin, end in _candidates(data, stop, query):
        if cancelled():
            return
        if end - begin > LINE_LIMIT:
            continue
        for line in read_lines(path, start=offset + begin, stop=offset + end):
            if found := hits_in(blocks(line), query, rows):
                yield found


def _candidates(data: bytes, stop: int, query: Query) -> Iterator[tuple[int, int]]:
    """The lines in the first `stop` bytes that may hold the query."""
    if not query.exact:
        data = data.lower()
    at = 0
    while at < stop:
        if query.needles:
            places = [place for each in query.needles if (place := data.find(each, at, stop)) >= 0]
            if not places:
                return
            begin = data.rfind(b"\n", at, min(places)) + 1 or at
            end = data.find(b"\n", min(places), stop) + 1 or stop
        else:
            begin, end = at, data.find(b"\n", at, stop) + 1 or stop
        yield begin, end
        at = end
