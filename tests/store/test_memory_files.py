"""Memories as files pass the contract."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from memtui.documents.memory import render_stored
from memtui.ground.clock import Clock
from memtui.store.memories import MemoryStore
from tests.store.contract import Contract
from tests.store.contract_machine import PHASES, InAnyOrder
from tests.store.memories import home_in


class TestFilesBackend(Contract):
    @pytest.fixture(autouse=True)
    def _places(self, tmp_path: Path) -> None:
        self.base = tmp_path
        self.number = 0

    def make(self, clock: Clock) -> MemoryStore:
        self.number += 1
        return MemoryStore(home_in(self.base / str(self.number)), clock)


class FilesInAnyOrder(InAnyOrder):
    """With people who edit, delete and add files by hand."""

    def make(self, clock: Clock) -> MemoryStore:
        self.base = Path(tempfile.mkdtemp())
        return MemoryStore(home_in(self.base), clock)

    def teardown(self) -> None:
        shutil.rmtree(self.base)

    def path_of(self, memory_id: str) -> Path:
        (path,) = home_in(self.base).memories.glob(f"*/{memory_id}.md")
        return path

    @rule(memory_id=InAnyOrder.known, body=st.binary(max_size=20))
    def edit_by_hand(self, memory_id: str, body: bytes) -> None:
        if memory_id in self.memories:
            memory = self.memories[memory_id].replace(body=body)
            self.path_of(memory_id).write_bytes(render_stored(memory))
            self.memories[memory_id] = memory

    @rule(memory_id=InAnyOrder.known)
    def delete_by_hand(self, memory_id: str) -> None:
        if memory_id in self.memories:
            self.path_of(memory_id).unlink()
            del self.memories[memory_id]
            self.used.discard(memory_id)

    @rule(memory_id=InAnyOrder.known)
    def move_by_hand(self, memory_id: str) -> None:
        if memory_id in self.memories:
            other = home_in(self.base).memories / "1980-01"
            other.mkdir(exist_ok=True)
            self.path_of(memory_id).rename(other / f"{memory_id}.md")


TestFilesInAnyOrder = FilesInAnyOrder.TestCase
TestFilesInAnyOrder.settings = settings(max_examples=12, stateful_step_count=20, phases=PHASES)
