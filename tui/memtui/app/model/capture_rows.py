"""The captures of a project, listed at once and read gradually."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from memtui.app.model.views import CaptureRow, CapturesView
from memtui.ground.files import FileProblem

if TYPE_CHECKING:
    from memtui.store.captures import CaptureStore
    from memtui.store.listing import Entry

SLICE = 0.15
"""Seconds of reading between two checks of the disk; reading 60,000 captures takes some ten."""


class CaptureRows:
    """The known values of each capture; used by one thread.

    Listing takes a fraction of a second for any number, reading 0.1 ms per capture. So they alternate, and
    captures written while many are read are listed soon.
    """

    def __init__(self, store: CaptureStore) -> None:
        self._store = store
        self._rows: dict[str, CaptureRow] = {}
        self._listed = False
        self._unread: list[Entry] = []
        """Oldest first: the newest are read first, from the end."""

    @property
    def rows(self) -> Collection[CaptureRow]:
        """All captures, newest first."""
        return self._rows.values()

    @property
    def unread(self) -> int:
        """Number of captures known only by name."""
        return len(self._unread)

    def list(self) -> bool:
        """List the folder again; returns whether anything has changed, or it is the first time.

        Raises:
            FileProblem: it cannot be listed.
        """
        rows = {entry.name: self._known(entry) for entry in self._store.entries()}
        # Equal sets have the same order: that of their names.
        changed = rows != self._rows or not self._listed
        self._rows, self._listed = rows, True
        self._unread = [row.entry for row in rows.values() if row.capture is None and not row.problem]
        self._unread.reverse()
        return changed

    def read(self, stopped: Callable[[], bool]) -> bool:
        """Read for a while; returns whether any was read."""
        before = len(self._unread)
        end = time.monotonic() + SLICE
        while self._unread and time.monotonic() < end and not stopped():
            entry = self._unread.pop()
            self._rows[entry.name] = self._read(entry)
        return len(self._unread) < before

    def view(self) -> CapturesView:
        """An immutable snapshot for the screen."""
        return CapturesView.of(self._rows.copy(), unread=len(self._unread))

    def _known(self, entry: Entry) -> CaptureRow:
        row = self._rows.get(entry.name)
        return row if row is not None and row.entry == entry else CaptureRow(entry)

    def _read(self, entry: Entry) -> CaptureRow:
        try:
            return CaptureRow(entry, self._store.load(entry))
        except FileProblem as problem:
            return CaptureRow(entry, problem=problem.reason)
