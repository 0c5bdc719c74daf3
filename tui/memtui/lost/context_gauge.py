"""The fill level of a session's context, the turns left, and problems around compactions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from statistics import quantiles
from typing import NamedTuple

from memtui.ground.clock import parse_iso
from memtui.lost.traces import Trace
from memtui.transcript.plans import OPEN
from memtui.transcript.records import CompactionFact, ContextSize, Facts, Todo
from memtui.transcript.short_text import key_of

PACE = 10
"""Number of turns used to measure the pace."""

_WINDOW, _LARGE_WINDOW = 200_000, 1_000_000
"""Tokens of the models' windows (Claude Code fact: ``[1m]`` in a model's name chooses the large one)."""
_QUARTERED = 4
"""Number of compactions from which their middle half counts; of fewer, all."""
_LOOP, _LOOP_TIME = 3, timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Gauge:
    """The context of a session."""

    tokens: int = 0
    """Of the last request; 0 if none is on record."""
    limit: int = 0
    """Size from which it may be compacted, in tokens; 0 if unknown."""
    most: int = 0
    """Upper end of that range."""
    turns: int | None = None
    """Turns left, at the recent pace; None if unknown."""

    @property
    def percent(self) -> int:
        """The fill level in percent of the lower end, 100 at the most; 0 if unknown."""
        return min(100, round(100 * self.tokens / self.limit)) if self.limit else 0


class Limit(NamedTuple):
    """The range of sizes at which a session is compacted, in tokens; zeros if unknown."""

    low: int = 0
    high: int = 0


def measure(sizes: Sequence[ContextSize], turns: Sequence[str], limit: Limit) -> Gauge:
    """The gauge of a session, by its context sizes and the start times (ISO 8601) of its last turns."""
    known = [size for size in sizes if size.tokens]
    if not known:
        return Gauge(0, *limit)
    tokens = known[-1].tokens
    if tokens > limit.high:
        return Gauge(tokens)
    times = [size.timestamp for size in known]
    ends = [known[at - 1].tokens for each in turns if (at := bisect_left(times, each))]
    grown = [after - before for before, after in pairwise([*ends, tokens]) if after > before][-PACE:]
    pace = sum(grown) / len(grown) if grown else 0
    return Gauge(tokens, *limit, int(max(0, limit.low - tokens) / pace) if pace else None)


def learned_limit(compactions: Sequence[CompactionFact]) -> int:
    """The largest context that was compacted automatically, in tokens; 0 if none was.

    A compaction requested by the user says nothing about the limit.
    """
    return max((each.pre_tokens or 0 for each in compactions if each.trigger == "auto"), default=0)


def limit_of(
    compactions: Sequence[CompactionFact], others: Iterable[int], models: Sequence[str], window: int = 0
) -> Limit:
    """The context sizes at which a session is compacted: the middle half of those on record.

    Sizes differ by tens of thousands of tokens, and most compactions come before the largest one. The
    session's own automatic ones count, as they are of its model; without any, those of `others`, the
    project's sessions; then the window of the last of its models, as Claude Code has measured it (`window`, 0
    if it has not).
    """
    own = [each.pre_tokens for each in compactions if each.trigger == "auto" and each.pre_tokens]
    sizes = sorted(own or filter(None, others))
    if len(sizes) >= _QUARTERED:
        low, _, high = quantiles(sizes, n=4, method="inclusive")
        return Limit(round(low), round(high))
    if sizes:
        return Limit(sizes[0], sizes[-1])
    if window:
        return Limit(window, window)
    model = models[-1] if models else ""
    window = _LARGE_WINDOW if "[1m]" in model else _WINDOW
    return Limit(window, window) if model.startswith("claude") else Limit()


def may_loop(compactions: Sequence[CompactionFact]) -> bool:
    """Whether the last three compactions came within ten minutes."""
    moments = [parse_iso(each.source.timestamp) for each in compactions[-_LOOP:]]
    known = [moment for moment in moments if moment is not None]
    return len(known) == _LOOP and known[-1] - known[0] <= _LOOP_TIME


def is_looping(traces: Sequence[Trace]) -> bool:
    """Whether the last three compactions came within ten minutes, without a file change in between."""
    last = traces[-_LOOP:]
    return may_loop([each.compaction for each in last]) and not any(each.changed for each in last[1:])


def finished_tasks(facts: Facts) -> frozenset[str]:
    done = (todo for todo in (*facts.todos, *facts.past_todos) if todo.status == "completed")
    return frozenset(key_of(todo.content) for todo in done)


def reopened_tasks(done: frozenset[str], todos: Iterable[Todo], line: int) -> list[str]:
    """Tasks that were finished (`done`) before a compaction and are open again.

    Items older than the compaction's line did not return.
    """
    return [
        todo.content
        for todo in todos
        if todo.status in OPEN and todo.source.line > line and key_of(todo.content) in done
    ]
