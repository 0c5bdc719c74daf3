"""A store of memories compared with a dictionary after any sequence of operations."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from memtui.documents.memory import MemoryMeta, StoredMemory
from memtui.ground.clock import Clock
from memtui.store.memories import Filter, IdTaken, MemoryMissing, MemoryStore, New
from tests.store.contract_base import Watch, metas, news, tags, words

PHASES = (Phase.explicit, Phase.generate, Phase.shrink)
"""Explaining a failure takes minutes."""


class InAnyOrder(RuleBasedStateMachine):
    """Subclassed for each backend."""

    known = Bundle("known")

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch()
        self.store = self.make(self.watch)
        self.memories: dict[str, StoredMemory] = {}
        self.trash: dict[str, StoredMemory] = {}
        self.used: set[str] = set()

    def make(self, clock: Clock) -> MemoryStore:
        """A new, empty store."""
        raise NotImplementedError

    @rule(target=known, new=news)
    def create(self, new: New) -> str:
        meta = self.store.create(new)
        assert meta.id not in self.used
        self.used.add(meta.id)
        self.memories[meta.id] = StoredMemory(meta=meta, body=new.body)
        return meta.id

    @rule(memory_id=known, new=news)
    def create_once_more(self, memory_id: str, new: New) -> None:
        if memory_id in self.memories or memory_id in self.trash:
            assert _refused(lambda: self.store.create(New(new.body, id=memory_id)), IdTaken)

    @rule(seconds=st.integers(-3, 3))
    def wait(self, seconds: int) -> None:
        self.watch.move(seconds)

    @rule(
        memory_id=known,
        description=st.none() | words,
        new_tags=st.none() | tags,
    )
    def update(
        self,
        memory_id: str,
        description: str | None,
        new_tags: tuple[str, ...] | None,
    ) -> None:
        wanted = {"description": description, "tags": new_tags}

        def act() -> MemoryMeta:
            return self.store.update(memory_id, **wanted)  # type: ignore[arg-type]

        if memory_id not in self.memories:
            assert _refused(act, MemoryMissing)
            return
        old = self.memories[memory_id]
        meta = old.meta.replace(**{key: value for key, value in wanted.items() if value is not None})
        if meta != old.meta:
            meta = meta.replace(updated=self.watch())
        assert act() == meta
        self.memories[memory_id] = old.replace(meta=meta)

    @rule(memory_id=known)
    def delete(self, memory_id: str) -> None:
        if memory_id in self.memories:
            self.store.delete(memory_id)
            self.trash[memory_id] = self.memories.pop(memory_id)
        else:
            assert _refused(lambda: self.store.delete(memory_id), MemoryMissing)

    @rule(memory_id=known)
    def restore(self, memory_id: str) -> None:
        if memory_id in self.trash:
            self.store.restore(memory_id)
            self.memories[memory_id] = self.trash.pop(memory_id)
        else:
            assert _refused(lambda: self.store.restore(memory_id), MemoryMissing)

    @invariant()
    def both_hold_the_same(self) -> None:
        page = self.store.list(Filter())
        assert metas(page) == [memory.meta for _, memory in sorted(self.memories.items(), reverse=True)]
        assert page.total == len(self.memories)
        assert not any(listed.problem for listed in page.items)
        assert metas(self.store.deleted()) == [
            memory.meta for _, memory in sorted(self.trash.items(), reverse=True)
        ]
        for memory_id, memory in self.memories.items():
            assert self.store.get(memory_id) == memory


def _refused(act: Callable[[], object], kind: type[Exception]) -> bool:
    try:
        act()
    except kind:
        return True
    return False
