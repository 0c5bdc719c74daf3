"""The surroundings of compactions: the replaced range, hand-overs, and files and commands needed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memtui.lost.records import Need
from memtui.transcript import ReadingCancelledError
from memtui.transcript.checks import bare_command
from memtui.transcript.events import Boundary, Call, Queued, Said, Summary, Words, agent_of, events_of, is_ask
from memtui.transcript.lines import Record, read_lines
from memtui.transcript.paths import absolute
from memtui.transcript.records import CompactionFact, Source
from memtui.transcript.shell import EDIT_TOOLS, SHELL_TOOLS

WITHIN = 50
"""Number of calls after a compaction in which a file or command counts as needed again."""


@dataclass(slots=True)
class Trace:
    """A compaction and its surroundings."""

    compaction: CompactionFact
    changed: bool = False
    """Whether a call in the range was meant to change a file."""
    preserved: frozenset[int] = frozenset()
    """Lines of the range that are still in the conversation."""
    needs: dict[str, Need] = field(default_factory=dict)
    """Paths and commands of the following calls."""
    handed: list[str] = field(default_factory=list)
    """Texts that hooks added to the conversation before the next compaction."""
    followed: list[str] = field(default_factory=list)
    """Texts and inputs of calls after it, up to the call number `WITHIN`."""


def traces(path: Path, cancelled: Callable[[], bool] | None = None) -> list[Trace]:
    """A transcript's compactions that have a summary; a `ReadingCancelledError` once `cancelled` says so."""
    log, due = _TraceLog(), 0
    for line in read_lines(path):
        if line.offset >= due:
            due = line.offset + 2_000_000
            if cancelled is not None and cancelled():
                raise ReadingCancelledError
        for record in line.records:
            timestamp = str(record.get("timestamp") or "")
            log.record(record, Source(line.number, line.offset, timestamp, "claude code"))
    return [trace for trace in log.traces if trace.compaction.summary]


class _TraceLog:
    def __init__(self) -> None:
        self.traces: list[Trace] = []
        self._awaits_summary = False
        self._folder = ""
        self._begin()

    def record(self, record: Record, source: Source) -> None:
        if isinstance(uuid := record.get("uuid"), str):
            self._uuids[uuid] = source.line
        folder = record.get("cwd")
        self._folder = folder if isinstance(folder, str) and folder else self._folder
        for event in events_of(record):
            if type(event) is Call:
                self._called(event)
                self._follow(*map(str, event.input.values()))
            elif type(event) is Boundary:
                fact = CompactionFact(event.trigger, event.pre_tokens, event.post_tokens, source)
                self._compacted(fact, _preserved(record, self._uuids))
                self._awaits_summary = True
            elif type(event) is Summary and agent_of(record) == "":
                self._summary(event, source)
            elif is_ask(event):
                self._turns += 1
            if isinstance(event, Said | Words | Queued):
                self._follow(event.text)
        if self.traces and (text := hook_context(record)):
            self.traces[-1].handed.append(text)

    def _follow(self, *texts: str) -> None:
        if self.traces and self._calls <= WITHIN:
            self.traces[-1].followed += texts

    def _begin(self) -> None:
        self._changed = False
        self._uuids: dict[str, int] = {}
        self._calls = self._turns = 0

    def _summary(self, event: Summary, source: Source) -> None:
        if not self._awaits_summary:
            self._compacted(CompactionFact("", None, None, source), frozenset())
        last = self.traces[-1]
        last.compaction = replace(last.compaction, summary=event.text, summary_source=source)
        self._awaits_summary = False

    def _compacted(self, fact: CompactionFact, preserved: frozenset[int]) -> None:
        self.traces.append(Trace(fact, self._changed, preserved))
        self._begin()

    def _called(self, call: Call) -> None:
        target = target_of(call, self._folder)
        self._calls += call.agent == ""
        self._changed = self._changed or call.name in EDIT_TOOLS
        if target and self.traces and not call.agent and self._calls <= WITHIN:
            self.traces[-1].needs.setdefault(target, Need(self._calls, self._turns))


def target_of(call: Call, folder: str) -> str:
    """The absolute path, or the normal form of the command, of a call; "" for other calls."""
    given = call.input.get("file_path") or call.input.get("notebook_path")
    if isinstance(given, str) and given:
        return absolute(given, folder)
    command = call.input.get("command")
    return bare_command(command) if call.name in SHELL_TOOLS and isinstance(command, str) else ""


def hook_context(record: Record) -> str:
    """The text that a hook or a plugin added to the conversation.

    Claude Code facts: attachments ``hook_additional_context`` and ``plugin_note``.
    """
    body = record.get("attachment")
    if not isinstance(body, dict) or body.get("type") not in ("hook_additional_context", "plugin_note"):
        return ""
    content = body.get("content")
    parts: Iterable[Any] = content if isinstance(content, list) else [content]
    return "\n".join(part for part in parts if isinstance(part, str))


def handed_since(path: Path, offset: int) -> list[str]:
    """Texts that hooks added to the conversation after a byte offset of the transcript."""
    lines = read_lines(
        path,
        start=offset,
        skip=lambda data: b'"hook_additional_context"' not in data and b'"plugin_note"' not in data,
    )
    found = (hook_context(record) for line in lines for record in line.records)
    return [text for text in found if text]


def _preserved(boundary: Record, uuids: dict[str, int]) -> frozenset[int]:
    """Lines that a boundary declares preserved: 2.1.158 and later name them by their ids."""
    data = boundary.get("compactMetadata")
    data = data if isinstance(data, dict) else {}
    messages, segment = data.get("preservedMessages"), data.get("preservedSegment")
    if isinstance(messages, dict) and isinstance(messages.get("uuids"), list):
        return frozenset(uuids[uuid] for uuid in messages["uuids"] if isinstance(uuid, str) and uuid in uuids)
    if isinstance(segment, dict):
        head, tail = uuids.get(str(segment.get("headUuid"))), uuids.get(str(segment.get("tailUuid")))
        if head is not None and tail is not None:
            return frozenset(range(head, tail + 1))
    return frozenset()
