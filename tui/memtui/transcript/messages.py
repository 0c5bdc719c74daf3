"""The messages of a transcript as searchable texts: what was asked and said, tool inputs, heads of results.

Any line can be read by itself, so that a search index needs only its offset. Private parts are left out,
secrets masked.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from string import ascii_letters, digits
from typing import Any, BinaryIO, NamedTuple

from memtui.secrets.secrets import masked, masked_in
from memtui.transcript import events
from memtui.transcript.events import Call, Event, Queue, Queued, Result, Said, Title, Words, events_of, is_ask
from memtui.transcript.lines import branch_of, is_bookkeeping, read_lines, time_of
from memtui.transcript.shell import BOOKKEEPING, EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS
from memtui.transcript.words import CAVEATS, queued_words

SPOKEN = 20_000
INPUT = 4_000
RESULT = 2_000  # maximum length of a text, by what it is, in characters
_AHEAD = 500  # characters behind such a text that tell whether a secret begins at its end
_OF_SECRETS = (
    f"{ascii_letters}{digits}+/=_.-"  # of those longer than that: one that is cut through is left out
)
_CALL, _TEXT, _RESULT = b'"type":"tool_use"', b'"type":"text"', b'"type":"tool_result"'
_THINKING = b'"content":[{"type":"thinking"'
_HEAD = 2_000  # the bytes of a line in which a message's content begins


class Role(IntEnum):
    """What a message is."""

    ASK = 0
    SAID = 1
    COMMAND = 2
    EDIT = 3
    READ = 4
    CALL = 5
    RESULT = 6
    ERROR = 7
    TITLE = 8  # what the session is called, by Claude Code or the person
    DOCUMENT = 9  # the text of a document
    SUMMARY = 10  # what a compaction put in place of the conversation
    INSERTED = 11  # the text of a skill or command


class Message(NamedTuple):
    """One searchable text of a transcript."""

    role: Role
    text: str
    path: str = ""
    offset: int = 0
    line: int = 0  # 1-based
    timestamp: str = ""  # ISO 8601 as written; "" when the line has none


class Reading(NamedTuple):
    """A line and its messages."""

    messages: list[Message]
    end: int
    next_number: int  # where reading continues when the transcript has grown
    branch: str = ""


def read_messages(
    path: Path | BinaryIO, start: int = 0, first: int = 1, *, agent: bool = False, few: bool = False
) -> Iterator[Reading]:
    """The lines of a transcript, or a stream of it, with their messages, from line `first` at `start` on.

    In a subagent's own (`agent`) its task counts as an ask; see `read_lines` for `few`.
    """
    queued = ""
    for line in read_lines(path, start=start, first=first, skip=_is_idle, few=few):
        messages: list[Message] = []
        branch = ""
        for record in line.records:
            branch = branch_of(record) or branch
            if agent:
                record.pop("isSidechain", None)
            stamp = time_of(record)
            for event in events_of(record):
                for role, text, name in _texts(event):
                    if role is Role.ASK and text == queued:  # typed in mid-turn, and given to Claude later
                        continue
                    queued = text if isinstance(event, Queue) else queued
                    messages.append(Message(role, text, name, line.offset, line.number, stamp))
        yield Reading(messages, line.end, line.next_number, branch)


def _is_idle(line: bytes) -> bool:
    """Whether a line holds only bookkeeping or thinking."""
    if line.find(_THINKING, 0, _HEAD) < 0:
        return is_bookkeeping(line)
    return not (_CALL in line or _TEXT in line or _RESULT in line)


def _texts(event: Event) -> Iterator[tuple[Role, str, str]]:
    if isinstance(event, Said):
        yield from _text(Role.SAID, event.text, SPOKEN)
    elif isinstance(event, Call):
        yield from _call(event)
    elif isinstance(event, Result):
        if not event.failed:
            yield from _text(Role.RESULT, event.text, RESULT)
            return
        words = events.said_with_rejection(event)
        yield from _text(Role.ASK, words, SPOKEN) if words else _text(Role.ERROR, event.text, RESULT)
    elif isinstance(event, (Words, Queued)) and is_ask(event):
        yield from _text(Role.ASK, event.text, SPOKEN)
    elif isinstance(event, Words) and event.kind == "shell":
        yield from _text(Role.COMMAND, event.text, INPUT, event.text)
    elif isinstance(event, events.Summary | events.Expansion) and not event.text.startswith(CAVEATS):
        role = Role.SUMMARY if isinstance(event, events.Summary) else Role.INSERTED
        yield from _text(role, event.text, SPOKEN)
    elif isinstance(event, Title):
        yield from _text(Role.TITLE, event.text, INPUT)
    elif isinstance(event, Queue) and event.operation == "enqueue":
        yield from _text(Role.ASK, queued_words(event.text), SPOKEN)


def _call(call: Call) -> Iterator[tuple[Role, str, str]]:
    given = call.input
    path = given.get("file_path") or given.get("notebook_path")
    if call.name in SHELL_TOOLS:
        command = given.get("command")
        yield from _text(Role.COMMAND, _joined(given.get("description"), command), INPUT, command)
    elif call.name in EDIT_TOOLS:
        edits = several if isinstance(several := given.get("edits"), list) else [given]
        changes = (_changed(each) for each in edits if isinstance(each, dict))
        written = (given.get("content"), given.get("new_source"))
        yield from _text(Role.EDIT, _joined(path, *written, *changes), INPUT, path)
    elif call.name in READ_TOOLS:
        yield from _text(Role.READ, path, INPUT, path)
    elif call.name not in BOOKKEEPING:
        yield from _text(Role.CALL, _joined(call.name, *masked_in(given).values()), INPUT)


def _changed(edit: dict[str, Any]) -> list[str]:
    """The lines that went, after ``- ``, and those that came, after ``+ ``, without those that stay."""
    texts = (edit.get("old_string"), edit.get("new_string"))
    old, new = (text.split("\n") if isinstance(text, str) else [] for text in texts)
    gone, come = (sorted(set(a) - set(b), key=a.index) for a, b in ((old, new), (new, old)))
    return [*(f"- {line}" for line in gone), *(f"+ {line}" for line in come)]


def _text(role: Role, text: Any, most: int, path: Any = "") -> Iterator[tuple[Role, str, str]]:
    if isinstance(text, str) and text.strip():
        cut = _cut(text, most)
        if path and isinstance(path, str):
            path = path if cut == text else _cut(path, most)  # it is in the text, where nothing was masked
        yield role, cut, path if isinstance(path, str) else ""


def _cut(text: str, most: int) -> str:
    """The beginning of a text, masked; a secret at its end is masked before it is cut, or left out."""
    some = masked(text[: most + _AHEAD])
    if len(text) > most + _AHEAD:
        return some[:-_AHEAD][:most].rstrip(_OF_SECRETS)
    return some[:most]


def _joined(*values: Any) -> str:
    """All texts in JSON values, a line each."""
    parts: list[str] = []
    for value in values:
        if isinstance(value, str):
            parts.append(value)
        elif isinstance(value, dict):
            parts.append(_joined(*value.values()))
        elif isinstance(value, list):
            parts.append(_joined(*value))
    return "\n".join(parts)
