"""The records of an aftermath."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from memtui.transcript.records import CompactionFact, Source
from memtui.transcript.text import Span

Kind = (
    Literal["pin", "active", "rule", "refused", "answer", "step", "task", "failure", "check", "command"]
    | Literal["name", "ask", "finding", "report", "said", "file"]
)

Standing = Literal["open", "refused", "spent", "unknown"]
"""`spent`: a request that was carried out, or a question that was answered."""

State = Literal["kept", "handed over", "lost", "maybe"]
"""`kept` by the summary, or still in the conversation; `handed over` by memtui; `lost` where neither has it;
`maybe` where words cannot tell."""

TITLES: dict[Kind, str] = {
    "pin": "Pins",
    "active": "Rules of active commands",
    "rule": "Rules",
    "refused": "Refused",
    "task": "Open tasks",
    "step": "Steps",
    "answer": "Answers",
    "failure": "Failures",
    "check": "Checks",
    "command": "Commands",
    "name": "Names and numbers",
    "ask": "The user",
    "finding": "Findings",
    "report": "Reports of subagents",
    "said": "Claude",
    "file": "Files changed",
}
"""Kinds in the order in which a list shows them."""

MARKS: dict[State, str] = {"kept": "✓", "handed over": "↺", "lost": "✗", "maybe": "?"}
LESSER = "×"  # the mark of a loss of less weight, which is not counted
TOGETHER = " · "
"""Stands between quotes that are read together."""
QUOTE = 400
"""The most characters of a quote, and of those that are read together."""
PLAN = "plan"
"""`Row.target` of a line of a plan."""
COUNTS = 52.0
"""The least worth of a loss that counts."""
LOST, UNFOUNDED, HANDED = OPEN = "Lost", "Said by the summary alone", "Handed over by memtui"
"""Titles of the groups that are listed at first; all others are folded, or counted."""


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
    """A line that a compaction may lose, and whether it has."""

    kind: Kind
    text: str
    """A quote on one line: a path relative to the project's root, a command, words."""
    source: Source
    standing: Standing = "unknown"
    target: str = ""
    """The path or the command by which a later call shows that it was needed."""
    times: int = 1
    earlier: int = 0
    """The earlier compaction whose summary still had it; 0 if it is quoted from the conversation."""
    at: int | None = None
    """Its place in its message, in characters; -1 if it is not found there, None where its order tells."""
    state: State = "lost"
    evidence: Span | None = None
    """The passage of the summary that keeps it, or is nearest to it."""
    preserved: bool = False
    """Kept because its lines are still in the conversation."""
    asked: bool = False
    """Kept by the summary, and PreCompact had asked for it."""
    need: Need | None = None
    double: bool = False
    """Whether a lost row of more worth says nearly the same."""
    worth: float = 0.0
    """See `memtui.lost.worth`."""
    about: str = ""
    """Claude's sentence before a short reply such as “no, remove this”; "" otherwise."""
    parts: tuple[str, ...] = ()
    """The keys of the lines that are read together in it; empty for a single line."""

    @property
    def quote(self) -> str:
        """Its text, after what it answers."""
        return f"“{self.about}” → {self.text}" if self.about else self.text

    @property
    def key(self) -> str:
        """Identifies the fact within its compaction."""
        return hashlib.sha256(f"{self.kind}\0{self.text}".encode("utf-8", "replace")).hexdigest()[:12]

    @property
    def keys(self) -> tuple[str, ...]:
        """Identify its lines; which of them are read together depends on what the summary has."""
        return self.parts or (self.key,)

    @property
    def is_retold(self) -> bool:
        """Whether Claude or a subagent said it: summaries retell that in words of their own."""
        return self.kind in ("said", "finding", "report")

    @property
    def place(self) -> tuple[int, ...]:
        """Sort key of lists: losses that count, other lines, what Claude said, then requests and files.

        Of what Claude said, lines that are read together come before single ones and reports, newest first.
        """
        if self.counts:
            return (0,)
        if self.is_retold:
            return (2, -self.source.line) if self.parts and self.kind != "report" else (3,)
        return 4 if self.kind in ("ask", "file") else 1, self.state == "maybe"

    @property
    def missing(self) -> bool:
        return self.state in ("lost", "maybe")

    @property
    def counts(self) -> bool:
        """Whether its loss counts in ``✗ 7``; requests do not, as summaries keep those that matter."""
        lost = self.state == "lost" and not self.double and self.kind != "ask"
        return lost and (self.worth >= COUNTS or self.need is not None)

    @property
    def mark(self) -> str:
        return MARKS[self.state] if self.counts or self.state != "lost" else LESSER


@dataclass(frozen=True, slots=True)
class Unfounded:
    """A statement of the summary without a record in the transcript."""

    text: str
    reason: str
    """The reason, as the end of a sentence: ``no record names this file``."""
    evidence: Span

    @property
    def quote(self) -> str:
        """Its text, under the name that it has in a `Row`."""
        return self.text


@dataclass(frozen=True)
class Aftermath:
    """The facts replaced by one compaction, each with its state."""

    session_id: str
    number: int
    """1-based, within its transcript."""
    compaction: CompactionFact
    rows: tuple[Row, ...] = ()
    """Those of most worth first."""
    unfounded: tuple[Unfounded, ...] = ()

    @cached_property
    def missing(self) -> tuple[Row, ...]:
        """Rows that are lost or may be, in the order by which lists number them."""
        return tuple(sorted((row for row in self.rows if row.missing), key=lambda row: row.place))

    @cached_property
    def kept(self) -> tuple[Row, ...]:
        """Rows that the summary kept or memtui handed over."""
        return tuple(row for row in self.rows if not row.missing)

    @cached_property
    def counted_losses(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.counts)

    @cached_property
    def groups(self) -> dict[str, tuple[Row | Unfounded, ...]]:
        """All that is listed, by the title above it."""
        missing, kept = self.missing, self.kept
        maybe = [row for row in missing if row.state == "maybe"]
        found: dict[str, Iterable[Row | Unfounded]] = {
            LOST: self.counted_losses,
            UNFOUNDED: self.unfounded,
            "Lost, of less weight": (row for row in missing if row.state == "lost" and not row.counts),
            "Maybe: the summary has some of it": (row for row in maybe if not row.is_retold),
            "Maybe: what Claude and its subagents said": (row for row in maybe if row.is_retold),
            HANDED: (row for row in kept if row.state == "handed over"),
        }
        for kind, title in TITLES.items():
            found[f"Kept: {title}"] = [row for row in kept if row.state == "kept" and row.kind == kind]
        return {title: group for title, rows in found.items() if (group := tuple(rows))}

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """How many are lost, lost but of less weight, maybe kept, and kept."""
        heavy, maybe = len(self.counted_losses), sum(row.state == "maybe" for row in self.missing)
        return heavy, len(self.missing) - heavy - maybe, maybe, len(self.kept)

    @property
    def counts(self) -> str:
        """``7 lost, 12 of less weight, 3 maybe, 31 kept``."""
        parts = zip(self.numbers, ("lost", "of less weight", "maybe", "kept"), strict=True)
        return ", ".join(f"{number} {name}" for number, name in parts if number)
