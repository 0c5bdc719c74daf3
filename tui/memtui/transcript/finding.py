"""Finds text in a transcript of any size: searches bytes, and parses only lines that may match."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from memtui.transcript.blocks import Block, Key
from memtui.transcript.line_index import LineIndex, opened

_SAFE = re.compile(r"""[^"\\/\x00-\x1f\x7f]+""")
"""Characters that JSON does not escape."""

Rows = Callable[[Block], list[str]]
"""Returns the rows of a fully unfolded block."""


@dataclass(frozen=True)
class Query:
    """A text to find: case-sensitive if it has a capital letter."""

    text: str

    @cached_property
    def exact(self) -> bool:
        """Whether the search is case-sensitive."""
        return self.text != self.text.lower()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.text), 0 if self.exact else re.IGNORECASE)

    def spans(self, row: str) -> list[tuple[int, int]]:
        """The places of matches in a row."""
        return [found.span() for found in self._pattern.finditer(row)] if self.text else []

    def is_in(self, row: str) -> bool:
        """Whether a row matches."""
        return self._pattern.search(row) is not None

    @cached_property
    def needles(self) -> tuple[bytes, ...]:
        """Byte strings, one of which occurs in every candidate line; empty if every line is a candidate.

        That is the longest part that JSON leaves as it is, and that `bytes.lower` makes equal;
        beyond ASCII it may be escaped.
        """
        parts = _SAFE.findall(self.text)
        if not self.exact:
            parts = [piece for part in parts for piece in _caseless_or_ascii(part)]
        best = max(parts, key=len, default="").strip(" ")
        if not best:
            return ()
        plain, escaped = best.encode("utf-8", "replace"), json.dumps(best)[1:-1].encode()
        return tuple(dict.fromkeys(each if self.exact else each.lower() for each in (plain, escaped)))

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


def _caseless_or_ascii(part: str) -> list[str]:
    """The pieces of a text whose case `bytes.lower` handles, or which have none."""
    return "".join(char if char.isascii() or char.lower() == char.upper() else "\n" for char in part).split(
        "\n"
    )


class Hit(NamedTuple):
    """A matching row."""

    key: Key
    """The block."""
    number: int
    """Index among the block's matching rows, from 0."""


def hits_in(found: list[Block], query: Query, rows: Rows) -> list[Hit]:
    """The hits in some blocks, in order."""
    return [
        Hit(block.key, number) for block in found for number, _ in enumerate(filter(query.is_in, rows(block)))
    ]


def find(
    path: Path, index: LineIndex, query: Query, first: int, stop: int, rows: Rows
) -> Iterator[list[Hit]]:
    """Yield the hits in the lines from `first` to `stop`, for a stretch of them at a time.

    Raises:
        OSError: the file cannot be read.
    """
    with opened(path) as file:
        for start, data in index.stretches(file, first, stop):
            yield [
                hit
                for line in query.candidates(data)
                for hit in hits_in(index.read(file, start + line), query, rows)
            ]
