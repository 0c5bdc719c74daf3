"""Readings of transcripts for the screen, in threads, cached while a transcript is unchanged."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from memtui.app.listings import LightsView
from memtui.flows.aftermath import aftermaths
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
from memtui.lost.records import Aftermath
from memtui.lost.traces import Trace, traces
from memtui.plugin.receipts import receipt_since, receipts_of
from memtui.transcript.facts import Reading, read_facts
from memtui.transcript.records import CompactionFact, ContextSize, Facts, Todo

_KEPT = 16
"""Size of the cache, so that moving in a list does not read the same transcripts again."""


class FactsReader:
    """Reads facts, remembering the latest by (transcript, its size and time, until). Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, int, datetime | None], Facts] = OrderedDict()
        self._lock = threading.Lock()

    def read(
        self,
        transcript: Path,
        until: datetime | None,
        progress: Callable[[float], None],
        cancelled: Callable[[], bool],
    ) -> Facts:
        """The facts of a transcript up to a compaction; see `read_facts` for `until`.

        Args:
            transcript: the JSONL file.
            until: the time of a capture, or None for the whole file.
            progress: receives the share done, from 0 to 1.
            cancelled: polled; True stops the reading.

        Raises:
            ReadingCancelledError: `cancelled` answered True.
            OSError: the transcript cannot be read.
        """
        status = transcript.stat()
        key = (str(transcript), status.st_size, status.st_mtime_ns, until)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        facts = read_facts(
            transcript,
            until=until,
            progress=lambda done, total: progress(done / total if total else 1.0),
            cancelled=cancelled,
        )
        with self._lock:
            self._kept[key] = facts
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return facts


_KEPT = 64
_KEPT_TRACES = 8

_File = tuple[str, int, int]
"""Path, size and time in ns of a transcript."""


class _Traced:
    """The compactions of a transcript, once they are read."""

    def __init__(self) -> None:
        self.reading = threading.Lock()
        self.found: list[Trace] | None = None


class Aftermaths:
    """Reads aftermaths, remembering the latest by transcript and compaction. Thread-safe."""

    def __init__(self, places: Places, facts: FactsReader) -> None:
        self._places = places
        self._facts = facts
        self._kept: OrderedDict[tuple[_File, datetime | None], Aftermath] = OrderedDict()
        self._traced: OrderedDict[_File, _Traced] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, transcript: Path, since: datetime | None, cancelled: Callable[[], bool]) -> Aftermath:
        """The aftermath of a compaction.

        Args:
            transcript: the session's.
            since: the first compaction at or after this time; the newest one when None.
            cancelled: polled; True stops the reading.

        Raises:
            NoCompaction: the transcript does not have it.
            OSError: the transcript cannot be read.
            ReadingCancelledError: `cancelled` answered True.
        """
        status = transcript.stat()
        file = (str(transcript), status.st_size, status.st_mtime_ns)
        key = (file, since)
        with self._lock:
            if key in self._kept:
                return self._kept[key]

        def read(path: Path, until: datetime | None) -> Facts:
            return self._facts.read(path, until, lambda share: None, cancelled)

        traced = self._traces(file, cancelled)
        (found,) = aftermaths(self._places, transcript, since, traced=traced, read=read, cancelled=cancelled)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _traces(self, file: _File, cancelled: Callable[[], bool]) -> list[Trace]:
        """The compactions of a transcript; threads may ask concurrently for captures of the same session."""
        with self._lock:
            traced = self._traced.setdefault(file, _Traced())
            while len(self._traced) > _KEPT_TRACES:
                self._traced.popitem(last=False)
        with traced.reading:
            if traced.found is None:
                traced.found = traces(Path(file[0]), cancelled)
        return traced.found

    def forget(self) -> None:
        """Drop the cache: pins may have changed."""
        with self._lock:
            self._kept.clear()

    def receipts(self, session_id: str) -> list[Receipt]:
        """Receipts of a session, newest first; none if they cannot be read."""
        try:
            return receipts_of(self._places, session=session_id)
        except (OSError, FileProblem):
            return []


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
        self._kept: OrderedDict[Path, Reading] = OrderedDict()
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
            reading = self._kept.pop(transcript, None)
        if reading is None or transcript.stat().st_size < reading.offset:
            reading = Reading(transcript)  # the first time, or another transcript with the same name
        facts = reading.read(cancelled=cancelled)
        turns = tuple(turn.source.timestamp for turn in facts.turns[-_TURNS:])
        with self._lock:
            self._kept[transcript] = reading
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return ContextHistory(facts.context_sizes, facts.compactions, turns, facts.todos, facts.models)


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
