"""Aftermaths for the screen: read in a thread, cached while nothing changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from memtui.app.model.facts import FactsReader
from memtui.flows.aftermath import aftermaths
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.lost.receipts import Receipt
from memtui.lost.records import Aftermath
from memtui.lost.traces import Trace, traces
from memtui.plugin.receipts import receipts_of
from memtui.transcript.facts import Facts

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
