"""A transcript as blocks to read: messages, tool calls and their results.

Unlike facts, blocks keep everything that can be unfolded: whole results, thinking, attachments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtui.transcript import lines
from memtui.transcript.events import (
    Boundary,
    Call,
    Event,
    Queued,
    Result,
    Said,
    Summary,
    Words,
    agent_of,
    events,
    task_of,
)


class Thinking(NamedTuple):
    """The model's thinking."""

    text: str
    agent: str


class Attached(NamedTuple):
    """An image or a document, which a terminal cannot display."""

    name: str
    """Its kind: ``image/png``."""
    size: int
    """Characters of its text in the transcript (base64)."""
    agent: str


class Skipped(NamedTuple):
    """A line with nothing to read."""

    reason: str
    """One phrase: ``line of 12.8 MB``."""


Shown = Words | Queued | Said | Call | Result | Boundary | Summary | Thinking | Attached | Skipped
"""The content of a block."""

Key = tuple[int, int]
"""The key of a block: the byte at which its transcript line begins, and its number on that line."""

_ASKS = frozenset({"typed", "command", "plan", "comment", "memory"})
_NOTED = frozenset({"local command", "interruption", "shell", "shell output"})


@dataclass(frozen=True, slots=True)
class Block:
    """One displayable item of a lines."""

    key: Key
    end: int
    """The offset behind its transcript line."""
    event: Shown
    stamp: str = ""
    """The record's timestamp, as Claude Code writes it; "" when it has none."""
    folder: str = ""
    """The session's working folder."""

    @property
    def is_ask(self) -> bool:
        """Whether this is a message of the user that opens a turn."""
        event = self.event
        return isinstance(event, Queued) or (isinstance(event, Words) and event.kind in _ASKS)

    @property
    def agent(self) -> str:
        """The subagent it belongs to, "" for the session itself."""
        return getattr(self.event, "agent", "")


def blocks(line: lines.Line) -> list[Block]:
    """The blocks of a transcript line; none for bookkeeping and for a line still being written."""
    if line.problem == "too long" and line.end > line.offset:
        size = (line.end - line.offset) / 1e6
        return [Block((line.offset, 0), line.end, Skipped(f"line of {size:.1f} MB"))]
    found: list[Block] = []
    for record in line.records:
        stamp, folder = record.get("timestamp"), record.get("cwd")
        stamp = stamp if isinstance(stamp, str) else ""
        folder = folder if isinstance(folder, str) else ""
        for event in _shown(record):
            found.append(Block((line.offset, len(found)), line.end, event, stamp, folder))
    if line.problem == "not JSON" and not found:
        found.append(Block((line.offset, 0), line.end, Skipped("line that is not JSON")))
    return found


def _shown(record: lines.Record) -> Iterator[Shown]:
    found = events(record)
    yield from _beside(record, found)
    first = record.get("isSidechain") is True and record.get("parentUuid") is None
    if first and not found and (task := task_of(record)):
        yield Said(task, agent_of(record))
    for event in found:
        if isinstance(event, Words):
            if event.kind in _ASKS or (event.kind in _NOTED and event.text.strip()):
                yield event
        elif isinstance(event, Said):
            if event.text.strip():
                yield event
        elif isinstance(event, (Call, Result, Boundary, Summary, Queued)):
            yield event


def _beside(record: lines.Record, found: Sequence[Event]) -> Iterator[Shown]:
    """Thinking, images and documents, which have no events; tool results may contain them, too."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return
    agent = next((each.agent for each in found if isinstance(each, (Said, Call, Result))), "")
    if not agent and record.get("isSidechain") is True:
        agent = "subagent"
    for block in _flat(content):
        kind = block.get("type")
        if kind == "thinking" and isinstance(text := block.get("thinking"), str) and text.strip():
            yield Thinking(text, agent)
        elif kind in ("image", "document"):
            source = block.get("source")
            source = source if isinstance(source, dict) else {}
            data, media = source.get("data"), source.get("media_type")
            name = media if isinstance(media, str) else str(kind)
            yield Attached(name, len(data) if isinstance(data, str) else 0, agent)


def _flat(content: list[object]) -> Iterator[dict[str, object]]:
    for block in content:
        if isinstance(block, dict):
            yield block
            if block.get("type") == "tool_result" and isinstance(inner := block.get("content"), list):
                yield from (each for each in inner if isinstance(each, dict))
