"""Summaries of sessions for lists: made in one fast pass over the transcript, and continued as it grows.

Facts hold more, but take longer: here only lines with wanted fields are parsed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from memtui.secrets.private import line_may_hold_private, without_private, without_private_in
from memtui.secrets.secrets import masked
from memtui.transcript.blocks import blocks
from memtui.transcript.events import (
    Boundary,
    Call,
    Event,
    Queued,
    Result,
    Title,
    Words,
    events,
    request_of,
)
from memtui.transcript.line_index import never
from memtui.transcript.lines import LINE_LIMIT, Line, Record
from memtui.transcript.tools import EDIT_TOOLS

_CHUNK = 1 << 20
_ASK = 300
_FILES = 2_000
_STAMP = b'"timestamp":'


@dataclass(frozen=True)
class SessionSummary:
    """One session in a few fields."""

    title: str = ""
    first_ask: str = ""
    """The beginning of the first prompt, with secrets masked and without private parts, like the title."""
    started: str = ""
    ended: str = ""
    turns: int = 0
    tokens: int = 0
    """Size of the context at the last request to the model."""
    compactions: int = 0
    files: tuple[str, ...] = ()
    """Files modified by the session's own calls."""
    branch: str = ""
    folder: str = ""
    """The folder in which the session was started."""
    end: int = 0
    """Number of bytes read."""
    waiting: dict[str, str] = field(default_factory=dict)
    """Edits without a result yet: the file by the id of the call."""


def summarize(path: Path, known: SessionSummary, cancelled: Callable[[], bool] = never) -> SessionSummary:
    """The summary of a transcript.

    Args: path: the transcript. known: the summary of an earlier reading, to continue; if the file has become
    shorter, it is read anew. cancelled: polled; if it returns True, the summary covers only part of the file.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        if file.seek(0, 2) < known.end:
            known = SessionSummary()
        file.seek(known.end)
        reading = _Reading(known)
        carry, end = b"", known.end
        while not cancelled() and (chunk := file.read(_CHUNK)):
            data = carry + chunk if carry else chunk
            stop = data.rfind(b"\n") + 1
            for row in data[:stop].split(b"\n"):
                reading.take(row)
            carry = data[stop:]
            end += stop
    return reading.finish(end)


class _Reading:
    def __init__(self, known: SessionSummary) -> None:
        self._found: dict[str, Any] = {
            name: getattr(known, name)
            for name in (
                "title",
                "first_ask",
                "started",
                "ended",
                "turns",
                "tokens",
                "compactions",
                "branch",
                "folder",
            )
        }
        self._files = dict.fromkeys(known.files)
        self._waiting = dict(known.waiting)
        self._usage = b""

    def take(self, row: bytes) -> None:
        """Read one line; most are skipped after a quick check."""
        if not row:
            return
        if not self._found["started"]:
            self._found["started"] = _stamp(row)
        self._found["ended"] = max(self._found["ended"], _stamp(row))
        if b'"usage"' in row:
            self._usage = row
        if len(row) <= LINE_LIMIT and (not self._found["folder"] or self._is_wanted(row)):
            record = _parsed(row)
            if record is not None:
                self._record(record, len(row))

    def _is_wanted(self, row: bytes) -> bool:
        if b'"tool_use_id"' in row:
            return bool(self._waiting) and any(name.encode() in row for name in self._waiting)
        if b'"user"' in row or b'"queued_command"' in row or b'"compact_boundary"' in row:
            return True
        if b'"ai-title"' in row or b'"custom-title"' in row:
            return True
        return b'"tool_use"' in row and (b'Edit"' in row or b'"Write"' in row)

    def _record(self, record: Record, size: int) -> None:
        found = self._found
        self._place(record)
        for event in events(record):
            if isinstance(event, Title):
                found["title"] = _safe(event.text)
            elif isinstance(event, Boundary):
                found["compactions"] += 1
            else:
                self._edited(event)
        for block in blocks(Line(0, size, (record,))):
            if block.is_ask and isinstance(block.event, (Words, Queued)):
                found["turns"] += 1
                found["first_ask"] = found["first_ask"] or _safe(block.event.text)

    def _place(self, record: Record) -> None:
        folder, branch = record.get("cwd"), record.get("gitBranch")
        if isinstance(folder, str) and folder and not self._found["folder"]:
            self._found["folder"] = folder
        if isinstance(branch, str) and branch and branch != "HEAD":
            self._found["branch"] = branch

    def _edited(self, event: Event) -> None:
        """Record an edit by the session itself, once its result confirms it."""
        if isinstance(event, Call) and event.name in EDIT_TOOLS and not event.agent:
            path = event.input.get("file_path") or event.input.get("notebook_path")
            if isinstance(path, str):
                self._waiting[event.id] = path
        elif isinstance(event, Result):
            path = self._waiting.pop(event.id, "")
            if path and not event.failed and len(self._files) < _FILES:
                self._files[path] = None

    def finish(self, end: int) -> SessionSummary:
        """The summary of the first `end` bytes."""
        record = _parsed(self._usage) if self._usage else None
        if record is not None:
            self._place(record)
            request = request_of(record)
            self._found["tokens"] = (request.tokens if request else 0) or self._found["tokens"]
        for name in ("started", "ended"):
            self._found[name] = without_private(self._found[name])
        summary = SessionSummary(**self._found)
        return replace(summary, files=tuple(self._files), end=end, waiting=dict(self._waiting))


def _parsed(row: bytes) -> Record | None:
    """The record on a line, without private parts; None if the line is not a record."""
    try:
        record = from_json(row, cache_strings="keys")
    except ValueError:
        return None
    if type(record) is not dict:
        return None
    return without_private_in(record) if line_may_hold_private(row) else record


def _safe(text: str) -> str:
    """The beginning of a text, masked before it is cut, as half a secret is not recognised."""
    return masked(text.strip())[:_ASK]


def _stamp(row: bytes) -> str:
    at = row.rfind(_STAMP)
    return row[at + len(_STAMP) :].split(b'"', 2)[1].decode("ascii", "replace") if at >= 0 else ""
