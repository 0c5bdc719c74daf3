"""Content of a session before and after each compaction, read from the raw records.

Ground truth of `aftermath.py`. It shares no code with memtui, so everything memtui misses counts as lost.
Only records with a plain meaning count: tool calls with a result that is no error, lists of tasks as the task
tools left them, and texts that the user typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NEEDED_WITHIN = 50
"""Calls after a compaction in which a file or a command counts as needed again."""

_EDITS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}
_NOT_TYPED = re.compile(
    r"<[a-z][a-z0-9_-]*[ >]|\[Request interrupted|Caveat: |Stop hook feedback:"
    r"|This session is being continued|Base directory for this skill:|\[Image|Another Claude session"
    r"|Implement the following plan:|Operation stopped by hook"
)
_REMINDERS = re.compile(r"<(system-reminder|ide_\w+)>.*?</\1>", re.DOTALL)
_LISTED = re.compile(r"#(\S+) \[(\w+)\]")
_REFUSED = "the user said:\n"
_FRAME = re.compile(r"^cd \S+ *(?:&&|;) *|\s+2>&1|\s*\|\s*(?:head|tail)\b[^|]*$")


@dataclass(slots=True)
class Session:
    """State of a session after some of its records."""

    root: str = ""
    modified: dict[str, None] = field(default_factory=dict)
    read: dict[str, None] = field(default_factory=dict)
    commands: dict[str, None] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    tasks: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Text and status by id."""
    spoken: list[str] = field(default_factory=list)
    """Messages of both sides and commands, in order."""

    @property
    def open_tasks(self) -> list[str]:
        """Texts of tasks that are neither completed nor deleted."""
        return [text for text, status in self.tasks.values() if status not in ("completed", "deleted")]


@dataclass(frozen=True, slots=True)
class Compacted:
    """One compaction of a transcript."""

    offset: int
    """Bytes before the boundary."""
    summary: str
    before: Session
    needed: frozenset[str]
    """Paths and commands of the next `NEEDED_WITHIN` calls."""


def compactions(transcript: Path) -> list[Compacted]:
    """Every compaction with a summary, in order."""
    records = list(_records(transcript))
    found = []
    for index, (offset, record) in enumerate(records):
        if record.get("subtype") != "compact_boundary" or record.get("isSidechain"):
            continue
        summary = next((_text(r) for _, r in records[index + 1 : index + 6] if r.get("isCompactSummary")), "")
        if summary:
            before = session_of(record for _, record in records[:index])
            after = (record for _, record in records[index + 1 :])
            found.append(Compacted(offset, summary, before, frozenset(_calls(after))))
    return found


def session_of(records: Iterator[dict[str, Any]]) -> Session:
    """Replay records."""
    session, calls = Session(), dict[str, dict[str, Any]]()
    for record in records:
        if record.get("isSidechain") is True:
            continue
        session.root = session.root or record.get("cwd") or ""
        for block in _blocks(record):
            if block.get("type") == "text" and record.get("type") == "assistant":
                session.spoken.append(str(block.get("text")))
            elif block.get("type") == "tool_use":
                calls[block.get("id", "")] = block
            elif block.get("type") == "tool_result":
                call = calls.get(block.get("tool_use_id", ""))
                if call is not None:
                    _ended(session, call, block, record.get("toolUseResult"))
        if text := typed(record):
            session.messages.append(text)
            session.spoken.append(text)
    for path in session.modified:
        session.read.pop(path, None)
    return session


def typed(record: dict[str, Any]) -> str:
    """Text typed by the user: a message, a queued message, or the reason for a rejection."""
    attachment = record.get("attachment")
    if isinstance(attachment, dict) and attachment.get("type") == "queued_command":
        if attachment.get("commandMode", "prompt") != "prompt" or attachment.get("isMeta"):
            return ""
        return _plain(_joined(attachment.get("prompt")))
    if record.get("type") != "user" or record.get("isMeta") or record.get("isCompactSummary"):
        return ""
    if (record.get("origin") or {"kind": "human"}).get("kind") not in (None, "human"):
        return ""
    content = record.get("message", {}).get("content")
    if isinstance(content, list) and any(
        b.get("type") == "tool_result" for b in content if isinstance(b, dict)
    ):
        return _joined(content[0].get("content")).partition(_REFUSED)[2].partition("\n\nNote:")[0].strip()
    return _plain(_joined(content))


def command_of(call: dict[str, Any]) -> str:
    """A shell command without a leading ``cd`` and trailing filters."""
    text = call.get("input", {}).get("command")
    return " ".join(_FRAME.sub("", text).split()) if isinstance(text, str) else ""


def _plain(text: str) -> str:
    text = _REMINDERS.sub("", text).strip()
    return "" if _NOT_TYPED.match(text) else text


def _ended(session: Session, call: dict[str, Any], result: dict[str, Any], note: Any) -> None:
    name, given = call.get("name"), call.get("input") or {}
    if name == "Bash" and (command := command_of(call)):
        session.commands[command] = None
        session.spoken.append(command)
    if result.get("is_error"):
        return
    path = given.get("file_path") or given.get("notebook_path")
    if name in _EDITS and path:
        session.modified[path] = None
    elif name == "Read" and path:
        session.read[path] = None
    else:
        _tasks(session.tasks, name, given, result, note)


def _tasks(
    tasks: dict[str, tuple[str, str]], name: Any, given: dict[str, Any], result: dict[str, Any], note: Any
) -> None:
    if name == "TodoWrite" and isinstance(given.get("todos"), list):
        tasks.clear()
        for number, todo in enumerate(given["todos"]):
            if isinstance(todo, dict):
                tasks[str(number)] = (str(todo.get("content", "")), str(todo.get("status", "")))
    elif name == "TaskCreate":
        made = note.get("task", {}).get("id") if isinstance(note, dict) else None
        if made is not None:
            tasks[str(made)] = (str(given.get("subject", "")), "pending")
    elif name == "TaskList":  # subagents work on the same list
        for number, status in _LISTED.findall(_joined(result.get("content"))):
            if number in tasks:
                tasks[number] = (tasks[number][0], status)
    elif name == "TaskUpdate" and str(given.get("taskId")) in tasks:
        text, status = tasks[str(given["taskId"])]
        tasks[str(given["taskId"])] = (given.get("subject") or text, given.get("status") or status)


def _calls(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Paths and commands of the next calls."""
    number = 0
    for record in records:
        if record.get("isSidechain") is True:
            continue
        for block in _blocks(record):
            if block.get("type") == "tool_use":
                number += 1
                given = block.get("input") or {}
                yield given.get("file_path") or command_of(block)
                if number == NEEDED_WITHIN:
                    return


def _records(transcript: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    offset = 0
    for line in transcript.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict):
            yield offset, record
        offset += len(line) + 1


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(record: dict[str, Any]) -> str:
    return _joined(record.get("message", {}).get("content"))


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str))
