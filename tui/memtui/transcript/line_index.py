"""Offsets of a transcript's lines, turns and compactions: built in one pass and extended as the file grows.

Lines are examined as bytes; only those that may open a turn or mark a compaction are parsed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

from pydantic_core import from_json

from memtui.transcript.blocks import blocks
from memtui.transcript.events import Boundary
from memtui.transcript.lines import LINE_LIMIT, Line

_CHUNK = 256 << 10


def never() -> bool:
    """The default for `cancelled`."""
    return False


class LineIndex:
    """Byte offsets of a transcript's lines, of its asks with their closing messages, and of its compactions.

    One thread may call `extend` while others read: the lists only grow.
    """

    def __init__(self) -> None:
        self.starts = array("Q")
        """Offsets of complete lines."""
        self.asks = array("Q")
        """Offsets of lines that open a turn."""
        self.closings = array("Q")
        """Offsets of closing messages: the final text of each turn but the last."""
        self.boundaries = array("Q")
        """Offsets of compactions."""
        self.end = 0
        """The byte offset reached so far: behind a complete line."""
        self.complete = False
        """Whether the end of the file has been reached at least once."""
        self._last_text = -1

    def extend(self, path: Path, cancelled: Callable[[], bool] = never) -> bool:
        """Index the bytes added since the last call; False when the file has become shorter.

        Raises:
            OSError: the file cannot be read.
        """
        with path.open("rb", buffering=0) as file:
            if file.seek(0, 2) < self.end:
                return False
            file.seek(self.end)
            carry = b""
            while not cancelled() and (chunk := file.read(_CHUNK)):
                data = carry + chunk if carry else chunk
                carry = chunk = b""  # a line may be a megabyte long
                stop = data.rfind(b"\n") + 1
                if stop:
                    self._take(data, stop)
                carry = data[stop:]
        self.complete = self.complete or not cancelled()
        return True

    def _take(self, data: bytes, stop: int) -> None:
        """Index the lines of a chunk of the file that begins at `self.end`."""
        offset, at = self.end, 0
        starts = self.starts
        while at < stop:
            end = data.index(b"\n", at) + 1
            starts.append(offset + at)
            if _is_text(data, at, end):
                self._last_text = offset + at
            elif _interesting(data, at, end):
                self._look(data[at:end], offset + at)
            at = end
        self.end = offset + stop

    def _look(self, data: bytes, offset: int) -> None:
        try:
            record = from_json(data, cache_strings="keys") if len(data) <= LINE_LIMIT else None
        except ValueError:
            return
        if type(record) is not dict:
            return
        for block in blocks(Line(offset, offset + len(data), (record,))):
            if block.is_ask:
                if self._last_text >= 0:
                    self.closings.append(self._last_text)
                self._last_text = -1
                if not self.asks or self.asks[-1] != offset:
                    self.asks.append(offset)
            elif isinstance(block.event, Boundary):
                self.boundaries.append(offset)

    @property
    def last_text(self) -> int:
        """Offset of the model's newest text; -1 if the user has spoken since."""
        return self._last_text

    def number_at(self, offset: int) -> int:
        """The number of the line at a byte offset (1-based); 0 if it is not indexed yet."""
        if offset > self.end or not self.starts:
            return 0
        number = bisect_right(self.starts, offset)
        return number + 1 if offset >= self.end else number

    def offset_of(self, number: int) -> int | None:
        """Offset of a line (1-based); None if it is not indexed yet."""
        if 1 <= number <= len(self.starts):
            return self.starts[number - 1]
        return None

    def turn_at(self, offset: int) -> int:
        """The number of the turn at a byte offset; 0 before the first one."""
        return bisect_right(self.asks, offset)


def _is_text(data: bytes, at: int, end: int) -> bool:
    """Whether a line contains a text of the model. Quotes within JSON strings are escaped."""
    if data.find(b'"type":"assistant"', at, end) < 0 and data.find(b'"type": "assistant"', at, end) < 0:
        return False
    if data.find(b'"type":"text"', at, end) < 0 and data.find(b'"type": "text"', at, end) < 0:
        return False
    return data.find(b'"isSidechain":true', at, end) < 0 and data.find(b'"isSidechain": true', at, end) < 0


def _interesting(data: bytes, at: int, end: int) -> bool:
    """Whether a line may be a message of the user or a compaction; there are false positives."""
    if data.find(b'"user"', at, end) >= 0:
        return data.find(b'"tool_result"', at, end) < 0 or _mixed(data, at, end)
    return data.find(b'"compact_boundary"', at, end) >= 0 or data.find(b'"queued_command"', at, end) >= 0


def _mixed(data: bytes, at: int, end: int) -> bool:
    """Whether a line may have the user's words in a block after a tool result."""
    last = max(data.rfind(b'"type":"text"', at, end), data.rfind(b'"type": "text"', at, end))
    return last > data.rfind(b'"tool_result"', at, end)
