"""The tests of the contract are passed by a store that has nothing to do with files."""

from __future__ import annotations

from hypothesis import settings

from memtui.ground.clock import Clock
from memtui.store.base import MemoryBackend
from tests.store.contract import Contract
from tests.store.contract_machine import PHASES, InAnyOrder
from tests.store.fake_backend import FakeBackend


class TestFakeBackend(Contract):
    def make(self, clock: Clock) -> MemoryBackend:
        return FakeBackend(clock)


class FakeInAnyOrder(InAnyOrder):
    def make(self, clock: Clock) -> MemoryBackend:
        return FakeBackend(clock)


TestFakeInAnyOrder = FakeInAnyOrder.TestCase
TestFakeInAnyOrder.settings = settings(max_examples=12, stateful_step_count=20, phases=PHASES)
