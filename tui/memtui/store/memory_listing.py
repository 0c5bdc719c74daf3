"""The list of all memories, cheap to update when little has changed.

With 100,000 memories, checking each every two seconds would keep a processor busy and delay the keys. But a
folder's time changes when files are added or removed, so a month whose folder has not changed is not read
again. Editing a file in place does not change its folder: callers name the months of known edits, and each
sweep checks some of the months in turn.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memtui.store.listing import MONTH_NAME, Entry, name_order, scan
from memtui.store.memory_heads import MemoryFiles
from memtui.store.stored_files import folder_state, has_settled, scan_month

SWEEP = 20_000
"""Number of files checked per sweep, plus the rest of their month: five sweeps for 100,000."""


class Memories(NamedTuple):
    """All memories: the files by name, and their names, newest first."""

    entries: Mapping[str, Entry]
    names: Sequence[str]


@dataclass(slots=True)
class _Month:
    """The last listing of a month's folder."""

    state: tuple[int, int]
    settled: bool
    entries: dict[str, Entry]
    names: list[str]


@dataclass(slots=True)
class _News:
    """Folders with changed files, and whether files were added or removed."""

    changed: list[dict[str, Entry]]
    renamed: bool


class MemoryListing:
    """Lists the memories of a store; used by one thread."""

    def __init__(self, store: MemoryFiles) -> None:
        self._store = store
        self._months: dict[str, _Month] = {}
        """In the order of their last reading, oldest first."""
        self._files: dict[str, Entry] = {}
        self._all = Memories({}, ())
        self.changed: Collection[str] = ()
        """Names that include all memories added or changed since the previous listing."""
        self._twice = False
        """Whether two months have files of the same name."""

    def memories(self, touched: Collection[str] = (), *, sweep: bool = True) -> Memories:
        """All memories: the same object as before if nothing has changed.

        Args:
            touched: months (``2026-01``) in which a file is known to have changed.
            sweep: also check for unknown edits.

        Raises:
            FileProblem: see `MemoryFiles.entries`.
        """
        files = {entry.name: entry for entry in self._store.file_entries()}
        news = self._read_months(touched, SWEEP if sweep else 0)
        if files != self._files:
            news.changed.append(files)
            news.renamed |= files.keys() != self._files.keys()
            self._files = files
        self.changed = [name for changed in news.changed for name in changed]
        if news.renamed or (news.changed and self._twice):
            self._all = self._merged()
        elif news.changed:
            # The names are unchanged: only their entries are updated.
            entries = dict(self._all.entries)
            for changed in news.changed:
                entries.update(changed)
            self._all = Memories(entries, self._all.names)
        return self._all

    def _read_months(self, touched: Collection[str], allowed: int) -> _News:
        """Read the months that need it again; returns the changes."""
        found = {entry.name: entry for entry in scan(self._store.folder, MONTH_NAME)}
        gone = self._months.keys() - found.keys()
        for name in gone:
            del self._months[name]
        news = _News([], bool(gone))
        for name in [*self._months, *(found.keys() - self._months.keys())]:
            known = self._months.get(name)
            path = f"{found[name].folder}/{name}"
            state = folder_state(path)
            if known and known.settled and known.state == state and name not in touched:
                if allowed <= 0:
                    continue
                allowed -= len(known.names)
            # Read again next time if further changes might not change its time.
            settled = has_settled(state)
            entries = scan_month(path, known.entries if known else {})
            if known is None or known.entries != entries:
                names = sorted(entries)
                news.changed.append(entries)
                news.renamed |= known is None or names != known.names
                known = _Month(state, settled, entries, names)
            self._months.pop(name, None)
            self._months[name] = replace(known, state=state, settled=settled)
        return news

    def _merged(self) -> Memories:
        # With 100,000 this takes some 10 ms, in steps short enough not to delay the keys.
        entries: dict[str, Entry] = {}
        names: list[str] = []
        for _, month in sorted(self._months.items()):
            entries.update(month.entries)
            names += month.names
        self._twice = len(entries) < len(names)
        if self._twice:
            names = list(entries)
        names.sort()  # by time, like their names; fast, as a month's folder contains that month's memories
        entries.update(self._files)
        for name in self._files:
            insort(names, name, key=name_order)
        names.reverse()
        return Memories(entries, names)
