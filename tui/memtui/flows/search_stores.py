"""The stores for a search by a command or an MCP call, and the whole search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memtui.aftermath.pins import Pins
from memtui.clock import Clock
from memtui.flows.searching import Group, Scope, Searcher
from memtui.project import Places
from memtui.store.captures import CaptureStore
from memtui.store.index.asked import Asked
from memtui.store.index.sessions import SessionIndex
from memtui.store.memories import MemoryStore
from memtui.store.memory_files import FilesBackend
from memtui.store.states import StateStore
from memtui.store.transcripts import TranscriptStore


class SearchStores:
    """See `memtui.flows.searching.Stores`."""

    def __init__(self, places: Places, clock: Clock) -> None:
        self.project = places.project
        self.clock = clock
        self.backend = FilesBackend(places.home, clock)
        self.memories = MemoryStore(places.project, places.home)
        self.captures = CaptureStore(places.project)
        self.pins = Pins(places.project, places.home)
        self.states = StateStore(places.project, places.home)
        self.transcripts = TranscriptStore(places.project, places.claude)
        self.session_index = SessionIndex(places.home, places.claude)


def search_all(
    stores: SearchStores, asked: Asked, scope: Scope = Scope.PROJECT, path: Path | None = None
) -> Iterator[Group]:
    """The results of each wanted kind, sessions first.

    Captures, memory files and states are those of the project, whatever the scope.

    Raises:
        FileProblem: something cannot be listed.
    """
    searcher = Searcher(stores)
    yield searcher.sessions(asked, scope, path)
    if scope is Scope.SESSION:
        return
    yield searcher.memories(asked, scope)
    yield searcher.files(asked, stores.memories.file_entries())
    yield searcher.captures(asked, ((entry, None) for entry in stores.captures.entries()))
    yield searcher.states(asked)
    yield searcher.pins(asked)
