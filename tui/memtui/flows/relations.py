"""Which memories of a store are related to one, and the graph of all: `extract.entities` over a backend.

Nothing is stored: the search says which memories name a thing, and only the likeliest relatives are read.
With 10,000 memories that takes a fraction of reading them all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from memtui.files import FileProblem
from memtui.formats.model import FormatError
from memtui.formats.recovery import Recovery, parse_recovery
from memtui.formats.stored_memory import StoredMemory
from memtui.relations.entities import (
    DECISION,
    FILE,
    PROJECT,
    SESSION,
    Entity,
    Key,
    below,
    entities,
    related,
    telling,
)
from memtui.relations.graph import Graph, graph_of
from memtui.store.base import Filter, Listed, MemoryBackend

_ASKED = 24
"""Entities that are searched for at most, files first."""
_HITS = 40
"""Memories taken of one search."""
_READ = 40
"""Memories read in the end, to see what they really name."""
_NEAR = 200
"""Memories of those days that are looked at."""
_SESSION_LASTS = timedelta(days=7)
"""Memories of one session are not further apart."""
_WORD = re.compile(r"\w+")
_WORDS = 8
"""Words of a decision that are searched for."""
_WINDOWS_TOO = re.compile(r"/mnt/[a-z]/", re.IGNORECASE)
"""A drive of Windows as WSL mounts it."""
_RECOVERY_LIMIT = 1 << 20
"""Bytes of the largest text that is taken apart; a real one has some thousand."""


@dataclass(frozen=True, slots=True)
class Related:
    """A memory that names what another one names, too."""

    listed: Listed
    shared: tuple[Entity, ...]
    """The most telling first."""
    score: float
    """Higher is nearer; comparable among the relations of one memory."""


def entities_of(stored: StoredMemory) -> tuple[Entity, ...]:
    """What a stored memory names. Of a text that is no recovery text, only the store's word is known."""
    recovery = Recovery()
    if len(stored.body) <= _RECOVERY_LIMIT:
        with suppress(FormatError):
            recovery = parse_recovery(stored.body.decode("utf-8", "replace"))
    return entities(recovery, stored.meta)


def related_memories(
    backend: MemoryBackend,
    memory_id: str,
    *,
    limit: int = 10,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Related]:
    """The memories related to one, nearest first, without archived ones.

    Args:
        backend: the store.
        memory_id: the whole id of the one.
        limit: the most that are returned.
        cancelled: asked before each search and each reading; when it answers True, the result is empty.

    Raises:
        MemoryMissing: there is no such memory.
        FileProblem: it cannot be read, or the store not listed.
    """
    stored = backend.get(memory_id)
    mine = entities_of(stored)
    search = _Search(backend, stored, mine)
    for entity in search.asked():
        if cancelled():
            return []
        search.ask(entity)
    others: dict[str, Sequence[Entity]] = {}
    for candidate in search.nearest():
        if cancelled():
            return []
        try:
            others[candidate] = entities_of(backend.get(candidate))
        except FileProblem:  # gone or broken since it was found
            continue
    found = related(mine, others, search.named_by, search.total)
    return [Related(search.listed[each.id], each.shared, each.score) for each in found[:limit]]


class _Search:
    """Who may be related to one memory, and how telling each thing is that it names."""

    def __init__(self, backend: MemoryBackend, stored: StoredMemory, mine: Sequence[Entity]) -> None:
        self._backend = backend
        self._meta = stored.meta
        self._mine = mine
        self._root = next((entity.name for entity in mine if entity.kind == PROJECT), "")
        self._scores: defaultdict[str, float] = defaultdict(float)
        self.named_by: dict[Key, int] = {}
        self.listed: dict[str, Listed] = {}
        self.total = backend.search("", limit=1).total
        self._same_session()

    def asked(self) -> list[Entity]:
        """What is searched for: files first, for most relations are by them."""
        some = [entity for entity in self._mine if entity.kind != PROJECT]
        return sorted(some, key=lambda entity: entity.kind != FILE)[:_ASKED]

    def ask(self, entity: Entity) -> None:
        """Look up who names an entity."""
        found = self._backend.search(_query(entity, self._root), limit=_HITS)
        count = self.named_by[entity.key] = max(found.total, self.named_by.get(entity.key, 0))
        for hit in found.hits:
            self._add(hit.listed, telling(entity.key, max(2, count), self.total))

    def nearest(self) -> list[str]:
        """The ids of those that are worth reading."""
        return sorted(self._scores, key=lambda each: (-self._scores[each], each))[:_READ]

    def _same_session(self) -> None:
        """Find the memories of the same session of Claude Code: the store says so, not their texts."""
        session = self._meta.session_id
        if not session:
            return
        about = Filter(since=self._meta.created - _SESSION_LASTS, until=self._meta.created + _SESSION_LASTS)
        # An empty search, not a list: an index answers it without opening every file.
        near = self._backend.search("", about, limit=_NEAR).hits
        same = [hit.listed for hit in near if hit.listed.meta.session_id == session]
        key = Entity(SESSION, session).key
        self.named_by[key] = len(same)
        for each in same:
            self._add(each, telling(key, max(2, len(same)), self.total))

    def _add(self, listed: Listed, score: float) -> None:
        if listed.meta.id != self._meta.id and not listed.problem:
            self._scores[listed.meta.id] += score
            self.listed[listed.meta.id] = listed


def _query(entity: Entity, root: str) -> str:
    """A search for an entity. It may find more than what names it: what is read is looked at again."""
    if entity.kind == DECISION:
        return " ".join(_WORD.findall(entity.name.removesuffix("…"))[:_WORDS])
    if entity.kind != FILE:
        return _phrase(entity.name)
    path = below(entity.name, root)
    if "\\" in path or _WINDOWS_TOO.match(entity.name):
        # Others may write it with other slashes: its last parts, wherever they stand.
        return " ".join(_phrase(part) for part in re.split(r"[\\/]", path)[-2:] if part)
    return _phrase(path)


def _phrase(text: str) -> str:
    """A text as one term of a search; a quote in it, which would end the term, makes it several."""
    return " ".join(f'"{part}"' for part in text.split('"') if part.strip())


def memory_graph(
    backend: MemoryBackend,
    where: Filter,
    *,
    least: int = 1,
    cancelled: Callable[[], bool] = lambda: False,
) -> Graph:
    """The graph of the memories that a filter means, newest first; broken ones are left out.

    Args:
        backend: the store.
        where: which memories.
        least: leave out entities that fewer of them name.
        cancelled: asked before each reading; when it answers True, the rest is left out.

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
