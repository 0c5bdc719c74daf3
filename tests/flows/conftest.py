"""Fixtures: two machines, and one remote in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.flows import syncing
from tests.flows.machines import Machine, Maker
from tests.sharing.memory_remote import MemoryRemote


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> MemoryRemote:
    remote = MemoryRemote()
    monkeypatch.setattr(syncing, "open_remote", lambda *_: remote)
    return remote


@pytest.fixture
def machine(tmp_path: Path, remote: MemoryRemote) -> Maker:
    return lambda name, **values: Machine(tmp_path, name, **values)


@pytest.fixture
def laptop(machine: Maker) -> Machine:
    return machine("laptop")


@pytest.fixture
def desk(machine: Maker) -> Machine:
    return machine("desk")
