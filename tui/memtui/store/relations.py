"""The memories related to one, and the graph of all memories: `memory_graph.entities` over a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from memtui.documents.memory import StoredMemory
from memtui.documents.memory_graph import PROJECT, Entity, Graph, entities, graph_of
from memtui.documents.recovery import Recovery, parse_recovery
from memtui.ground.files import FileProblem
from memtui.ground.text import FormatError
from memtui.store.memories import MemoryStore, title_of

_NEAR = 400  # the most memories that are compared with one: those made next before and after it
_RECOVERY_LIMIT = 1 << 20  # size of the largest text that is parsed, in bytes; usual ones have some thousand


class Related(NamedTuple):
    """A memory that shares names with another one."""

    id: str
    title: str
    shared: tuple[Entity, ...]


@lru_cache(maxsize=_NEAR + 100)
def entities_of(stored: StoredMemory) -> tuple[Entity, ...]:
    """The entities of a stored memory; only its metadata counts if the text is not a recovery text."""
    recovery = Recovery()
    if len(stored.body) <= _RECOVERY_LIMIT:
        with suppress(FormatError):
            recovery = parse_recovery(stored.body.decode("utf-8", "replace"))
    return entities(recovery, stored.meta)


def related_memories(
    backend: MemoryStore, memory_id: str, *, limit: int = 10, cancelled: Callable[[], bool] = lambda: False
) -> list[Related]:
    """The memories that share most names with one; none if `cancelled`, which is polled, says so."""
    mine = {entity.key for entity in entities_of(backend.get(memory_id))}
    ids = backend.ids()
    first = max(0, ids.index(memory_id) - _NEAR // 2) if memory_id in ids else 0
    found: list[Related] = []
    for other in ids[first : first + _NEAR]:
        if cancelled():
            return []
        with suppress(FileProblem):  # deleted or damaged since
            stored = backend.get(other)
            named = (each for each in entities_of(stored) if each.key in mine and each.kind != PROJECT)
            if (shared := tuple(named)) and other != memory_id:
                found.append(Related(other, title_of(stored), shared))
    # Of memories that share as much the newer comes first, as in `ids`.
    return sorted(found, key=lambda each: -len(each.shared))[:limit]


def memory_graph(
    backend: MemoryStore, project: str = "", tags: Iterable[str] = (), *, least: int = 1
) -> Graph:
    """The graph of the memories that `MemoryStore.list` gives, with entities that `least` of them name."""
    memories = []
    for listed in backend.list(project, tags).items:
        if listed.problem:
            continue
        with suppress(FileProblem):  # gone since it was listed
            named = entities_of(backend.get(listed.id))
            memories.append((listed.id, listed.title, named))
    return graph_of(memories, least=least)
