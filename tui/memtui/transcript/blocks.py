"""A transcript as blocks to read: messages, tool calls and their results.

Unlike facts, blocks keep everything that can be unfolded: whole results, thinking, attachments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal, NamedTuple

from memtui.transcript import events
from memtui.transcript.events import Boundary, Call, Expansion, Queue, Queued, Result, Said, Summary, Words
from memtui.transcript.lines import Line, Record, fields_in, read_lines, text_in, time_of
from memtui.transcript.outcomes import target_of
from memtui.transcript.records import Source
from memtui.transcript.words import CAVEATS, queued_words


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


_Events = Words | Queue | Queued | Said | Call | Result | Boundary | Summary | Expansion
Shown = _Events | Thinking | Attached | Skipped

Folded = Summary | Thinking | Expansion
Typed = Words | Queue | Queued
FOLDED = {Summary: "Summary", Thinking: "Thinking", Expansion: "Inserted by Claude Code"}
"""Long texts that are not talk, by their titles."""

Key = tuple[int, int]
"""The key of a block: the byte at which its transcript line begins, and its number on that line."""

_NOTED = frozenset({"local command", "interruption", "shell", "shell output"})


@dataclass(frozen=True, slots=True)
class Block:
    """One displayable item of a line."""

    key: Key
    end: int
    """The offset behind its transcript line."""
    event: Shown
    stamp: str = ""
    """The record's timestamp, as Claude Code writes it; "" when it has none."""
    folder: str = ""

    @property
    def is_ask(self) -> bool:
        return events.is_ask(self.event)

    @property
    def agent(self) -> str:
        return getattr(self.event, "agent", "")


def blocks(line: Line) -> list[Block]:
    """The blocks of a transcript line; none for bookkeeping and for a line still being written."""
    if line.problem == "too long" and line.end > line.offset:
        size = (line.end - line.offset) / 1e6
        return [Block((line.offset, 0), line.end, Skipped(f"line of {size:.1f} MB"))]
    found: list[Block] = []
    for record in line.records:
        stamp, folder = time_of(record), text_in(record, "cwd")
        for event in _shown(record):
            found.append(Block((line.offset, len(found)), line.end, event, stamp, folder))
    if line.problem == "not JSON" and not found:
        found.append(Block((line.offset, 0), line.end, Skipped("line that is not JSON")))
    return found


def _shown(record: Record) -> Iterator[Shown]:
    found = events.events_of(record)
    yield from _beside(record, found)
    first = record.get("isSidechain") is True and record.get("parentUuid") is None
    if first and not found and (task := events.task_of(record)):
        yield Said(task, events.agent_of(record))
    yield from filter(None, map(_readable, found))


def _readable(event: events.Event) -> Shown | None:
    match event:
        case Words("notification", text):
            return Expansion(text)
        case Words(kind, text):
            return event if events.is_ask(event) or (kind in _NOTED and text.strip()) else None
        case Said(text) | Expansion(text):
            return event if text.strip() and not text.startswith(CAVEATS) else None
        case Queue("enqueue", text):
            return Queue("enqueue", words) if (words := queued_words(text)) else None
        case Call() | Result() | Boundary() | Summary() | Queued():
            return event
        case _:
            return None


def _beside(record: Record, found: Sequence[events.Event]) -> Iterator[Shown]:
    """Thinking, images and documents, which have no events; tool results may contain them, too."""
    content = fields_in(record, "message").get("content")
    if not isinstance(content, list):
        return
    agent = next((each.agent for each in found if isinstance(each, (Said, Call, Result))), "")
    agent = agent or events.agent_of(record)
    for block in _flat(content):
        kind = block.get("type")
        if kind == "thinking" and (text := text_in(block, "thinking")).strip():
            yield Thinking(text, agent)
        elif kind in ("image", "document"):
            source = fields_in(block, "source")
            yield Attached(text_in(source, "media_type") or kind, len(text_in(source, "data")), agent)


def _flat(content: list[Any]) -> Iterator[Record]:
    for block in content:
        if isinstance(block, dict):
            yield block
            if block.get("type") == "tool_result" and isinstance(inner := block.get("content"), list):
                yield from (each for each in inner if isinstance(each, dict))


EntryKind = Literal["ask", "said", "call", "result", "boundary", "summary", "note"]
"""`note` stands for interruptions, what was queued, texts of Claude Code and lines that could not be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message, call, result or note."""

    kind: EntryKind
    source: Source
    title: str
    """The tool of a call, the kind of a compaction or note; "" for messages."""
    text: str
    failed: bool = False
    agent: str = ""


