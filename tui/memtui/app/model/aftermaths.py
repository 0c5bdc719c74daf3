"""Aftermaths for the screen: read in a thread, cached while nothing changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from memtui.aftermath.receipts import Receipt
from memtui.aftermath.records import Aftermath
from memtui.app.model.facts import FactsReader
from memtui.files import FileProblem
from memtui.flows.aftermath import aftermaths, standing_of
from memtui.flows.sessions import transcripts_of
from memtui.project import Places
from memtui.reading.facts import Facts
from memtui.setup.receipts import receipts_of

_KEPT = 64

_Key = tuple[str, int, int, datetime | None]


class Aftermaths:
    """Reads aftermaths, remembering the latest by transcript and compaction. Thread-safe."""

    def __init__(self, places: Places, facts: FactsReader) -> None:
        self._places = places
        self._facts = facts
        self._kept: OrderedDict[_Key, Aftermath] = OrderedDict()
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
        key = (str(transcript), status.st_size, status.st_mtime_ns, since)
        with self._lock:
            if key in self._kept:
                return self._kept[key]

        def read(path: Path, until: datetime | None) -> Facts:
            return self._facts.read(path, until, lambda share: None, cancelled)

        newest = next(iter(transcripts_of(self._places).values()), None) == transcript
        standing = standing_of(self._places) if newest else ()
        (found,) = aftermaths(
            self._places, transcript, since, standing=standing, read=read, cancelled=cancelled
        )
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def forget(self) -> None:
        """Read everything anew: pins may have changed."""
        with self._lock:
            self._kept.clear()

    def receipts(self, session_id: str) -> list[Receipt]:
        """Receipts of a session, the newest first; none when they cannot be read."""
        try:
            return receipts_of(self._places, session=session_id)
        except (OSError, FileProblem):
            return []
