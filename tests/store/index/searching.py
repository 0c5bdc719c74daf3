"""Searching an index of memories, and a plain comparison that finds the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from memtui.store.base import Filter, Found
from memtui.store.folding import fold
from memtui.store.index import SearchIndex
from memtui.store.matching import Query
from tests.store.corpus import NOW, memory_id

MANY = 10_000


ANY = Filter()


def search(index: SearchIndex, query: str, filtered: Filter = ANY, limit: int = MANY) -> Found:
    return index.search(query, filtered, limit=limit, offset=0, now=NOW)


def ids(found: Found) -> list[str]:
    return [hit.listed.meta.id for hit in found.hits]


@cache
def folded(number: int, text: str) -> str:
    """The searched text of a memory, its id included."""
    return fold(f"{memory_id(number)}\n{text}")


def expected(query: str, texts: Iterable[str]) -> set[str]:
    """The matches that a plain look at every text finds."""
    parsed = Query.parse(query)
    return {memory_id(n) for n, text in enumerate(texts) if parsed.matches_folded(folded(n, text))}