def read_entries(path: Path, lines: tuple[int, int] | None = None) -> Iterator[Entry]:
    """The entries of a transcript in file order; of `lines`, first and last, or of all."""
    for line in read_lines(path):
        if lines is not None and line.number > lines[1]:
            return
        if lines is not None and line.number < lines[0]:
            continue
        for block in blocks(line):
            entry = _entry(block.event, Source(line.number, line.offset, block.stamp, "claude code"))
            if entry is not None and (entry.text.strip() or entry.kind not in ("said", "result")):
                yield entry


def _entry(event: Shown, place: Source) -> Entry | None:
    match event:
        case Words("interruption", text) | Skipped(text) | Expansion(text):
            return Entry("note", place, "", text)
        case Queue(_, text):
            return Entry("note", place._replace(speaker="user"), "queued", text)
        case Words(kind, text) if kind not in ("shell", "shell output"):
            return Entry("ask", place._replace(speaker="user"), "" if kind == "typed" else kind, text)
        case Queued(text):
            return Entry("ask", place._replace(speaker="user"), "queued", text)
        case Said(text, agent):
            source = place._replace(speaker="subagent" if agent else "model")
            return Entry("said", source, "", text, agent=agent)
        case Call(_, name, _, agent):
            source = place._replace(speaker="subagent" if agent else "model")
            return Entry("call", source, name, target_of(event), agent=agent)
        case Result():
            source = place._replace(speaker="tool")
            return Entry("result", source, "", event.text, failed=event.failed, agent=event.agent)
        case Boundary(trigger, before, after):
            sizes = " -> ".join(f"{size:,}" for size in (before, after) if size is not None)
            notes = (trigger, f"{sizes} tokens" if sizes else "")
            return Entry("boundary", place, "compacted", ", ".join(filter(None, notes)))
        case Summary(text):
            return Entry("summary", place, "summary", text)
        case _:
            return None


_LINES = 400  # maximum length in lines of texts that are compared exactly, as that takes time
_LONGEST = 400  # maximum length in characters of lines whose words are compared
_ALIKE = 0.5
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|\s+|[^\w\s]")


class Row(NamedTuple):
    """A line of a diff."""

    sign: Literal[" ", "+", "-"]
    text: str
    changed: tuple[tuple[int, int], ...] = ()
    """The added or removed parts, where the rest of the line is unchanged."""


def edit_rows(call: Call) -> list[Row]:
    """The diff of an edit; empty for another call, or if its arguments are not known."""
    given = call.input
    if call.name == "Edit":
        return list(_rows(_lines(given.get("old_string")), _lines(given.get("new_string"))))
    written = {"Write": "content", "NotebookEdit": "new_source"}.get(call.name, "")
    return [Row("+", line) for line in _lines(given.get(written))]


def diff_counts(rows: Sequence[Row]) -> tuple[int, int]:
    signs = [row.sign for row in rows]
    return signs.count("+"), signs.count("-")


def _lines(text: object) -> list[str]:
    if not isinstance(text, str) or not text:
        return []
    return text.removesuffix("\n").split("\n")


def _rows(old: list[str], new: list[str]) -> Iterator[Row]:
    long = max(len(old), len(new)) > _LINES
    for kind, start, stop, begin, end in SequenceMatcher(None, old, new, autojunk=long).get_opcodes():
        if kind == "equal":
            yield from (Row(" ", line) for line in old[start:stop])
        else:
            yield from _replaced(old[start:stop], new[begin:end])


def _replaced(old: list[str], new: list[str]) -> Iterator[Row]:
    """Replaced lines: the first with the first and so on, as in most edits."""
    pairs = [_word_ranges(before, after) for before, after in zip(old, new, strict=False)]
    for at, line in enumerate(old):
        yield Row("-", line, pairs[at][0] if at < len(pairs) else ())
    for at, line in enumerate(new):
        yield Row("+", line, pairs[at][1] if at < len(pairs) else ())


Ranges = tuple[tuple[int, int], ...]


def _word_ranges(before: str, after: str) -> tuple[Ranges, Ranges]:
    """The removed and the added parts of a line; none if the two versions have little in common."""
    gone: list[tuple[int, int]] = []
    come: list[tuple[int, int]] = []
    start = begin = 0
    for same, old, new in word_changes(before, after, _LONGEST):
        if old and not same:
            gone.append((start, start + len(old)))
        if new and not same:
            come.append((begin, begin + len(new)))
        start, begin = start + len(old), begin + len(new)
    return tuple(gone), tuple(come)


def word_changes(before: str, after: str, longest: int) -> list[tuple[bool, str, str]]:
    """A line's parts in both versions and whether they are the same; empty if these have little in common."""
    if max(len(before), len(after)) > longest:
        return []
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.quick_ratio() < _ALIKE or matcher.ratio() < _ALIKE:
        return []
    return [
        (kind == "equal", "".join(old[start:stop]), "".join(new[begin:end]))
        for kind, start, stop, begin, end in matcher.get_opcodes()
    ]
