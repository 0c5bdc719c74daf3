"""A transcript's records as entries to read: messages, tool calls and their results.

An entry is displayed on its own, with its source line. Texts are complete, without private parts; the front
end shortens and cleans them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memtui.transcript.actions import target_of
from memtui.transcript.events import (
    Boundary,
    Call,
    Event,
    Queued,
    Result,
    Said,
    Summary,
    Words,
    events,
)
from memtui.transcript.lines import Line, Record, read_lines
from memtui.transcript.records import Source, Speaker

EntryKind = Literal["ask", "said", "call", "result", "boundary", "summary", "note"]
"""`note` stands for interruptions and for lines that could not be read."""

_ASKS = ("typed", "command", "plan", "comment", "memory", "local command")


@dataclass(frozen=True, slots=True)
class Entry:
    """One message, call, result or note."""

    kind: EntryKind
    source: Source
    title: str
    """The tool of a call, the kind of a compaction; "" for messages."""
    text: str
    failed: bool = False
    """A result that is an error."""
    agent: str = ""
    """The subagent it belongs to; "" for the session itself."""


def read_entries(
    path: Path, *, start: int = 0, first: int = 1, lines: tuple[int, int] | None = None
) -> Iterator[Entry]:
    """The entries of a transcript in file order.

    Args:
        path: the transcript.
        start: byte offset to begin at.
        first: number of the line at `start`.
        lines: first and last line to read, both included, 1-based; None for all.

    Raises:
        OSError: the file cannot be read.
    """
    for line in read_lines(path, start=start, first=first):
        if lines is not None and line.number > lines[1]:
            return
        if lines is None or line.number >= lines[0]:
            yield from entries_of(line)


def entries_of(line: Line) -> Iterator[Entry]:
    """The entries of one line; none for bookkeeping."""
    if line.problem in ("too long", "not JSON") and line.end > line.offset:
        source = Source(line.number, line.offset, "", "claude code")
        yield Entry("note", source, "", f"{line.problem}: {line.end - line.offset:,} bytes skipped")
    for record in line.records:
        for event in events(record):
            make = _MAKERS.get(type(event))
            if make is not None:
                yield from make(event, _source(line, record, event))


def _source(line: Line, record: Record, event: Event) -> Source:
    timestamp = record.get("timestamp")
    return Source(line.number, line.offset, timestamp if isinstance(timestamp, str) else "", _speaker(event))


def _speaker(event: Event) -> Speaker:
    if isinstance(event, Words | Queued):
        return "user"
    if isinstance(event, Result):
        return "tool"
    if isinstance(event, Said | Call):
        return "subagent" if event.agent else "model"
    return "claude code"


def _words(event: Words, source: Source) -> Iterator[Entry]:
    if event.kind in _ASKS:
        yield Entry("ask", source, "" if event.kind == "typed" else event.kind, event.text)
    elif event.kind == "interruption":
        yield Entry("note", source, "", event.text)


def _queued(event: Queued, source: Source) -> Iterator[Entry]:
    yield Entry("ask", source, "queued", event.text)


def _message_entries(event: Said, source: Source) -> Iterator[Entry]:
    if event.text.strip():
        yield Entry("said", source, "", event.text, agent=event.agent)


def _call(event: Call, source: Source) -> Iterator[Entry]:
    yield Entry("call", source, event.name, target_of(event), agent=event.agent)


def _result(event: Result, source: Source) -> Iterator[Entry]:
    if event.text.strip():
        yield Entry("result", source, "", event.text, failed=event.failed, agent=event.agent)


def _boundary(event: Boundary, source: Source) -> Iterator[Entry]:
    sizes = [f"{size:,}" for size in (event.pre_tokens, event.post_tokens) if size is not None]
    notes = [event.trigger, f"{' -> '.join(sizes)} tokens" if sizes else ""]
    yield Entry("boundary", source, "compacted", ", ".join(note for note in notes if note))


def _summary(event: Summary, source: Source) -> Iterator[Entry]:
    yield Entry("summary", source, "summary", event.text)


_MAKERS: dict[type, Callable[[Any, Source], Iterator[Entry]]] = {
    Words: _words,
    Queued: _queued,
    Said: _message_entries,
    Call: _call,
    Result: _result,
    Boundary: _boundary,
    Summary: _summary,
}
