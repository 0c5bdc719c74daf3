"""The search index is made beside the app when there are many memories, and ends with it."""

from __future__ import annotations

import pytest

from memtui.app import project as comparison
from memtui.app.readings import Indexer
from memtui.ground.project import Places
from memtui.store.relations import memories_in
from memtui.store.search_index import SearchIndex
from tests.app.harness import opened
from tests.app.world import World


async def test_many_memories_are_indexed_in_a_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_MANY", 3)
    for number in range(3):
        world.memory(number, f"Memory {number}")
    async with opened(world) as driver:
        indexer = driver.app.model.indexer
        await driver.until(lambda: world.home.cache.joinpath("index.db").exists(), "the index")
        await driver.until(lambda: not indexer.is_running, "its end")
        assert len(memories_in(SearchIndex(driver.app.model.places), limit=9)[0]) == 3


def test_it_ends_on_request_and_does_not_begin_again(world: World) -> None:
    indexer = Indexer(Places(world.project, world.home, world.claude))
    indexer.start()
    indexer.stop()
    assert not indexer.is_running
    indexer.start()
    assert not indexer.is_running
