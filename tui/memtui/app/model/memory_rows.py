"""The memories, listed at once; the values from their front matter are read gradually."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.app.model.views import MemoriesView
from memtui.formats.stored_label import Label
from memtui.ground.project import Home, Project
from memtui.store.listing import Entry, is_stored
from memtui.store.memory_labels import quick_labels, stored_as
from memtui.store.project_test import ProjectTest

if TYPE_CHECKING:
    from memtui.store.memory_heads import MemoryFiles
    from memtui.store.memory_listing import Memories, MemoryListing

SLICE = 0.15
"""Seconds of reading between two checks of the disk; 100,000 labels take some two."""
_BATCH = 200


class Shown:
    """The selection and order of memories in a pane."""

    def __init__(self, project: Project) -> None:
        self._root = project.root
        self._concerns = ProjectTest(project.root)
        self._known: dict[str, Entry] = {}
        self._mine: set[str] = set()
        self._stored_as: dict[str, str] = {}
        """The stored memories of reviews, by the name of the review's memory file."""

    def learn(self, entry: Entry, label: Label) -> bool:
        """Store a memory's label; returns whether that changes anything."""
        name = entry.name
        self._known[name] = entry
        mine = self._concerns(label.project)
        if mine == (name in self._mine):
            return False
        (self._mine.add if mine else self._mine.discard)(name)
        return True

    def unknown(self, entries: Mapping[str, Entry], names: Iterable[str]) -> list[Entry]:
        """Those with unknown or outdated labels, oldest first; memory files need none."""
        known = self._known
        new = [entry for name in names if (entry := entries.get(name)) is not known.get(name) and entry]
        files = [entry for entry in new if not is_stored(entry)]
        for entry, stored in stored_as(files, self._root):
            self.learn(entry, Label())
            self._stored_as[entry.name] = stored
        return sorted(filter(is_stored, new), key=lambda entry: entry.name)

    def view(
        self, entries: Mapping[str, Entry], names: Sequence[str], *, more: bool, mine_alone: bool = False
    ) -> MemoriesView:
        """The view of these memories.

        The memory stored by a review also represents its memory file: both say the same.

        Args:
            entries: the memories by name.
            names: their names, newest first.
            more: whether labels are still unread.
            mine_alone: leave out everything that is initially hidden.
        """
        doubled = {
            name: stored for name, stored in self._stored_as.items() if name in entries and stored in entries
        }
        if doubled:
            names = [name for name in names if name not in doubled]
        mine = [name for name in names if name in self._mine]
        return MemoriesView(entries, mine if mine_alone else names, mine, doubled, more=more)


class MemoryRows:
    """The known values of each memory; used by one thread."""

    def __init__(self, listing: MemoryListing, store: MemoryFiles, home: Home) -> None:
        self._listing = listing
        self._store = store
        self._home = home
        self._shown = Shown(store.project)
        self._memories: Memories | None = None
        self._unread: list[Entry] = []
        """Oldest first: the newest are read first, from the end."""
        self._view = MemoriesView()
        self._order_changed = True

    @property
    def unread(self) -> int:
        """Number of unread labels."""
        return len(self._unread)

    def list(self, touched: Collection[str], *, sweep: bool) -> bool:
        """List the memories again; returns whether anything has changed, or it is the first time.

        Args:
            touched: names of months in which a file is known to have changed.
            sweep: also check for files that were edited in place.

        Raises:
            FileProblem: they cannot be listed.
        """
        memories = self._listing.memories(touched=touched, sweep=sweep)
        if memories is self._memories:
            return False
        self._order_changed |= self._memories is None or memories.names is not self._memories.names
        self._memories = memories
        self._unread += self._shown.unknown(memories.entries, self._listing.changed)
        return True

    def read(self, stopped: Callable[[], bool]) -> bool:
        """Read labels for a while; returns whether any was read."""
        end = time.monotonic() + SLICE
        before = len(self._unread)
        while self._unread and time.monotonic() < end and not stopped():
            some = self._unread[-_BATCH:]
            del self._unread[-_BATCH:]
            some.reverse()
            for entry, label in quick_labels(some, self._home):
                self._order_changed |= self._shown.learn(entry, label or self._whole_label(entry))
        return len(self._unread) < before

    def _whole_label(self, entry: Entry) -> Label:
        head = self._store.head(entry)
        # Broken ones are always shown, with their reason.
        return Label() if head.problem else Label(head.project)

    def view(self) -> MemoriesView:
        """An immutable snapshot for the screen."""
        assert self._memories is not None
        entries, names = self._memories
        more = bool(self._unread)
        if self._order_changed:
            self._view = self._shown.view(entries, names, more=more)
            self._order_changed = False
        else:
            self._view = self._view._replace(entries=entries, more=more)
        return self._view
