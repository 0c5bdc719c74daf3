"""Byte offsets of a transcript's lines, found without parsing: by number, or near an offset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from memtui.transcript.line_index import LineIndex

_BLOCK = 256 * 1024


def line_offset(path: Path, number: int, index: LineIndex) -> int:
    """Byte offset at which line `number` begins (1-based); that of the last line if there are fewer.

    Raises:
        OSError: The file cannot be read.
    """
    known = index.offset_of(number)
    if known is not None:
        return known
    counted = len(index.starts)  # another thread may still be indexing
    last = index.starts[counted - 1] if counted else 0
    with path.open("rb", buffering=0) as file:
        size = file.seek(0, 2)
        more = number - 1 - max(1, counted)
        offset = last if more < 0 else next(islice(_ends(file, last, size), more, None), size)
    return offset if offset < size else line_start(path, size - 1, size)


def lines_before(path: Path, offset: int) -> int:
    """The number of lines that end before byte `offset`.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        return sum(1 for _ in _ends(file, 0, offset))


def _ends(file: BinaryIO, start: int, stop: int) -> Iterator[int]:
    """The offsets behind the newlines from byte `start` to `stop`."""
    file.seek(start)
    while start < stop and (data := file.read(min(_BLOCK, stop - start))):
        at = data.find(b"\n")  # three times as fast as `count`, as lines are long
        while at >= 0:
            yield start + at + 1
            at = data.find(b"\n", at + 1)
        start += len(data)


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
