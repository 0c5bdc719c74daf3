"""The heads of memories, with what their rows show besides their names; read for the rows in sight."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui.store.listing import Entry
    from memtui.store.memory_heads import MemoryHead


class MemoryHeads:
    """The heads that have been read. Thread-safe."""

    def __init__(self, read: Callable[[Entry], MemoryHead]) -> None:
        """Start with none; `read` reads the head of one memory."""
        self._read = read
        self._known: dict[str, tuple[Entry, MemoryHead]] = {}
        self._titles: Counter[str] = Counter()
        """Number of heads with a title."""
        self._lock = threading.Lock()

    def get(self, name: str) -> MemoryHead | None:
        """The last read head of a memory; None before."""
        known = self._known.get(name)
        return known[1] if known else None

    def is_unique(self, title: str) -> bool:
        """Whether at most one memory has this title, as far as heads have been read."""
        return self._titles[title] <= 1

    def is_read(self, name: str, entry: Entry | None) -> bool:
        """Whether the head of a memory has been read from its file as listed now."""
        known = self._known.get(name)
        return known is not None and known[0] == entry

    def read(self, entries: Iterable[Entry]) -> bool:
        """Read the heads of memories, in a thread; returns whether there were any to read."""
        read = {entry.name: (entry, self._read(entry)) for entry in entries}
        with self._lock:
            before = (self._known.get(name) for name in read)
            self._titles.subtract(known[1].title for known in before if known)
            self._titles.update(head.title for _, head in read.values())
            self._known.update(read)
        return bool(read)
