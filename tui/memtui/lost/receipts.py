"""Receipts: whether hand-overs have arrived, according to Claude Code's own transcript.

Claude Code fact: text that a hook adds to the conversation is recorded as ``hook_additional_context``, its
raw output as ``hook_success``, failures as ``hook_cancelled``, ``hook_non_blocking_error`` and others; a text
that a plugin's mod hands over as ``plugin_note``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from memtui.ground.clock import parse_iso, to_local
from memtui.lost.handover_marks import MARK, is_whole, mark_of
from memtui.lost.traces import hook_context
from memtui.transcript.lines import read_lines

Arrival = Literal["whole", "cut", "missing", "unknown"]

_ANSWER = re.compile(rb'"type": ?"assistant"')
_RECORDS = (b'"hook_', b'"plugin_note"', b'"compact_boundary"')
_ADDED = ("hook_additional_context", "plugin_note")
WITHIN = timedelta(minutes=5)
"""Maximum time between a hook's run and its record in the transcript."""
_OPENINGS = ("Notes on the project ", "## Pinned by the user")
"""The beginnings of memtui's texts, which identify one that lost its mark."""
_EVENTS = {"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class Receipt:
    """The arrival of a hand-over."""

    at: datetime
    """Time of the hand-over, or of a compaction without one."""
    session_id: str
    event: str
    """As on the command line: `session-start` or `user-prompt-submit`; `mod` for the plugin's mod."""
    arrival: Arrival
    what: str = ""
    """The hook's description: ``handed over 2 chosen lines``."""
    mark: str = ""
    characters: int = 0
    reason: str = ""
    """Why it did not arrive whole."""
    line: int = 0
    """The transcript's line with the text."""
    arrived: int = 0
    """Number of characters that arrived, if it was cut."""

    @property
    def label(self) -> str:
        """``received 09:53, whole``; ``cut at 9,000``; ``not received: ...``."""
        if self.arrival == "whole":
            return f"received {to_local(self.at):%H:%M}, whole"
        if self.arrival == "cut" and self.arrived:
            return f"cut at {self.arrived:,}"
        words = {"cut": "cut", "missing": "not received", "unknown": "unknown"}
        return f"{words[self.arrival]}{f': {self.reason}' if self.reason else ''}"


@dataclass(frozen=True, slots=True)
class _Note:
    """A transcript's record of a hook, or of a boundary."""

    at: datetime
    kind: str
    event: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Notes:
    """A transcript's records of hooks."""

    hooks: tuple[_Note, ...]
    compactions: tuple[datetime, ...]
    answered: bool = False
    """Whether the model has answered since."""


def read_notes(transcript: Path, start: int = 0, first: int = 1) -> Notes:
    """A transcript's records of hooks and compactions; only such lines are parsed.

    `start` is the byte offset of the first line to read, `first` its number.
    """
    hooks, compactions, answered = [], [], False

    def is_other(line: bytes) -> bool:
        nonlocal answered
        if any(kind in line for kind in _RECORDS):
            return False
        answered = answered or _ANSWER.search(line) is not None
        return True

    for line in read_lines(transcript, start=start, first=first, skip=is_other):
        for record in line.records:
            moment = parse_iso(str(record.get("timestamp", "")))
            if moment is None:
                continue
            if record.get("subtype") == "compact_boundary":
                compactions.append(moment)
            elif isinstance(body := record.get("attachment"), dict):
                text = hook_context(record) or str(body.get("stdout") or body.get("stderr") or "")
                event = str(body.get("hookEvent", ""))
                hooks.append(_Note(moment, str(body.get("type", "")), event, text, line.number))
    return Notes(tuple(hooks), tuple(compactions), answered)


def arrived(receipt: Receipt, notes: Notes | None) -> Receipt:
    """The receipt, completed from the transcript; without `notes` that cannot be read."""
    event, mark, moment = receipt.event, receipt.mark, receipt.at
    if notes is None:
        return replace(receipt, reason="the transcript cannot be read any more")
    for note in notes.hooks:
        if note.kind in _ADDED and mark_of(note.text) == mark:
            if is_whole(note.text):
                return replace(receipt, arrival="whole", line=note.line)
            return replace(receipt, arrival="cut", reason="its beginning is missing", line=note.line)
    of_event = (note for note in notes.hooks if note.event == _EVENTS.get(event))
    near = [note for note in of_event if -timedelta(seconds=30) <= note.at - moment <= WITHIN]
    for note in near:
        opens = note.kind == "hook_additional_context" and note.text.startswith(_OPENINGS)
        if opens and not MARK.search(note.text):
            return replace(receipt, arrival="cut", arrived=len(note.text), line=note.line)
    return replace(receipt, arrival="missing", reason=_reason(mark, near))


def _reason(mark: str, near: Sequence[_Note]) -> str:
    for note in near:
        if note.kind == "hook_cancelled":
            return "Claude Code ended the hook: time-out"
        if "error" in note.kind:
            first = note.text.strip().partition("\n")[0][:120]
            return f"Claude Code reports an error of the hook{f': {first}' if first else ''}"
        if note.kind == "hook_success" and f"memtui:{mark}" in note.text:
            return "Claude Code ran the hook and did not take its output: validation error"
    return "it was handed over, and the transcript has nothing of it"
