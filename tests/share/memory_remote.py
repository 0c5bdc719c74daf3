"""A remote in memory: fast enough for hundreds of exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memtui.share.remote import Batch, Outgoing, Remote, RemoteProblemError


@dataclass
class MemoryRemote(Remote):
    """Fulfils the contract; `away` makes it one that cannot be reached."""

    rows: dict[str, Outgoing] = field(default_factory=dict)
    away: bool = False

    def check(self) -> str:
        self._reach()
        return f"{len(self.rows)} records"

    def set_up(self) -> None:
        self._reach()

    def put(self, records: Sequence[Outgoing]) -> None:
        self._reach()
        for each in records:
            self.rows.setdefault(each.name, each)

    def erase(self, key: str, tombstone: Outgoing) -> str:
        self._reach()
        for name in [name for name in self.rows if name.startswith(f"{key}.")]:
            self.rows[name] = Outgoing(name, "", b"")
        self.rows[tombstone.name] = tombstone
        return "nothing"

    def since(self, place: str, projects: Sequence[str] = ()) -> Iterator[Batch]:
        self._reach()
        new = list(self.rows.values())[int(place or 0) :]
        wanted = tuple((each.name, each.data) for each in new if not projects or each.project in projects)
        if new:
            yield Batch(str(len(self.rows)), wanted)

    def _reach(self) -> None:
        if self.away:
            raise RemoteProblemError("memory", "cannot be reached")
