"""Finding memories that may have changed since they were last shared, without checking 100,000 files.

Every change by memtui, and by most editors, changes the time of its month's folder. So only changed months
are checked, and all of them once an hour. Some editors overwrite files in place: the newest shared ones are
checked each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import NamedTuple

from memtui.flows.shared_names import Names
from memtui.ground.clock import Clock, parse_iso
from memtui.ground.project import Home
from memtui.share.replica import LOOKED, Replica
from memtui.store.stored_files import (
    file_name,
    folder_state,
    has_settled,
    month_folders,
    month_of,
    scan_month,
    signature_text,
)

_ALL_AFTER = timedelta(hours=1)
_NEWEST = 10_000
"""Number of shared memories whose files are checked each time; that takes some 50 ms."""


class Month(NamedTuple):
    """A month with possible changes."""

    name: str
    """``2026-01``."""
    state: str
    """State of its folder at the time of listing; "" if the folder may still change without a trace."""
    changed: list[str]
    """Shared memories whose files have changed since."""
    new: list[str]
    """Ids of files without records."""


class SharedChanges:
    """The months of one store that may have something to send."""

    def __init__(self, home: Home, clock: Clock, names: Names, *, everything: bool) -> None:
        """Make the object.

        Args:
            home: memtui's own folders.
            clock: gives the current time.
            names: maps ids between machines.
            everything: check all memories, not only this machine's own.
        """
        self._home = home
        self._clock = clock
        self._names = names
        self._everything = everything
        self._machine = "" if everything else names.machine

    def months(self, replica: Replica) -> Iterator[Month]:
        """The months with possible changes; the caller marks those it has finished."""
        now = self._clock()
        looked = parse_iso(replica.fact(LOOKED))
        due = looked is None or not timedelta() <= now - looked < _ALL_AFTER
        known = {} if due else replica.months()
        folders = {each.name: str(each) for each in month_folders(self._home.memories)}
        over = {} if due else self._written_over(replica, folders)
        for name in sorted(folders.keys() | replica.months().keys()):
            folder = folders.get(name, "")
            state = folder_state(folder) if folder else (0, 0)
            shown = f"{state[0]}-{state[1]}"
            if known.get(name) != shown:
                yield self._month(replica, name, folder, shown if has_settled(state) else "")
            elif name in over:
                yield Month(name, shown, over[name], [])
        if due:
            replica.store_fact(LOOKED, now.isoformat())

    def _written_over(self, replica: Replica, folders: Mapping[str, str]) -> dict[str, list[str]]:
        """The newest memories whose files were overwritten since they were last shared, by month."""
        found: dict[str, list[str]] = {}
        for memory, signature in replica.signatures(machine=self._machine, newest=_NEWEST):
            month = month_of(memory)
            try:
                status = os.lstat(f"{folders[month]}/{file_name(self._names.here(memory))}")
            except (KeyError, OSError):  # deleted, or moved by hand: then the folder's time has changed, too
                continue
            if signature_text(status) != signature:
                found.setdefault(month, []).append(memory)
        return found

    def _month(self, replica: Replica, name: str, folder: str, state: str) -> Month:
        entries = scan_month(folder) if folder else {}
        changed = []
        files = {each.removesuffix(".md"): entry for each, entry in entries.items()}
        for memory, signature in replica.signatures(name, self._machine):
            entry = files.pop(self._names.here(memory), None)
            now = f"{entry.mtime_ns}-{entry.size}-{entry.inode}" if entry else ""
            if now != signature:
                changed.append(memory)
        new = [each for each in files if "@" not in each] if self._everything else []
        return Month(name, state, changed, new)
