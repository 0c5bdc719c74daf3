"""Which memories may have changed since they were last shared, without a look at each of 100,000 files.

Each change by memtui, and by most editors, changes the time of its month's folder. So only the months that
changed are looked through, and all of them once an hour, for files that were written over in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from memtui.clock import Clock, parse_iso
from memtui.flows.shared_names import Names
from memtui.project import Home
from memtui.sharing.replica import LOOKED, Replica
from memtui.store.stored_files import folder_state, has_settled, month_folders, scan_month

_ALL_AFTER = timedelta(hours=1)


class Month(NamedTuple):
    """A month in which something may have changed."""

    name: str
    """``2026-01``."""
    state: str
    """Of its folder when it was listed; "" when it may change again without a trace."""
    changed: list[str]
    """Memories with records whose files are other than when they were last shared."""
    new: list[str]
    """Ids of files that have no records."""


class SharedChanges:
    """The months of one store that may have something to send."""

    def __init__(self, home: Home, clock: Clock, names: Names, *, everything: bool) -> None:
        """Make the object.

        Args:
            home: memtui's own folders.
            clock: tells the time.
            names: how memories are called here and elsewhere.
            everything: look at all memories, not only at those of this machine.
        """
        self._home = home
        self._clock = clock
        self._names = names
        self._everything = everything

    def months(self, replica: Replica) -> Iterator[Month]:
        """The months with possible changes; the caller notes those that are done."""
        now = self._clock()
        looked = parse_iso(replica.fact(LOOKED))
        due = looked is None or not timedelta() <= now - looked < _ALL_AFTER
        known = {} if due else replica.months()
        folders = {each.name: str(each) for each in month_folders(self._home.memories)}
        for name in sorted(folders.keys() | replica.months().keys()):
            folder = folders.get(name, "")
            state = folder_state(folder) if folder else (0, 0)
            shown = f"{state[0]}-{state[1]}"
            if known.get(name) != shown:
                yield self._month(replica, name, folder, shown if has_settled(state) else "")
        if due:
            replica.keep(LOOKED, now.isoformat())

    def _month(self, replica: Replica, name: str, folder: str, state: str) -> Month:
        entries = scan_month(folder) if folder else {}
        changed = []
        own = "" if self._everything else self._names.machine
        files = {each.removesuffix(".md"): entry for each, entry in entries.items()}
        for memory, signature in replica.signatures(name, own):
            entry = files.pop(self._names.here(memory), None)
            now = f"{entry.mtime_ns}-{entry.size}-{entry.inode}" if entry else ""
            if now != signature:
                changed.append(memory)
        new = [each for each in files if "@" not in each] if self._everything else []
        return Month(name, state, changed, new)
