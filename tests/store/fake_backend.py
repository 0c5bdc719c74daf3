"""A store in memory, which shows that the tests of the contract require nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ParamSpec, TypeVar

from memtui.formats.stored_memory import RECOVERY_ID, MemoryMeta, StoredMemory
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.store.base import (
    Filter,
    Found,
    Hit,
    IdTaken,
    Listed,
    MemoryBackend,
    MemoryMissing,
    New,
    Page,
)
from memtui.store.matching import Query
from memtui.store.stored_files import objective

P = ParamSpec("P")
T = TypeVar("T")
NOWHERE = Path("nowhere")
_ALL = Filter()


def _alone(method: Callable[P, T]) -> Callable[P, T]:
    """Let one thread at a time into the store."""

    def guarded(*args: P.args, **options: P.kwargs) -> T:
        store = args[0]
        assert isinstance(store, FakeBackend)
        with store.guard:
            return method(*args, **options)

    return guarded


class FakeBackend(MemoryBackend):
    """Dictionaries."""

    def __init__(self, clock: Clock) -> None:
        self.guard = threading.RLock()
        self._clock = clock
        self._memories: dict[str, StoredMemory] = {}
        self._trash: dict[str, StoredMemory] = {}

    @_alone
    def create(self, new: New) -> MemoryMeta:
        created = new.created or self._clock()
        memory_id = new.id or self._free_id(created)
        if not RECOVERY_ID.fullmatch(memory_id):
            raise FileProblem(NOWHERE, "is no place for it")
        if memory_id in self._memories or memory_id in self._trash:
            raise IdTaken(NOWHERE, "has it already")
        meta = new.meta(memory_id, created)
        self._memories[memory_id] = StoredMemory(meta=meta, body=new.body)
        return meta

    def _free_id(self, created: datetime) -> str:
        moment = created.astimezone(UTC)
        while True:
            memory_id = moment.astimezone().strftime("CMEM-%Y%m%d-%H%M%S")
            if memory_id not in self._memories and memory_id not in self._trash:
                return memory_id
            moment += timedelta(seconds=1)

    @_alone
    def get(self, memory_id: str) -> StoredMemory:
        return self._of(self._memories, memory_id)

    @_alone
    def find(self, beginning: str, *, deleted: bool = False) -> str:
        place = self._trash if deleted else self._memories
        wanted = "CMEM-" + beginning.strip().upper().removeprefix("CMEM-")
        found = [wanted] if wanted in place else [each for each in place if each.startswith(wanted)]
        if len(found) != 1 or wanted == "CMEM-":
            raise MemoryMissing(NOWHERE, f"has {len(found)} of {beginning}", sorted(place)[:3])
        return found[0]

    @_alone
    def list(self, where: Filter = _ALL, *, limit: int | None = None, offset: int = 0) -> Page:
        fitting = [each for each in _listed(self._memories) if where.fits(each)]
        return Page(tuple(fitting[offset : None if limit is None else offset + limit]), len(fitting))

    @_alone
    def search(self, query: str, where: Filter = _ALL, *, limit: int = 20, offset: int = 0) -> Found:
        wanted = Query.parse(query)
        hits = []
        for each in _listed(self._memories):
            memory = self._memories[each.meta.id]
            said = (
                each.meta.id,
                each.meta.description,
                *each.meta.tags,
                memory.body.decode("utf-8", "replace"),
            )
            text = "\n".join(said)
            if where.fits(each) and wanted.matches(text):
                hits.append(Hit(each, *wanted.snippet(text), 0.0))
        return Found(tuple(hits[offset : offset + limit]), len(hits))

    @_alone
    def update(
        self,
        memory_id: str,
        *,
        description: str | None = None,
        tags: Collection[str] | None = None,
        archived: bool | None = None,
        pinned: bool | None = None,
        superseded_by: str | None = None,
        supersedes: Collection[str] | None = None,
    ) -> MemoryMeta:
        memory = self._of(self._memories, memory_id)
        old = memory.meta
        meta = old.replace(
            description=old.description if description is None else description,
            tags=old.tags if tags is None else tuple(tags),
            archived=old.archived if archived is None else archived,
            pinned=old.pinned if pinned is None else pinned,
            superseded_by=old.superseded_by if superseded_by is None else superseded_by,
            supersedes=old.supersedes if supersedes is None else tuple(supersedes),
        )
        if meta != old:
            meta = meta.replace(updated=self._clock())
        self._memories[memory_id] = memory.replace(meta=meta)
        return meta

    @_alone
    def delete(self, memory_id: str) -> None:
        self._trash[memory_id] = self._of(self._memories, memory_id)
        del self._memories[memory_id]

    @_alone
    def restore(self, memory_id: str) -> None:
        self._memories[memory_id] = self._of(self._trash, memory_id)
        del self._trash[memory_id]

    @_alone
    def deleted(self) -> Page:
        found = tuple(_listed(self._trash))
        return Page(found, len(found))

    def _of(self, place: Mapping[str, StoredMemory], memory_id: str) -> StoredMemory:
        if memory_id not in place:
            raise MemoryMissing(NOWHERE, f"has no memory {memory_id!r}", sorted(place)[:3])
        return place[memory_id]


def _listed(place: Mapping[str, StoredMemory]) -> Sequence[Listed]:
    return [
        Listed(memory.meta, NOWHERE, memory.meta.description or objective(memory.body) or memory_id)
        for memory_id, memory in sorted(place.items(), reverse=True)
    ]
