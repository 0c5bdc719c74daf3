"""Facts of transcripts for the screen: read in a thread, cached while the transcript is unchanged."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from memtui.transcript.facts import Facts, read_facts

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
