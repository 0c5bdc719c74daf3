"""Machines that edit, delete and sync at random, are killed meanwhile, and lose their connection."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from unittest import mock

from memtui.ground.files import FileProblem
from memtui.share.contract import RemoteProblemError
from memtui.share.sync import Sharing
from memtui.store.memories import MemoryStore
from tests.share.machines import Machine, all_bodies, held


class Killed(BaseException):
    """The process ends here."""


class Simulation:
    """A run: a number of machines, and one remote at `url`."""

    def __init__(self, base: Path, url: str, *, seed: int, machines: int) -> None:
        self.random = random.Random(seed)
        names = ["laptop", "desk", "attic", "boat", "train"][:machines]
        self.machines = [Machine(base, name, url) for name in names]
        self.typed: set[bytes] = set()
        """Texts that must not get lost."""
        self._numbers = count()
        self.fatal = 0.0
        """How probable it is that a process is killed at one of its steps."""
        self.machines[0].remote.set_up()

    def run(self, steps: int) -> None:
        """Make the steps, and compare everything at the end."""
        with ExitStack() as stack:
            store = [(MemoryStore, name) for name in ("create", "update", "delete", "restore")]
            for owner, name in (*store, (Sharing, "save")):
                deadly = self._deadly(getattr(owner, name))
                stack.enter_context(mock.patch.object(owner, name, deadly))
            for _ in range(steps):
                self._step(self.random.choice(self.machines))
            self._settle()

    def _deadly(self, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            self._perhaps_die()
            done = real(*arguments, **named)
            self._perhaps_die()
            return done

        return call

    def _perhaps_die(self) -> None:
        if self.random.random() < self.fatal:
            raise Killed

    def _step(self, machine: Machine) -> None:
        do = self.random.choices(
            (self._new, self._edit, self._tag, self._delete, self._undelete, self._sync),
            weights=(3, 6, 2, 2, 2, 8),
        )
        do[0](machine)

    def _text(self) -> bytes:
        body = f"## Objective\nText {next(self._numbers)}\n".encode()
        self.typed.add(body)
        return body

    def _some(self, ids: Collection[str]) -> str:
        return self.random.choice(sorted(ids)) if ids else ""

    def _new(self, machine: Machine) -> None:
        machine.share(self._text())

    def _edit(self, machine: Machine) -> None:
        if memory_id := self._some(machine.ids()):
            if machine.has_changed(memory_id):  # its author writes over what nobody has seen
                self.typed.discard(machine.store.get(memory_id).body)
            machine.edit(memory_id, self._text())

    def _tag(self, machine: Machine) -> None:
        if memory_id := self._some(machine.ids()):
            machine.store.update(memory_id, tags=[self.random.choice(("one", "two"))])

    def _delete(self, machine: Machine) -> None:
        if memory_id := self._some(machine.ids()):
            machine.store.delete(memory_id)

    def _undelete(self, machine: Machine) -> None:
        if memory_id := self._some([each.meta.id for each in machine.store.deleted().items]):
            machine.store.restore(memory_id)

    def _sync(self, machine: Machine) -> None:
        self.fatal = self.random.choice((0, 0, 0.05, 0.3))
        remote, write = machine.remote, machine.remote.write

        def faulty(documents: Mapping[str, tuple[int, bytes]]) -> Collection[str]:
            chance, fatal = self.random.random(), self.fatal
            if chance < 0.1:
                raise RemoteProblemError("hub", "is away")
            if chance < 0.25:  # somebody else is first
                self.fatal = 0
                self._quietly(self.random.choice([each for each in self.machines if each is not machine]))
                self.fatal = fatal
            self._perhaps_die()
            done = write(documents)
            self._perhaps_die()
            if chance > 0.9:
                raise RemoteProblemError("hub", "is away since the text arrived")
            return done

        with mock.patch.object(remote, "write", faulty):
            self._quietly(machine)
        self.fatal = 0

    def _quietly(self, machine: Machine) -> None:
        try:
            machine.sync()
        except Killed:
            machine.restart()
        except FileProblem:  # the remote is away, or a sync of the same machine is under way
            return

    def _settle(self) -> None:
        for _ in range(6):
            done = [machine.sync() for machine in self.machines]
            if not any(each.sent or each.fetched for each in done):
                break
        else:
            raise AssertionError("it never comes to rest")
        for machine in self.machines:
            assert machine.texts() == held(machine.remote), machine.name
        lost = self.typed - all_bodies(self.machines[0].remote, self.machines)
        assert not lost
