"""The stored memories in the search index."""

from __future__ import annotations

from datetime import datetime

from memtui.ground.project import Home
from memtui.store.base import Filter, Found, Hit
from memtui.store.index.documents import SEARCH_BUDGET, DocumentIndex
from memtui.store.index.files import Files
from memtui.store.index.schema import DocKind


class SearchIndex:
    """Finds stored memories by their texts."""

    def __init__(self, home: Home) -> None:
        self.documents = DocumentIndex(home, Files(home))

    def refresh(self, *, budget: float | None = None) -> bool:
        """Bring the index up to date with the files; see `DocumentIndex.refresh`."""
        return self.documents.refresh(budget=budget)

    def search(
        self,
        query: str,
        where: Filter,
        *,
        limit: int,
        offset: int,
        now: datetime,
        budget: float = SEARCH_BUDGET,
    ) -> Found:
        """Memories that match a query, best first; see `DocumentIndex.search`."""
        found = self.documents.search(
            query, where, kind=DocKind.MEMORY, limit=limit, offset=offset, now=now, budget=budget
        )
        hits = (
            Hit(hit.document.listed, hit.snippet, hit.marks, hit.score, hit.document.body)
            for hit in found.hits
            if hit.document.listed
        )
        return Found(tuple(hits), found.total, found.complete)
