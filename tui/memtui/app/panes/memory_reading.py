"""What memories show besides their names: heads for the rows in sight, states of named files, details."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from textual.cache import LRUCache

from memtui.app.panes.pane import Progress
from memtui.app.project import ProjectModel
from memtui.app.widgets.document import Document
from memtui.ground.files import FileProblem
from memtui.store.listing import Entry, is_stored

if TYPE_CHECKING:
    from memtui.store.freshness import Freshness
    from memtui.store.memories import Listed
    from memtui.store.relations import Related


_REST = 0.4
"""Seconds without a change of selection before related memories are looked for."""


class MemoryReader:
    """Reads memories, in threads: heads, states of named files, and for details texts and relations."""

    def __init__(self, model: ProjectModel) -> None:
        self._model = model
        self._heads: dict[str, tuple[Entry, Listed]] = {}
        self.titles: Counter[str] = Counter()
        """Number of heads with a title, as far as they have been read."""
        self.states: dict[str, Freshness] = {}
        """By memory, the last read state of the files that it names."""
        self._relations: LRUCache[str, list[Related]] = LRUCache(32)
        """By memory, the relations shown last: they stay until newer ones are found."""

    def head(self, name: str) -> Listed | None:
        """The last read head of a memory; None before."""
        known = self._heads.get(name)
        return known[1] if known else None

    def unread(self, entries: Iterable[Entry]) -> list[Entry]:
        known = self._heads
        return [each for each in entries if each.name not in known or known[each.name][0] != each]

    def read_heads(self, entries: Iterable[Entry]) -> None:
        read = {entry.name: (entry, self._model.memories.head(entry.path)) for entry in entries}
        self._heads |= read
        self.titles = Counter(head.title for _, head in tuple(self._heads.values()))

    def read_states(self, entries: Iterable[Entry], cancelled: Callable[[], bool]) -> bool:
        """Compare the files named by stored memories with the project; whether any state has changed."""
        from memtui.store.freshness import Freshness, freshness

        changed = False
        for entry in filter(is_stored, entries):
            if cancelled():
                break
            try:
                stored = self._model.backend.get(entry.name.removesuffix(".md"))
                state = freshness(stored, self._model.project.root)
            except FileProblem:
                state = Freshness()
            changed |= self.states.get(entry.name) != state
            self.states[entry.name] = state
        return changed

    def document(self, entry: Entry, file: str, unfolded: Collection[str], progress: Progress) -> Document:
        """The detail of a memory, which may stand for a memory file; a FileProblem if it cannot be read."""
        from memtui.app.details.memory import memory_file_document, stored_document
        from memtui.store.relations import entities_of, related_memories

        now = self._model.clock()
        memory = self._model.memories.load(entry.path)
        if not is_stored(entry) or memory.head.problem:
            return memory_file_document(memory, now)
        backend, memory_id = self._model.backend, memory.head.id
        named = entities_of(backend.get(memory_id))
        self.read_states([entry], progress.cancelled)
        state = self.states.get(entry.name)
        former = self._relations.get(memory_id)
        document = stored_document(memory, now, named, former, unfolded, file, state)
        progress.show(document)
        until = time.monotonic() + _REST
        while time.monotonic() < until and not progress.cancelled():
            time.sleep(0.05)
        if progress.cancelled():
            return document
        found = related_memories(backend, memory_id, limit=8, cancelled=progress.cancelled)
        if not progress.cancelled():
            self._relations[memory_id] = found
        return stored_document(memory, now, named, found, unfolded, file, state)
