"""The context of the current session, and alarms around its compactions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from memtui.app.model.context_sizes import ContextHistories, ContextHistory
from memtui.app.model.views import LightsView
from memtui.ground.clean import clean_line
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.lost.context_gauge import (
    Gauge,
    finished_tasks,
    is_looping,
    limit_of,
    may_loop,
    measure,
    reopened_tasks,
)
from memtui.lost.outbox import PINS, Outbox
from memtui.lost.pin_fates import fates_at_last_compaction
from memtui.lost.receipts import Receipt
from memtui.lost.traces import traces
from memtui.plugin.receipts import receipt_since
from memtui.transcript.facts import read_facts
from memtui.transcript.records import CompactionFact

_LOOPS = "compaction loop: 3 within 10 minutes, no file changed"


class ContextState(NamedTuple):
    """The current values of a session."""

    gauge: Gauge
    alarms: tuple[str, ...] = ()
    """Alarms, one line each."""
    lights: LightsView = LightsView()
    receipt: Receipt | None = None
    """The receipt of hand-overs since the last compaction."""


class ContextWatch:
    """Checks sessions; work finished before a compaction is read once."""

    def __init__(self, histories: ContextHistories, places: Places) -> None:
        self._histories = histories
        self._places = places
        self._done: dict[tuple[Path, int], frozenset[str]] = {}
        self._looped: dict[tuple[Path, int], bool] = {}
        self._lock = Lock()

    def check(self, transcript: Path, limits: Collection[int], cancelled: Callable[[], bool]) -> ContextState:
        """Check a session.

        Args:
            transcript: the session's.
            limits: tokens before automatic compactions of the project's sessions.
            cancelled: polled; True stops the reading.

        Raises:
            OSError: the transcript cannot be read.
            ReadingCancelledError: `cancelled` answered True.
        """
        with self._lock:  # a check may take long, and the next one may begin meanwhile
            return self._check(transcript, limits, cancelled)

    def _check(
        self, transcript: Path, limits: Collection[int], cancelled: Callable[[], bool]
    ) -> ContextState:
        history = self._histories.read(transcript, cancelled)
        limit = limit_of(history.compactions, limits, history.models)
        gauge = measure(history.sizes, history.turns, limit)
        if not history.compactions:
            return ContextState(gauge)
        alarms = tuple(self._alarms(transcript, history, cancelled))
        last = history.compactions[-1]
        return ContextState(gauge, alarms, self._lights(transcript, last), self._receipt(transcript, last))

    def _receipt(self, transcript: Path, last: CompactionFact) -> Receipt | None:
        try:
            return receipt_since(self._places, transcript, last)
        except OSError:
            return None

    def _lights(self, transcript: Path, last: CompactionFact) -> LightsView:
        """The fate of the pins at the last compaction; empty if that cannot be read."""
        try:
            lights = fates_at_last_compaction(self._places, transcript, last)
        except (OSError, FileProblem):
            return LightsView()
        waiting = any(each.kind == PINS for each in Outbox(self._places.home, transcript.stem).waiting())
        return LightsView(lights, parse_iso(last.source.timestamp), waiting)

    def _alarms(
        self, transcript: Path, history: ContextHistory, cancelled: Callable[[], bool]
    ) -> Iterator[str]:
        last = history.compactions[-1].source
        key = (transcript, last.line)
        if may_loop(history.compactions):
            if key not in self._looped:
                self._looped[key] = is_looping(traces(transcript, cancelled))
            if self._looped[key]:
                yield _LOOPS
        if key not in self._done:
            self._done[key] = finished_tasks(
                read_facts(transcript, until=parse_iso(last.timestamp), cancelled=cancelled)
            )
        again = reopened_tasks(self._done[key], history.todos, last.line)
        if again:
            yield f"done before, open again: {clean_line(again[0])}"
