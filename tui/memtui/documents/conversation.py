"""The messages of a conversation, labelled as seed 003 shows them to a model, with lines: [USER L12]."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from pathlib import Path

from memtui.ground.clock import parse_iso
from memtui.secrets.secrets import masked, masked_in
from memtui.transcript.actions import target_of
from memtui.transcript.events import Boundary, Call, Said, Words, events
from memtui.transcript.lines import Record, read_lines

_ONE = 4_000
"""Maximum length of one message in characters."""
_CALL = 200
_USERS = ("typed", "command", "plan", "comment")


def conversation(path: Path, limit: int, *, until: datetime | None = None) -> str:
    """The conversation, oldest first: the first message, then as much of the end as fits.

    Args:
        path: a Claude Code transcript.
        limit: maximum total length in characters.
        until: stop before the first compaction at or after this time.

    Raises:
        OSError: the transcript cannot be read.
    """
    first, kept, size = "", deque[str](), 0
    for line in read_lines(path):
        for record in line.records:
            for message in _messages(record, line.number, until):
                if message is None:
                    return _joined(first, kept)
                first = first or message
                kept.append(message)
                size += len(message) + 1
        while size > limit - len(first) and kept:
            size -= len(kept.popleft()) + 1
    return _joined(first, kept)


def _joined(first: str, kept: deque[str]) -> str:
    whole = not kept or kept[0] == first
    return "\n".join(kept if whole else [first, "[...]", *kept])


def _messages(record: Record, number: int, until: datetime | None) -> list[str | None]:
    """The messages of a record; None marks the end."""
    found: list[str | None] = []
    for event in events(record):
        if isinstance(event, Boundary) and until is not None:
            moment = parse_iso(str(record.get("timestamp", "")))
            if moment is not None and moment >= until:
                return [*found, None]
        elif isinstance(event, Said) and not event.agent and event.text.strip():
            found.append(f"[CLAUDE L{number}] {_cut(masked(event.text))}")
        elif isinstance(event, Words) and event.kind in _USERS and event.text.strip():
            found.append(f"[USER L{number}] {_cut(masked(event.text))}")
        elif isinstance(event, Call) and not event.agent:
            found.append(f"[CLAUDE L{number}] ({event.name} {target_of(masked_in(event))[:_CALL]})")
    return found


def _cut(text: str) -> str:
    text = text.strip()
    half = _ONE // 2
    return text if len(text) <= _ONE else f"{text[:half]}\n[...]\n{text[-half:]}"
