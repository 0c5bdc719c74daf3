"""Receipts: whether what memtui handed over has arrived, by Claude Code's own transcript.

Claude Code fact: what a hook adds to the conversation is recorded as ``hook_additional_context``, the raw
output beside it as ``hook_success``, what went wrong as ``hook_cancelled``, ``hook_non_blocking_error`` and
others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from memtui.aftermath.marks import MARK, found_in
from memtui.aftermath.traces import hook_context
from memtui.clock import local, parse_iso
from memtui.safety.private import without_private

Arrival = Literal["whole", "cut", "missing", "unknown"]

_HANDED = re.compile(r"(\d[\d,]*) characters of context, memtui:([0-9a-f]{8})")
_ANSWER = re.compile(rb'"type": ?"assistant"')
_WITHIN = timedelta(minutes=5)
"""Between a hook's run and its record in the transcript."""
_BEFORE = timedelta(seconds=30)
_OPENINGS = ("Notes on the project ", "## Pinned by the user")
"""The beginnings of memtui's texts, by which one that lost its mark is recognised."""
_EVENTS = {"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class Handed:
    """A hand-over by a hook, as the hook log has it."""

    at: str
    event: str
    """As on the command line: `session-start` or `user-prompt-submit`."""
    session_id: str
    detail: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The arrival of a hand-over."""

    at: datetime
    """When it was handed over; of a compaction at which nothing was, when that happened."""
    session_id: str
    event: str
    """`session-start` or `user-prompt-submit`."""
    arrival: Arrival
    what: str = ""
    """The hook's description: ``handed over a rescue of 2 rows``."""
    mark: str = ""
    characters: int = 0
    reason: str = ""
    """Why it is not whole."""
    line: int = 0
    """The transcript's line that has it."""
    arrived: int = 0
    """Characters that arrived, where it was cut."""

    @property
    def label(self) -> str:
        """``received 09:53, whole``; ``cut at 9,000``; ``not received: ...``."""
        if self.arrival == "whole":
            return f"received {local(self.at):%H:%M}, whole"
        if self.arrival == "cut" and self.arrived:
            return f"cut at {self.arrived:,}"
        words = {"cut": "cut", "missing": "not received", "unknown": "unknown"}
        return f"{words[self.arrival]}{f': {self.reason}' if self.reason else ''}"


@dataclass(frozen=True, slots=True)
class _Note:
    """A record on a hook, or a boundary, of a transcript."""

    at: datetime
    kind: str
    event: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Notes:
    """A transcript's records on hooks."""

    hooks: tuple[_Note, ...]
    compactions: tuple[datetime, ...]
    answered: bool = False
    """The model has said something."""


def read_notes(transcript: Path, start: int = 0, first: int = 1) -> Notes:
    """A transcript's records on hooks and compactions; only such lines are parsed.

    Args:
        transcript: the session's.
        start: the byte at which to begin, which is that of a line.
        first: the number of that line.

    Raises:
        OSError: it cannot be read.
    """
    hooks, compactions, answered = [], [], False
    with transcript.open("rb") as lines:
        lines.seek(start)
        for number, line in enumerate(lines, first):
            if b'"hook_' not in line and b'"compact_boundary"' not in line:
                answered = answered or _ANSWER.search(line) is not None
                continue
            record = _record(line)
            moment = parse_iso(str(record.get("timestamp", "")))
            if moment is None:
                continue
            if record.get("subtype") == "compact_boundary":
                compactions.append(moment)
            elif isinstance(body := record.get("attachment"), dict):
                text = hook_context(record) or str(body.get("stdout") or body.get("stderr") or "")
                event = str(body.get("hookEvent", ""))
                hooks.append(_Note(moment, str(body.get("type", "")), event, text, number))
    return Notes(tuple(hooks), tuple(compactions), answered)


def receipts(handed: Iterable[Handed], notes: Notes | None) -> list[Receipt]:
    """The receipts of one session's hand-overs that carry a mark.

    Args:
        handed: its hand-overs.
        notes: what its transcript says; None when it cannot be read.
    """
    found = (_receipt(each, notes) for each in handed)
    return [receipt for receipt in found if receipt is not None]


def without_hook(
    session_id: str, notes: Notes, runs: Sequence[datetime], since: datetime, why: str
) -> Iterator[Receipt]:
    """A receipt for each compaction at which no SessionStart hook of memtui ran.

    Args:
        session_id: the session.
        notes: what its transcript says.
        runs: when its SessionStart hooks ran.
        since: compactions before this time do not count.
        why: the likely reason.
    """
    for moment in notes.compactions:
        if moment >= since and not any(abs(run - moment) <= _WITHIN for run in runs):
            yield Receipt(moment, session_id, "session-start", "missing", reason=why)


def is_marked(detail: str) -> bool:
    """Whether a hook's line in the log tells of a hand-over with a mark."""
    return _HANDED.search(detail) is not None


def _receipt(handed: Handed, notes: Notes | None) -> Receipt | None:
    found, moment = _HANDED.search(handed.detail), parse_iso(handed.at)
    if found is None or moment is None:
        return None
    what = "; ".join(part for part in handed.detail.split("; ") if part.startswith("handed over"))
    size = int(found[1].replace(",", ""))
    handed_over = Receipt(moment, handed.session_id, handed.event, "unknown", what, found[2], size)
    return _arrived(handed_over, notes)


def _arrived(receipt: Receipt, notes: Notes | None) -> Receipt:
    """The receipt with what the transcript says of its hand-over."""
    event, mark, moment = receipt.event, receipt.mark, receipt.at
    if notes is None:
        return replace(receipt, reason="the transcript cannot be read any more")
    for note in notes.hooks:
        found = found_in(note.text) if note.kind == "hook_additional_context" else None
        if found is not None and found.mark == mark:
            if found.whole:
                return replace(receipt, arrival="whole", line=note.line)
            return replace(receipt, arrival="cut", reason="its beginning is missing", line=note.line)
    near = [note for note in notes.hooks if note.event == _EVENTS.get(event) and _is_near(note.at, moment)]
    for note in near:
        if note.kind == "hook_additional_context" and note.text.startswith(_OPENINGS) and not _marked(note):
            return replace(receipt, arrival="cut", arrived=len(note.text), line=note.line)
    return replace(receipt, arrival="missing", reason=_reason(mark, near))


def _reason(mark: str, near: Sequence[_Note]) -> str:
    for note in near:
        if note.kind == "hook_cancelled":
            return "Claude Code ended the hook: time-out"
        if "error" in note.kind:
            first = without_private(note.text).strip().partition("\n")[0][:120]
            return f"Claude Code reports an error of the hook{f': {first}' if first else ''}"
        if note.kind == "hook_success" and f"memtui:{mark}" in note.text:
            return "Claude Code ran the hook and did not take its output: validation error"
    return "the hook ran, and the transcript has nothing of it"


def _is_near(at: datetime, moment: datetime) -> bool:
    return -_BEFORE <= at - moment <= _WITHIN


def _marked(note: _Note) -> bool:
    return MARK.search(note.text) is not None


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
