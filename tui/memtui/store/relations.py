"""The memories related to one, and the graph of all memories: `relations.entities` over a backend.

Nothing is stored: the search finds memories by names, and only the likeliest relatives are read, a fraction
of the work of reading 10,000 memories.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.documents.memory import StoredMemory
from memtui.documents.memory_graph import (
    DECISION,
    FILE,
    PROJECT,
    SESSION,
    Entity,
    Graph,
    Key,
    entities,
    entity_weight,
    graph_of,
    path_below,
)
from memtui.documents.recovery import Recovery, parse_recovery
from memtui.ground.files import FileProblem
from memtui.ground.text import FormatError
from memtui.store.memories import Filter, Listed, MemoryStore, bare_meta
from memtui.store.search_documents import Kind
from memtui.store.search_index import IndexDamaged, SearchIndex
from memtui.store.search_query import quoted

_ASKED = 24
"""The most entities that are searched for, files first."""
_HITS = 40
"""The most memories taken from one search."""
_READ = 40
"""The most memories read to check their names."""
_WORD = re.compile(r"\w+")
_WORDS = 8
"""The most words of a decision that are searched for."""
_WINDOWS_TOO = re.compile(r"/mnt/[a-z]/", re.IGNORECASE)
"""A Windows drive mounted by WSL."""
_RECOVERY_LIMIT = 1 << 20
"""Size of the largest text that is parsed, in bytes; usual ones have some thousand."""


@dataclass(frozen=True, slots=True)
class Related:
    """A memory that shares names with another one."""

    listed: Listed
    shared: tuple[Entity, ...]
    """The most significant first."""
    score: float
    """Higher is nearer; comparable among the relations of one memory."""


def entities_of(stored: StoredMemory) -> tuple[Entity, ...]:
    """The entities of a stored memory; only its metadata counts if the text is not a recovery text."""
    recovery = Recovery()
    if len(stored.body) <= _RECOVERY_LIMIT:
        with suppress(FormatError):
            recovery = parse_recovery(stored.body.decode("utf-8", "replace"))
    return entities(recovery, stored.meta)


def related_memories(
    backend: MemoryStore,
    index: SearchIndex,
    memory_id: str,
    *,
    limit: int = 10,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Related]:
    """The memories related to one, nearest first.

    Args:
        backend: the store.
        index: the search index, up to date.
        memory_id: the full id.
        limit: the most to return.
        cancelled: polled before each search and each read; True gives an empty result.

    Raises:
        MemoryMissing: there is no such memory.
        FileProblem: it cannot be read, or the store not listed.
    """
    stored = backend.get(memory_id)
    mine = entities_of(stored)
    search = _Search(index, stored, mine)
    for entity in search.asked():
        if cancelled():
            return []
        search.ask(entity)
    others: dict[str, Sequence[Entity]] = {}
    for candidate in search.nearest():
        if cancelled():
            return []
        try:
            other = backend.get(candidate)
            others[candidate] = entities_of(other)
            search.listed[candidate] = replace(search.listed[candidate], meta=other.meta)
        except FileProblem:  # deleted or damaged since the search
            continue
    weights = {
        entity.key: entity_weight(entity.key, max(2, search.named_by.get(entity.key, 2)), search.total)
        for entity in mine
    }
    found = []
    for other_id, named in others.items():
        shared = sorted(
            (entity for entity in named if entity.key in weights), key=lambda entity: -weights[entity.key]
        )
        if score := sum(weights[entity.key] for entity in shared):
            found.append(Related(search.listed[other_id], tuple(shared), score))
    # Ids sort by time: of two equally near memories the newer comes first.
    return sorted(found, key=lambda each: (each.score, each.listed.meta.id), reverse=True)[:limit]


class _Search:
    """Finds candidates related to one memory, and the weights of its entities."""

    def __init__(self, index: SearchIndex, stored: StoredMemory, mine: Sequence[Entity]) -> None:
        self._index = index
        self._meta = stored.meta
        self._mine = mine
        self._root = next((entity.name for entity in mine if entity.kind == PROJECT), "")
        self._scores: defaultdict[str, float] = defaultdict(float)
        self.named_by: dict[Key, int] = {}
        self.listed: dict[str, Listed] = {}
        self.total = memories_in(index, limit=0)[1]
        if stored.meta.session_id:
            self._add(Entity(SESSION, stored.meta.session_id), session=stored.meta.session_id)

    def asked(self) -> list[Entity]:
        """The entities to search for: files first, as they make most relations."""
        some = [entity for entity in self._mine if entity.kind not in (PROJECT, SESSION)]
        return sorted(some, key=lambda entity: entity.kind != FILE)[:_ASKED]

    def ask(self, entity: Entity) -> None:
        self._add(entity, _phrases(entity, self._root))

    def nearest(self) -> list[str]:
        return sorted(self._scores, key=lambda each: (-self._scores[each], each))[:_READ]

    def _add(self, entity: Entity, phrases: Sequence[str] = (), session: str = "") -> None:
        found, total = memories_in(self._index, phrases, session=session, limit=_HITS)
        count = self.named_by[entity.key] = max(total, self.named_by.get(entity.key, 0))
        for name, path, title in found:
            if name != self._meta.id:
                self._scores[name] += entity_weight(entity.key, max(2, count), self.total)
                self.listed[name] = Listed(bare_meta(name), Path(path), title)


def memories_in(
    index: SearchIndex, phrases: Sequence[str] = (), *, session: str = "", limit: int
) -> tuple[list[tuple[str, str, str]], int]:
    """Stored memories that have all phrases, best first: id, path and title; and how many there are.

    Args:
        index: the search index.
        phrases: the phrases; none for any memory.
        session: only those of this session.
        limit: the most to return.
    """
    query, values = "FROM files WHERE kind = ?", list[object]([Kind.MEMORY])
    if session:
        query, values = f"{query} AND session = ?", [*values, session]
    order = ""
    if phrases:
        query = (
            "FROM documents JOIN rows ON rows.id = documents.rowid JOIN files ON files.id = rows.file"
            " WHERE documents MATCH ? AND kind = ?"
        )
        values, order = [" AND ".join(map(quoted, phrases)), Kind.MEMORY], "ORDER BY bm25(documents)"
    with suppress(IndexDamaged), index.reading() as connection:
        columns = "SELECT name, files.path, title"
        found = connection.execute(f"{columns} {query} {order} LIMIT ?", [*values, limit]).fetchall()
        return found, connection.execute(f"SELECT count(*) {query}", values).fetchone()[0]
    return [], 0


def _phrases(entity: Entity, root: str) -> list[str]:
    """What a memory that names an entity says. It may find too much, as results are checked after reading."""
    if entity.kind == DECISION:
        return _WORD.findall(entity.name.removesuffix("…"))[:_WORDS]
    if entity.kind != FILE:
        return [entity.name]
    path = path_below(entity.name, root)
    if "\\" in path or _WINDOWS_TOO.match(entity.name):
        # Other texts may use other slashes: search for the last parts of the path.
        return [part for part in re.split(r"[\\/]", path)[-2:] if part]
    return [path]


def memory_graph(
    backend: MemoryStore,
    where: Filter,
    *,
    least: int = 1,
    cancelled: Callable[[], bool] = lambda: False,
) -> Graph:
    """The graph of the memories that pass a filter, newest first; broken ones are left out.

    Args:
        backend: the store.
        where: the filter.
        least: leave out entities that fewer of them name.
        cancelled: polled before each reading; True leaves out the rest.

    Raises:
        FileProblem: the store cannot be listed.
    """
    memories = []
    for listed in backend.list(where).items:
        if cancelled():
            break
        if listed.problem:
            continue
        try:
            named = entities_of(backend.get(listed.meta.id))
        except FileProblem:  # gone since it was listed
            continue
        memories.append((listed.meta.id, listed.title, named))
    return graph_of(memories, least=least)
