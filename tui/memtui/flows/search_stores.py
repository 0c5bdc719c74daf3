"""The stores for a search by a command or an MCP call, and the whole search."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.flows.searching import Group, Scope, Searcher
from memtui.ground.clock import Clock
from memtui.ground.project import Places
from memtui.store.index.project_files import project_documents
from memtui.store.index.query import Search
from memtui.store.index.sessions import SessionIndex
from memtui.store.memory_files import FilesBackend
from memtui.store.transcripts import TranscriptStore


class SearchStores:
    """See `memtui.flows.searching.Stores`."""

    def __init__(self, places: Places, clock: Clock) -> None:
        self.places = places
        self.clock = clock
        self.backend = FilesBackend(places.home, clock)
        self.transcripts = TranscriptStore(places.project, places.claude)
        self.session_index = SessionIndex(places.home, places.claude)
        self.document_index = project_documents(places.home, places.project.root)


def search_all(stores: SearchStores, asked: Search, scope: Scope, limit: int) -> Iterator[Group]:
    """The results of each kind, sessions first; nothing of kinds that are not wanted.

    Args:
        stores: where to search.
        asked: the query.
        scope: the scope.
        limit: the number of results of each kind that will be shown; there may be more.

    Raises:
        FileProblem: something cannot be listed.
    """
    for search in Searcher(stores, limit).searches(asked, scope):
        yield search()
