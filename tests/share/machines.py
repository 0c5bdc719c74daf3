"""Machines that share memories, for tests: each with folders, a clock and a name of its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.ground.project import Home
from memtui.share.contract import Document, Remote, neutral
from memtui.share.remotes import NamedRemote
from memtui.share.sync import Sharing, Synced
from memtui.store.memories import MemoryStore

SECRET = "GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345"


class Machine:
    """One machine: its store, and one remote."""

    def __init__(self, base: Path, name: str, url: str, **named: object) -> None:
        self.name = name
        folder = base / name
        self.home = Home(*(folder / each for each in ("data", "cache", "state", "config")))
        self.home.memories.mkdir(parents=True, exist_ok=True)
        (self.home.data / "machine").write_text(f"{name}\n")
        self.root = folder / "code" / "shop"
        self.now = datetime(2026, 1, 2, 12, tzinfo=UTC)
        self.store = MemoryStore(self.home, self.clock)
        self.named = NamedRemote.model_validate({"url": url, **named})
        self.sharing = Sharing(self.home, self.clock, "team", self.named)

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    @property
    def remote(self) -> Remote:
        return self.sharing.remote

    def new(self, body: bytes = b"## Objective\nFix the cart\n", **values: object) -> str:
        return self.store.create(body=body, project=str(self.root), **values).id  # type: ignore[arg-type]

    def share(self, body: bytes = b"## Objective\nFix the cart\n", **values: object) -> str:
        memory_id = self.new(body, **values)
        self.sharing.share(memory_id)
        return memory_id

    def edit(self, memory_id: str, body: bytes) -> None:
        self.store.update(memory_id, body=body)

    def has_changed(self, memory_id: str) -> bool:
        """Whether its text is not the remote's, as far as known here."""
        known = self.sharing.state().memories.get(self.sharing.key(memory_id))
        return known is None or known.here != self.sharing.look(self.sharing.key(memory_id))[1]

    def sync(self) -> Synced:
        return self.sharing.sync()

    def restart(self) -> None:
        """Begin anew with what is on the disk."""
        self.sharing = Sharing(self.home, self.clock, "team", self.named)

    def ids(self) -> list[str]:
        return [each.meta.id for each in self.store.list().items]

    def texts(self) -> dict[str, tuple[str, tuple[str, ...], bytes]]:
        """Description, tags and text of every memory that is shared, by its key."""
        known = self.sharing.state().memories
        found = {}
        for memory_id in self.ids():
            stored = self.store.get(memory_id)
            meta, key = stored.meta, self.sharing.key(memory_id)
            if key in known:
                tags = tuple(sorted(meta.tags))
                found[key] = meta.description, tags, neutral(stored.body, meta.project)
        return found


def documents(remote: Remote) -> dict[str, Document]:
    """The newest version of every memory."""
    return {key: Document.parse(data) for key, data in remote.read(remote.heads())}


def held(remote: Remote) -> dict[str, tuple[str, tuple[str, ...], bytes]]:
    """The memories of a remote as `Machine.texts` has them."""
    return {
        key: (each.description, tuple(sorted(each.tags)), each.body)
        for key, each in documents(remote).items()
        if not each.deleted
    }


def all_bodies(remote: Remote, machines: Iterator[Machine] | list[Machine]) -> set[bytes]:
    """Every text that is in a memory, in the trash or in the remote's history."""
    found = {Document.parse(data).body for key in remote.heads() for data in remote.history(key)}
    for machine in machines:
        found |= {machine.store.get(each).body for each in machine.ids()}
        found |= {each.path.read_bytes().partition(b"\n---\n")[2] for each in machine.store.deleted().items}
    return found
