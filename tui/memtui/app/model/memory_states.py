"""The state of the files that memories name: which have changed since, which are gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.ground.files import FileProblem
from memtui.store.listing import is_stored

if TYPE_CHECKING:
    from memtui.formats.stored_memory import StoredMemory
    from memtui.store.freshness import Freshness
    from memtui.store.listing import Entry

_MOST = 2_000
"""The most memories whose files' states are kept."""
_RECHECK = 15.0
"""Seconds after which a memory's files are checked again."""


class MemoryStates:
    """The states that have been read. Thread-safe."""

    def __init__(self, root: Path, load: Callable[[str], StoredMemory]) -> None:
        """Start with none.

        Args:
            root: the project's.
            load: reads the stored memory with this Recovery ID, or raises FileProblem.
        """
        self._root = root
        self._load = load
        self._known: dict[str, tuple[Entry, float, Freshness]] = {}

    def get(self, name: str) -> Freshness | None:
        """The last read state of a memory's files; None before."""
        known = self._known.get(name)
        return known[2] if known else None

    def read(self, entries: Iterable[Entry], cancelled: Callable[[], bool]) -> bool:
        """Compare the files named by stored memories with the project, unless that was just done.

        For a thread; returns whether any state is another one than before.
        """
        now = time.monotonic()
        unread = [entry for entry in entries if is_stored(entry) and not self._is_new(entry, now)]
        if len(self._known) > _MOST:
            self._known.clear()
        changed = False
        for entry in unread:
            if cancelled():
                break
            state = self._state(entry)
            changed |= self.get(entry.name) != state
            self._known[entry.name] = (entry, now, state)
        return changed

    def _is_new(self, entry: Entry, now: float) -> bool:
        known = self._known.get(entry.name)
        return known is not None and known[0] == entry and now - known[1] <= _RECHECK

    def _state(self, entry: Entry) -> Freshness:
        from memtui.store.freshness import Freshness, freshness

        try:
            return freshness(self._load(entry.name.removesuffix(".md")), self._root)
        except FileProblem:
            return Freshness()
