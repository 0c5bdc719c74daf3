"""Makes the details of memories."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.cache import LRUCache

from memtui.app.model.memory_states import MemoryStates
from memtui.app.model.project_model import Browser
from memtui.app.panes.pane import Progress
from memtui.app.widgets.document import Document, Line, concat, line, styled
from memtui.ground.files import FileProblem
from memtui.store.listing import is_stored

if TYPE_CHECKING:
    from memtui.store.listing import Entry
    from memtui.store.relations import Related

_REST = 0.4
"""Seconds without a change of selection before related memories are searched for."""
_RELATED = 8
"""Number of related memories in the detail."""


class MemoryReader:
    """Reads memories, in threads: their texts at once, their relations if they stay selected."""

    def __init__(self, browser: Browser, states: MemoryStates) -> None:
        self._browser = browser
        self._states = states
        self._unfolded: set[str] = set()
        self._relations: LRUCache[Entry, list[Related]] = LRUCache(32)
        self._former: LRUCache[str, list[Related]] = LRUCache(32)
        """By memory, the relations shown last: they stay until newer ones are found."""

    def toggle(self, name: str) -> None:
        """Open a fold, or close it."""
        self._unfolded ^= {name}

    def forget_relations(self) -> None:
        """Find relations anew: there are other memories."""
        self._relations.clear()

    def document(self, entry: Entry, file: str, progress: Progress) -> Document:
        """The detail of a memory, or the reason why it cannot be read.

        Args:
            entry: the memory.
            file: the name of the memory file that it stands for; "" for none.
            progress: receives what is known before relations are searched for.
        """
        try:
            return self._document(entry, file, progress)
        except FileProblem as problem:
            return concat(line(entry.name, "title"), Line(""), styled(("Broken: ", "bad"), problem.reason))

    def _document(self, entry: Entry, file: str, progress: Progress) -> Document:
        from memtui.app.details.memory_detail import memory_file_document, stored_document
        from memtui.store.relations import entities_of, related_memories

        now = self._browser.clock()
        memory = self._browser.memories.load(entry)
        if not is_stored(entry) or memory.head.problem:
            return memory_file_document(memory, now)
        backend, memory_id = self._browser.backend, memory.head.id
        named = entities_of(backend.get(memory_id))
        self._states.read([entry], progress.cancelled)
        state = self._states.get(entry.name)
        found = self._relations.get(entry)
        if found is None:
            former = self._former.get(memory_id)
            document = stored_document(memory, now, named, former, self._unfolded, file, state)
            progress.show(document)
            if not self._rests(progress):
                return document
            found = related_memories(backend, memory_id, limit=_RELATED, cancelled=progress.cancelled)
        if not progress.cancelled():
            self._relations[entry] = self._former[memory_id] = found
        return stored_document(memory, now, named, found, self._unfolded, file, state)

    def _rests(self, progress: Progress) -> bool:
        """Whether the selection rests and the index is ready: finding relations needs both."""
        until = time.monotonic() + _REST
        while time.monotonic() < until or self._browser.indexer.is_running:
            if progress.cancelled():
                return False
            time.sleep(0.05)
        return not progress.cancelled()
