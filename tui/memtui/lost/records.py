"""The records of an aftermath."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from memtui.lost.naming import Span
from memtui.transcript.records import CompactionFact, Source

State = Literal["kept", "handed over", "lost", "not named"]
"""`kept` by the summary, or still in the conversation; `handed over` by memtui; `lost`: a file or command
that neither names; `not named`: a text that is not there in its own words, though it may be paraphrased."""

Kind = Literal[
    "pin", "rule", "task", "step", "ask", "answer", "closing", "check", "command", "error", "file", "read"
]

TITLES: dict[Kind, str] = {
    "pin": "Pins",
    "rule": "Rules of active commands",
    "task": "Open tasks",
    "step": "Open steps of the plan",
    "ask": "The user",
    "answer": "Answers",
    "closing": "Claude, at the end of each turn",
    "check": "Checks",
    "command": "Commands needed again",
    "error": "Failures",
    "file": "Files changed",
    "read": "Files read",
}
"""Kinds in the order in which a list shows them."""

_KINDS = list(TITLES)
_HEAVY = frozenset({"pin", "rule", "task", "step", "ask", "answer"})


class Need(NamedTuple):
    """When a file or a command came back after the compaction."""

    calls: int
    """Tool calls after it, the one that needed it included."""
    turns: int
    """Messages of the user in between; 0 when Claude just went on."""

    @property
    def label(self) -> str:
        """``needed again 3 turns later``."""
        number, unit = (self.turns, "turn") if self.turns else (self.calls, "call")
        return f"needed again {number} {unit}{'' if number == 1 else 's'} later"


@dataclass(frozen=True, slots=True)
class Row:
    """A fact and its state."""

    kind: Kind
    text: str
    """One line: a path relative to the project's root, a command, words."""
    source: Source
    state: State
    evidence: Span | None = None
    """The summary's words that keep it."""
    preserved: bool = False
    """Kept because its lines are still in the conversation."""
    need: Need | None = None
    by_hand: bool = False
    """Kept because the user marked it: the summary has it in other words."""

    @property
    def key(self) -> str:
        """Identifies the fact within its compaction."""
        return hashlib.sha256(f"{self.kind}\0{self.text}".encode("utf-8", "replace")).hexdigest()[:12]

    @property
    def missing(self) -> bool:
        """Whether it is in neither the summary nor a hand-over."""
        return self.state in ("lost", "not named")

    @property
    def counts(self) -> bool:
        """Whether its loss counts in ``✗ 7``: pins, rules, open work, the user's words, recurring facts."""
        return self.missing and (self.kind in _HEAVY or self.need is not None)

    @property
    def order(self) -> tuple[int, int, int]:
        """Worst first: pinned, needed again, rules, open work, the user's words, then the newest."""
        weight = 0 if self.kind == "pin" else 1 if self.need is not None else 2
        return weight, _KINDS.index(self.kind) if self.kind in _HEAVY else len(_KINDS), -self.source.line


@dataclass(frozen=True, slots=True)
class Unfounded:
    """A statement of the summary without a record in the transcript."""

    text: str
    reason: str
    """The reason, as the end of a sentence: ``no record names this file``."""
    evidence: Span


@dataclass(frozen=True)
class Aftermath:
    """The facts replaced by one compaction, each with its state."""

    session_id: str
    number: int
    """1-based, within its transcript."""
    compaction: CompactionFact
    rows: tuple[Row, ...] = ()
    """Worst first."""
    unfounded: tuple[Unfounded, ...] = ()
    handed_over: str = ""
    """The text handed over by memtui before the next compaction."""

    @cached_property
    def missing(self) -> tuple[Row, ...]:
        """Rows that are lost or not named."""
        return tuple(row for row in self.rows if row.missing)

    @cached_property
    def kept(self) -> tuple[Row, ...]:
        """Rows that the summary kept or memtui handed over."""
        return tuple(row for row in self.rows if not row.missing)

    @cached_property
    def counted_losses(self) -> tuple[Row, ...]:
        """Losses that count."""
        return tuple(row for row in self.rows if row.counts)
