"""Ids: each second is tried once, and an unknown id is answered with what may be meant."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.store.base import MemoryMissing, New
from memtui.store.memory_files import FilesBackend
from memtui.store.memory_ids import Seconds
from tests.store.contract_base import FIRST, Watch
from tests.store.memories import home_in

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def test_no_second_is_tried_twice() -> None:
    tried: list[str] = []

    def take(memory_id: str) -> bool:
        tried.append(memory_id)
        return len(tried) != 1  # another process has the first

    seconds = Seconds()
    seconds.claim(NOON, take)
    seconds.claim(NOON, take)
    assert tried == [f"CMEM-20260102-12000{number}" for number in range(3)]


def reason(store: FilesBackend, wanted: str, *, deleted: bool = False) -> str:
    with pytest.raises(MemoryMissing) as caught:
        store.find(wanted, deleted=deleted)
    home = home_in(caught.value.path.parents[1])
    assert caught.value.path == (home.trash if deleted else home.memories)
    return caught.value.reason


def test_an_unknown_id_is_answered_with_what_may_be_meant(tmp_path: Path) -> None:
    store = FilesBackend(home_in(tmp_path), Watch())
    assert reason(store, "x") == "has no memory x; it is empty"
    store.create(New(b""))
    assert reason(store, "x") == "has no memory x; see `memtui memory list`"
    assert reason(store, " 20260102-101501") == f"has no memory 20260102-101501; nearest: {FIRST}"
    assert reason(store, "2026", deleted=True) == "has no memory 2026; it is empty"
    store.delete(FIRST)
    back = f"`memtui memory undelete {FIRST}` brings it back"
    assert reason(store, FIRST) == f"has no memory {FIRST}: it is in the trash, and {back}"
    assert reason(store, "2026") == f"has no memory 2026: {FIRST} is in the trash, and {back}"
    assert reason(store, "x", deleted=True) == "has no memory x; see `memtui memory list --trash`"
