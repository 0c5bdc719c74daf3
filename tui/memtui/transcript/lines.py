"""Claude Code's transcript: the JSONL file of a session, read as a stream of lines.

The file belongs to Claude Code: it is only read, may be written to meanwhile, and may contain anything. Known
to occur: two objects on one line, no final newline, a torn last line, lines of many megabytes (images),
invalid UTF-8, lone surrogates, deep nesting (Claude Code facts). None of these is fatal here;
`memtui.transcript.events` interprets the records.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from memtui.ground.clean import without_surrogates
from memtui.secrets.private import line_may_hold_private, without_private_in

Record = dict[str, Any]  # one JSON object of a transcript

LINE_LIMIT = 2_000_000
"""Maximum length of lines that are read, in bytes. Longer ones hold images and documents, not words."""

_BLOCK = 1 << 17
_NEWLINE = 0x0A
_UNREAD = (b'{"type":"file-history-', b'{"type":"api-request')
_PROGRESS = b'"type":"progress","data":{'
_KIND, _OF_AGENT = b'"type":"', b'"type":"agent'
_HEAD = 1_000  # the bytes of a line that may hold `_PROGRESS`; text that could imitate it comes later

# Control characters inside strings occur in hand-made exports.
_DECODER = json.JSONDecoder(strict=False)


class Line(NamedTuple):
    """A line of a transcript."""

    offset: int
    """Byte offset of its beginning."""
    end: int
    """Where reading continues: after its newline, or at `offset` if it is torn."""
    records: tuple[Record, ...]
    """The objects on it: one as a rule, two when written without a break, none in bookkeeping lines."""
    problem: str = ""
    """"", "too long", "not JSON", or "torn" (the last line has no end yet)."""
    number: int = 0
    """1-based, blank lines included."""
    complete: bool = True
    """Whether its newline was read, so that `end` is the beginning of the next line."""

    @property
    def next_number(self) -> int:
        """Number of the line that begins, or continues, at `end`."""
        return self.number + self.complete


def read_lines(
    path: Path | BinaryIO,
    *,
    start: int = 0,
    stop: int | None = None,
    first: int = 1,
    skip: Callable[[bytes], bool] | None = None,
    few: bool = False,
) -> Iterator[Line]:
    """Stream the lines of a transcript, without private parts; blank lines are left out.

    The file is read in blocks and never held whole; a line over `LINE_LIMIT` is not held at all. A stream is
    read from its beginning, anything but a regular file is an `OSError`, as a pipe might never end. To go on,
    `start` is the `end` of a line read before, `first` its `next_number`; `stop` is a byte offset, too.
    `skip` tells which lines need no parsing, by default bookkeeping; `few` takes the parser that is quicker
    to import.
    """
    skip = skip or is_bookkeeping
    with (
        open(path, "rb", buffering=_BLOCK, opener=regular_only)
        if isinstance(path, Path)
        else nullcontext(path)
    ) as file:
        if start:
            file.seek(start)
        number, end = first - 1, start
        readline, longest = file.readline, LINE_LIMIT + 1
        while data := readline(longest if stop is None else max(0, min(longest, stop - end))):
            number += 1
            offset, end = end, end + len(data)
            if data[-1] != _NEWLINE:
                if len(data) < longest:
                    yield from _last_line(offset, data, number)
                    return
                rest = _rest_of_line(file, end, stop)
                # After an over-long line that has no end yet, reading would continue in its middle.
                end = offset if rest is None else end + rest
                yield Line(offset, end, (), "too long", number, rest is not None)
                if rest is None:
                    return
                continue
            if skip(data):
                yield Line(offset, end, (), "", number)
                continue
            record = only_record(data, few=few)
            if record is not None:
                # Like `Line(...)` at half the cost: nearly every line is made here.
                yield tuple.__new__(Line, (offset, end, (record,), "", number, True))
            elif data.strip():
                records, used = _decode_slowly(data[:-1])
                sound = records and used == len(data) - 1
                yield Line(offset, end, records, "" if sound else "not JSON", number)


def is_bookkeeping(line: bytes) -> bool:
    """Whether a line only holds the progress of a hook or a tool, file copies, or what was sent to the API.

    A fifth of Claude Code's lines (2.0.5 to 2.1.72) are of this kind and recognised without parsing: they
    name their kind first. Lines on a subagent's work (`agent_progress`) begin with its message instead;
    these, and lines with a second object, are read.
    """
    at = line.find(_PROGRESS, 0, _HEAD)
    if at < 0 and not line.startswith(_UNREAD):
        return False
    kind = at + len(_PROGRESS)
    if at >= 0 and (not line.startswith(_KIND, kind) or line.startswith(_OF_AGENT, kind)):
        return False
    return b"}{" not in line


def text_in(fields: Record, key: str) -> str:
    """The text under a key, "" for anything else."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def fields_in(fields: Record, key: str) -> Record:
    """The object under a key, an empty one for anything else."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def time_of(record: Record) -> str:
    return text_in(record, "timestamp")


def branch_of(record: Record) -> str:
    branch = text_in(record, "gitBranch")
    return "" if branch == "HEAD" else branch


def only_record(data: bytes, *, few: bool = False) -> Record | None:
    """The object on a line, without its private parts; None if the line is not exactly one object.

    Of `few` lines the standard library's parser is quicker, as the other one takes 20 ms to import.
    """
    try:
        if few and b"\\ud" not in data and b"\\uD" not in data:  # which may be lone surrogates
            record = json.loads(data.decode())  # bytes would pass with encoded surrogates
        else:
            from pydantic_core import from_json

            record = from_json(data, cache_strings="keys")
    except ValueError:
        return None
    if type(record) is not dict:
        return None
    return without_private_in(record) if line_may_hold_private(data) else record


def regular_only(path: str, flags: int) -> int:
    """An opener for `open` that refuses what is not a regular file: a pipe might never end."""
    found = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    return found


def _last_line(offset: int, data: bytes, number: int) -> Iterator[Line]:
    """A line without a newline: an export's last one, or one being written."""
    if not data.strip():
        return
    record = only_record(data)
    records, used = _decode_slowly(data) if record is None else ((record,), len(data))
    if records:
        yield Line(offset, offset + used, records, "", number, False)
    if used < len(data):
        yield Line(offset + used, offset + used, (), "torn", number, False)


def _rest_of_line(file: BinaryIO, position: int, stop: int | None) -> int | None:
    """Pass over the rest of a line; its length in bytes, or None when the line has no end."""
    length = 0
    while data := file.readline(_BLOCK if stop is None else max(0, min(_BLOCK, stop - position - length))):
        length += len(data)
        if data[-1] == _NEWLINE:
            return length
    return None


def _decode_slowly(data: bytes) -> tuple[tuple[Record, ...], int]:
    """The objects on a line that is not exactly one object, and the number of bytes they take.

    Values other than objects are skipped; reading ends at the first invalid JSON.
    """
    # surrogateescape keeps byte offsets recoverable; the surrogates are replaced below.
    text = data.decode("utf-8", "surrogateescape")
    records: list[Record] = []
    end = at = 0
    with suppress(ValueError, RecursionError):
        while True:
            while text[at : at + 1] in tuple(" \t\r\ufeff"):
                at += 1
            value, at = _DECODER.raw_decode(text, at)
            end = at
            if isinstance(value, dict):
                records.append(without_private_in(_without_surrogates(value)))
    used = len(text[:end].encode("utf-8", "surrogateescape"))
    rest = data[used:].strip(b" \t\r\n")
    return tuple(records), used if rest else len(data)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value
