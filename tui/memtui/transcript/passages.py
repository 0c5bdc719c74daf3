"""Searchable passages of a transcript: asks, the model's texts, commands, files and errors, by turn.

Turns are those of `transcript.turns`: the same log says which words open one. Successful tool results are
not parsed, so that this takes a third of the time of reading facts; a transcript that has grown is read again
from its last stretch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pydantic import TypeAdapter, ValidationError

from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.events import (
    Call,
    Event,
    Expansion,
    Queue,
    Queued,
    Result,
    Said,
    Words,
    agent_of,
    events,
    request_of,
)
from memtui.transcript.lines import Line, Record, is_bookkeeping, read_lines
from memtui.transcript.outcomes import error_head, is_sibling_error, outcome_of, said_with_rejection
from memtui.transcript.prompts import PromptLog, PromptMemory
from memtui.transcript.records import Prompt, Source
from memtui.transcript.tools import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS

TEXT = 20_000
"""Maximum length of a passage, in characters."""
STRETCH = 16_000
"""Length in characters at which a long turn is split into another stretch,"""
STRETCH_BYTES = 2 << 20
"""and length in bytes of the transcript: at most so much is read again when it grows."""

_MEMORY = TypeAdapter(PromptMemory)
_RESULT = b'"type":"tool_result"'
_CALL = b'"type":"tool_use"'
_TEXT = b'"type":"text"'
_DETAIL = b'"toolUseResult":{"type":"text"'
"""Claude Code's metadata on a file that was read."""
_THINKING = b'"content":[{"type":"thinking"'
_READ = re.compile(rb'"type":"(?:user|assistant|progress|queue-operation|queued_command)"')
"""Types of records and attachments that are read."""
_TWO = b'}{"'
"""The boundary of two objects on a line. Within a string of JSON a backslash stands before each quotation
mark."""


class Kind(StrEnum):
    """Kind of a passage."""

    ASK = "ask"
    SAID = "said"
    COMMAND = "command"
    FILE = "file"
    ERROR = "error"


class Passage(NamedTuple):
    """A text of a transcript."""

    kind: Kind
    text: str
    line: int
    """1-based."""
    timestamp: str
    """ISO 8601 as written; "" when the line has none."""


class Place(NamedTuple):
    """A place at which reading can begin."""

    offset: int = 0
    line: int = 1
    turn: int = 0
    """The current turn; 0 before the first."""
    memory: str = ""
    """The `PromptMemory` at this place, as JSON."""


@dataclass(slots=True)
class Stretch:
    """A turn, or part of a long one."""

    begin: Place
    turn: int
    passages: list[Passage] = field(default_factory=list)
    size: int = 0
    """Length in characters."""


def read_stretches(
    path: Path | BinaryIO,
    begin: Place = Place(),  # noqa: B008 - a constant
    *,
    agent: bool = False,
) -> Iterator[Stretch]:
    """The stretches of a transcript from a place on, in order; the last one may be unfinished.

    Private parts are left out, secrets masked.

    Args:
        path: the transcript, or a stream of it.
        begin: the place.
        agent: whether it is a subagent's own transcript, where every line is marked as a subagent's.

    Raises:
        OSError: the file cannot be read.
    """
    reader = _Reader(begin, agent=agent)
    for line in read_lines(path, start=begin.offset, first=begin.line, skip=_is_idle):
        yield from reader.line(line)
    yield reader.finish()


def _is_idle(line: bytes) -> bool:
    """Whether a line has nothing to find: bookkeeping, successful results, thinking."""
    if _RESULT in line:
        return not (
            b'"is_error":true' in line
            or b"<tool_use_error>" in line
            or b'"toolDenialKind"' in line
            or _TWO in line
            or line.count(_TEXT) > line.count(_DETAIL)
        )
    if _CALL in line or _TEXT in line or _TWO in line:
        return False
    if _THINKING in line or is_bookkeeping(line):
        return True
    return b'"type":"' in line and _READ.search(line) is None


