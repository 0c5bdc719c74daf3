"""Fixtures: two machines, one remote in memory, and a project with memories of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.flows import syncing
from memtui.ground.project import Home, Project
from tests.flows import here
from tests.flows.machines import Machine, Maker
from tests.share.memory_remote import MemoryRemote


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> MemoryRemote:
    remote = MemoryRemote()
    monkeypatch.setattr(syncing, "open_remote", lambda *_: remote)
    return remote


@pytest.fixture
def machine(tmp_path: Path, remote: MemoryRemote) -> Maker:
    return lambda name, **values: Machine(tmp_path, name, **values)


@pytest.fixture
def sync() -> str:
    """What the two machines send; test files may have another."""
    return "shared"


@pytest.fixture
def laptop(machine: Maker, sync: str) -> Machine:
    return machine("laptop", sync=sync)


@pytest.fixture
def desk(machine: Maker, sync: str) -> Machine:
    return machine("desk", sync=sync)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return here.project_in(tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return here.machine(tmp_path, "desk-9f")
