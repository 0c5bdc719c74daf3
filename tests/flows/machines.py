"""Machines of the tests that share memories, with one remote in memory."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.flows.shared_names import Names
from memtui.flows.syncing import Sharing, Synced
from memtui.share.remotes import NamedRemote
from memtui.store.base import New
from memtui.store.memory_files import FilesBackend
from memtui.store.stored_files import id_of, stored_entries
from tests.flows import here
from tests.store.memories import home_in

SECRET = "GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345"


class Machine:
    """One machine: its store, and one remote."""

    def __init__(
        self,
        base: Path,
        name: str,
        *,
        sync: str = "shared",
        skew: timedelta = timedelta(),
        known: bool = False,
    ) -> None:
        self.name = name
        self.home = home_in(base / name) if known else here.machine(base, name)
        self.root = base / name / "code" / "shop"
        self.now = datetime(2026, 1, 2, 12, tzinfo=UTC) + skew
        self.store = FilesBackend(self.home, self.clock)
        named = NamedRemote.model_validate({"url": "/x", "sync": sync})
        self.sharing = Sharing(self.home, self.clock, "team", named)

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def new(self, body: bytes = b"## Objective\nFix the cart\n", **values: object) -> str:
        return self.store.create(New(body=body, project=str(self.root), **values)).id  # type: ignore[arg-type]

    def share(self, body: bytes = b"## Objective\nFix the cart\n", **values: object) -> str:
        memory_id = self.new(body, **values)
        self.sharing.share(memory_id)
        return memory_id

    def sync(self) -> Synced:
        return self.sharing.sync()

    def ids(self) -> list[str]:
        """The ids of all memories here, newest first."""
        return [id_of(entry) for entry in stored_entries(self.home.memories)]

    def texts(self) -> dict[str, bytes]:
        """The text of every memory by its id among all machines."""
        return {memory: body for memory, (body, _, _) in self.everything().items()}

    def successors(self) -> dict[str, str]:
        """Superseded memories with those that replace them, by their ids among all machines."""
        names = Names(self.name)
        found = {each: self.store.get(each).meta.superseded_by for each in self.ids()}
        return {names.everywhere(each): names.everywhere(by) for each, by in found.items() if by}

    def everything(self) -> dict[str, tuple[bytes, tuple[str, ...], bool]]:
        """Text and marks of every memory by its id among all machines."""
        found = {Names(self.name).everywhere(each): self.store.get(each) for each in self.ids()}
        return {
            memory: (stored.body, tuple(sorted(stored.meta.tags)), stored.meta.archived)
            for memory, stored in found.items()
        }


Maker = Callable[..., Machine]


def exchange(*machines: Machine) -> None:
    """Let everybody know everything."""
    for _ in range(2):
        for each in machines:
            each.sync()
