"""Machines that sync at random by either engine end equal; the full size is in benchmarks/."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.flows import syncing
from memtui.share.git_remote import GitRemote
from memtui.share.postgres_remote import PostgresRemote
from tests.share.memory_remote import MemoryRemote
from tests.share.simulation import simulate


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(syncing), "open_remote", None)


def test_through_git(hub: Path, tmp_path: Path) -> None:
    done = simulate(
        tmp_path,
        lambda name: GitRemote(str(hub), tmp_path / f"{name}.git", author="ann", machine=name),
        machines=3,
        memories=5,
        seed=1,
        rounds=3,
    )
    assert done.equal
    assert done.memories > 10
    assert done.cut > 1


def test_through_postgres(database: str, tmp_path: Path) -> None:
    done = simulate(tmp_path, lambda name: PostgresRemote(database), machines=3, memories=5, seed=2, rounds=4)
    assert done.equal
    assert done.memories > 10


@pytest.mark.parametrize("seed", range(2))
def test_through_memory(tmp_path: Path, seed: int) -> None:
    remote = MemoryRemote()
    done = simulate(tmp_path, lambda name: remote, machines=4, memories=6, seed=seed, rounds=4)
    assert done.equal
    assert done.memories > 15
    assert done.superseded