class _Reader:
    """Reads lines in file order."""

    def __init__(self, begin: Place, *, agent: bool) -> None:
        self._agent = agent
        self._prompts = PromptLog()
        if begin.memory:
            with suppress(ValidationError):  # from another version: queued words may be found twice
                self._prompts.resume("", _MEMORY.validate_json(begin.memory))
        self._stretch = Stretch(begin, begin.turn)
        self._files: set[str] = set()
        self._source = Source()
        self._line: Line | None = None
        self._before = begin
        self._message = ""
        self._done: list[Stretch] = []

    def line(self, line: Line) -> Sequence[Stretch]:
        """Read a line; returns the stretches that ended before it."""
        self._line = line
        if not line.records:
            return ()
        self._done = []
        self._before = Place(line.offset, line.number)
        if line.offset - self._stretch.begin.offset > STRETCH_BYTES or self._stretch.size > STRETCH:
            self._end(self._stretch.turn)
        for record in line.records:
            timestamp = record.get("timestamp")
            stamp = timestamp if isinstance(timestamp, str) else ""
            self._source = Source(line.number, line.offset, stamp)
            if self._agent:
                record.pop("isSidechain", None)
            self._record(record)
        return self._done

    def finish(self) -> Stretch:
        """The last stretch, possibly empty."""
        if self._line is not None:
            self._before = Place(self._line.end, self._line.next_number)
        for prompt in self._prompts.flush():
            self._open(prompt)
        return self._stretch

    def _record(self, record: Record) -> None:
        kind = record.get("type")
        own = not agent_of(record)
        if kind == "assistant" and own:
            request = request_of(record, self._message)
            if request is not None:
                self._message = request.message_id
                self._prompts.model_spoke()
        elif kind != "assistant":
            self._remember()
        for event in events(record):
            self._event(masked_in(event) if isinstance(event, Words | Queue | Queued) else event)

    def _remember(self) -> None:
        """Save the state before a line that may open a turn."""
        if not self._prompts.is_blank:
            memory = _MEMORY.dump_json(self._prompts.memory()).decode()
            self._before = self._before._replace(memory=memory)

    def _event(self, event: Event) -> None:
        if isinstance(event, Said):
            if not event.agent:
                self._begun()
                self._add(Kind.SAID, event.text)
        elif isinstance(event, Call):
            self._call(event)
        elif isinstance(event, Result):
            self._result(event)
        elif isinstance(event, Words | Expansion):
            self._words(event)
        elif isinstance(event, Queue):
            self._open(self._prompts.queue(event, self._source))
        elif isinstance(event, Queued):
            self._open(self._prompts.queued(event.text, self._source))

    def _words(self, event: Words | Expansion) -> None:
        kind = event.kind if isinstance(event, Words) else "machine"
        for prompt in self._prompts.words(kind, event.text, self._source):
            self._open(prompt)
        if kind == "shell":
            self._end(self._stretch.turn + 1)
            self._add(Kind.COMMAND, event.text)
        elif kind == "notification":
            self._end(self._stretch.turn + 1)

    def _call(self, call: Call) -> None:
        if not call.agent:
            self._begun()
        if call.name in SHELL_TOOLS:
            self._add(Kind.COMMAND, call.input.get("command"))
        elif call.name in EDIT_TOOLS or call.name in READ_TOOLS:
            path = call.input.get("file_path") or call.input.get("notebook_path")
            if isinstance(path, str) and path not in self._files:
                self._files.add(path)
                self._add(Kind.FILE, path)

    def _result(self, result: Result) -> None:
        if not result.failed:
            return
        outcome = outcome_of(result)
        if outcome == "rejected" and not result.agent:
            if words := said_with_rejection(result):
                self._open(self._prompts.rejection(words, self._source))
        elif outcome == "failed" and not is_sibling_error(result):
            self._add(Kind.ERROR, error_head(result))

    def _begun(self) -> None:
        if not self._stretch.turn:
            self._stretch.turn = 1

    def _open(self, prompt: Prompt | None) -> None:
        if prompt is not None:
            self._end(self._stretch.turn + 1)
            source = prompt.source
            self._add(Kind.ASK, prompt.text, source.line, source.timestamp)

    def _end(self, turn: int) -> None:
        """Begin another stretch with the current line."""
        self._done.append(self._stretch)
        self._stretch = Stretch(self._before._replace(turn=self._stretch.turn), turn)
        self._files.clear()

    def _add(self, kind: Kind, text: Any, line: int = 0, timestamp: str = "") -> None:
        if isinstance(text, str) and (text := masked(text)[:TEXT]).strip():
            self._stretch.passages.append(
                Passage(kind, text, line or self._source.line, timestamp or self._source.timestamp)
            )
            self._stretch.size += len(text)
