"""Many memories at once: none is visible before all are on the disk, and no id is used twice."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.store.base import New
from memtui.store.memory_batch import MemoryBatch
from memtui.store.memory_files import FilesBackend
from tests.store.memories import home_in

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def _new(number: int, body: bytes = b"text") -> New:
    return New(body=body, id=f"CMEM-20260102-12000{number}@desk", created=NOON)


@pytest.mark.parametrize("number", [1, 1000])
def test_they_appear_when_the_batch_is_finished(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sync", lambda: None)
    home = home_in(tmp_path)
    store = FilesBackend(home, lambda: NOON)
    store.create(_new(1, b"mine"))
    store.create(_new(2))
    store.delete(_new(2).id)
    batch = MemoryBatch(home, number=number)
    assert batch.has(_new(1).id)
    assert not batch.has(_new(3).id)
    for each in (1, 2, 3):
        batch.add(_new(each))
    assert store.list().total == 1
    made = batch.finish()
    assert made == {_new(3).id: store.signature(_new(3).id)}
    assert [store.get(_new(each).id).body for each in (1, 3)] == [b"mine", b"text"]
    assert store.is_deleted(_new(2).id)
    assert not list(home.memories.rglob("*.tmp"))


def test_texts_are_flushed_before_they_get_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = home_in(tmp_path)
    batch = MemoryBatch(home, number=1000)
    batch.add(_new(1))
    seen: list[int] = []
    monkeypatch.setattr(os, "sync", lambda: seen.append(len(list(home.memories.rglob("CMEM*")))))
    batch.finish()
    assert seen == [0]


def test_an_unfinished_batch_leaves_nothing(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    batch = MemoryBatch(home, number=1)
    batch.add(_new(1))
    batch.discard()
    assert not list(home.memories.rglob("*.tmp"))
    assert batch.finish() == {}
