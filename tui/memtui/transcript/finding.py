"""Finds text in a transcript of any size: searches bytes, and parses only lines that may match."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

from memtui.transcript.blocks import Block, Key, blocks
from memtui.transcript.lines import LINE_LIMIT, read_lines

_CHUNK = 256 << 10
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
    def patterns(self) -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
        """Patterns, one of which matches in every candidate line, each with its literal prefix.

        None unless the text has cased letters beyond ASCII, which `bytes.lower` leaves as they are.
        """
        parts = [] if self.exact else [part.strip(" ") for part in _SAFE.findall(self.text)]
        found = [part[at:] for part in parts for at, char in enumerate(part) if _has_case(char)]
        best = max(found, key=len, default="")
        if not best:
            return ()
        made: dict[bytes, re.Pattern[bytes]] = {}
        for encoded in (_plain, _escaped):
            rest = b"".join(b"(?:%s)" % b"|".join(map(re.escape, _cases(char, encoded))) for char in best[1:])
            made |= {first: re.compile(re.escape(first) + rest) for first in _cases(best[0], encoded)}
        return tuple(made.items())

    @cached_property
    def needles(self) -> tuple[bytes, ...]:
        """Byte strings, one of which occurs in every candidate line; empty if every line is a candidate.

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


def _has_case(char: str) -> bool:
    return not char.isascii() and char.lower() != char.upper()


def _plain(char: str) -> bytes:
    return char.encode("utf-8", "replace")


def _escaped(char: str) -> bytes:
    return json.dumps(char)[1:-1].encode()


def _cases(char: str, encoded: Callable[[str], bytes]) -> list[bytes]:
    """A character in all its cases, encoded."""
    return [encoded(each) for each in _alike().get(_folded(char), (char,))]


def _folded(char: str) -> str:
    upper = char.upper()
    return (upper if len(upper) == 1 else char).lower()


@cache
def _alike() -> dict[str, tuple[str, ...]]:
    """Groups of characters that differ only in case."""
    found: dict[str, tuple[str, ...]] = {}
    for char in map(chr, range(0x20, 0x1F000)):
        if char.lower() != char or char.upper() != char:
            found[_folded(char)] = (*found.get(_folded(char), ()), char)
    return found


def _pieces(part: str) -> Iterator[str]:
    """The parts of a text whose case `bytes.lower` handles, or which have none."""
    piece = ""
    for char in part:
        if char.isascii() or char.lower() == char.upper():
            piece += char
        else:
            yield piece
            piece = ""
    yield piece


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


def lines_forward(
    path: Path, start: int, query: Query, rows: Rows, cancelled: Callable[[], bool], stop: int | None = None
) -> Iterator[list[Hit]]:
    """Yield the hits of each line from byte `start` on, in file order.

    Lines from byte `stop` on may be left out.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        offset, carry = start, b""
        while not cancelled() and (stop is None or offset < stop):
            chunk = file.read(_CHUNK)
            data = carry + chunk if carry else chunk
            whole = data.rfind(b"\n") + 1 if chunk else len(data)
            if whole:
                yield from _hits(path, data, whole, offset, query, rows, cancelled)
                carry = data[whole:]
                offset += whole
            else:
                carry = data
            if not chunk:
                return


def lines_backward(
    path: Path, end: int, query: Query, rows: Rows, cancelled: Callable[[], bool], stop: int = 0
) -> Iterator[list[Hit]]:
    """Yield the hits of each line before byte `end`, the beginning of a line, in reverse file order.

    Lines before byte `stop` may be left out.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        size = _CHUNK
        while end > stop and not cancelled():
            begin = max(0, end - size)
            file.seek(begin)
            data = file.read(end - begin)
            skip = 0 if begin == 0 else data.find(b"\n") + 1
            if begin and not 0 < skip < len(data):
                size *= 2  # a line longer than the chunk
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
    """The candidate lines in the first `stop` bytes."""
    finders = _finders(data, query)
    if not finders:
        yield from _lines(data, stop)
        return
    places = [0] * len(finders)  # the next occurrence of each
    at = end = 0
    while at < stop:
        places = [
            place if place >= at and end else find(at, stop)
            for place, find in zip(places, finders, strict=True)
        ]
        place = min(places)
        if place >= stop:
            return
        begin = data.rfind(b"\n", at, place) + 1 or at
        end = data.find(b"\n", place, stop) + 1 or stop
        yield begin, end
        at = end


def _lines(data: bytes, stop: int) -> Iterator[tuple[int, int]]:
    at = 0
    while at < stop:
        end = data.find(b"\n", at, stop) + 1 or stop
        yield at, end
        at = end


def _finders(data: bytes, query: Query) -> list[Callable[[int, int], int]]:
    """Functions that return the next possible match from an offset on, `stop` if there is none."""

    def by_pattern(first: bytes, pattern: re.Pattern[bytes], at: int, stop: int) -> int:
        place = data.find(first, at, stop)  # much faster without any match
        found = pattern.search(data, place, stop) if place >= 0 else None
        return found.start() if found else stop

    def by_bytes(text: bytes, needle: bytes, at: int, stop: int) -> int:
        place = text.find(needle, at, stop)
        return place if place >= 0 else stop

    if query.patterns:
        return [partial(by_pattern, *each) for each in query.patterns]
    text = data if query.exact or not query.needles else data.lower()
    return [partial(by_bytes, text, each) for each in query.needles]
