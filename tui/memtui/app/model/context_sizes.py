"""The context sizes of sessions for the chart, read incrementally."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memtui.transcript.checkpoint import Checkpoint
from memtui.transcript.facts import read_on
from memtui.transcript.records import CompactionFact, ContextSize, Todo

_KEPT = 8
_TURNS = 12
"""Number of turns whose start times are kept, for the pace."""


class ContextHistory(NamedTuple):
    """The context sizes of a session over time."""

    sizes: tuple[ContextSize, ...] = ()
    compactions: tuple[CompactionFact, ...] = ()
    turns: tuple[str, ...] = ()
    """Start times of the last turns."""
    todos: tuple[Todo, ...] = ()
    models: tuple[str, ...] = ()


class ContextHistories:
    """Reads context sizes incrementally. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Path, tuple[ContextHistory, Checkpoint]] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, transcript: Path, cancelled: Callable[[], bool]) -> ContextHistory:
        """The history of a session up to now.

        Args:
            transcript: the session's.
            cancelled: polled; True stops the reading.

        Raises:
            OSError: the transcript cannot be read.
            ReadingCancelledError: `cancelled` answered True.
        """
        with self._lock:
            history, carry = self._kept.pop(transcript, (ContextHistory(), None))
        if carry is not None and transcript.stat().st_size < carry.offset:
            history, carry = ContextHistory(), None  # another transcript with the same name
        facts, carry = read_on(transcript, carry, cancelled=cancelled)
        turns = tuple(turn.source.timestamp for turn in facts.turns[-_TURNS:])
        sizes = (*history.sizes, *facts.context_sizes)
        history = ContextHistory(sizes, facts.compactions, turns, facts.todos, facts.models)
        with self._lock:
            self._kept[transcript] = (history, carry)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return history
