"""A remote in memory, for tests of what uses one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import sha256

from memtui.share.contract import Document, Head, Remote, RemoteProblemError


class MemoryRemote(Remote):
    """The lines of versions, oldest first."""

    def __init__(self) -> None:
        self.lines: dict[str, list[bytes]] = {}
        self.away = False

    def check(self) -> str:
        return f"{len(self.heads())} memories"

    def set_up(self) -> None:
        self.heads()

    def heads(self) -> dict[str, Head]:
        if self.away:
            raise RemoteProblemError("memory", "cannot be reached")
        return {key: Head(self.digest(line[-1]), len(line[-1])) for key, line in self.lines.items()}

    def _read(self, digests: Mapping[str, str]) -> dict[str, bytes]:
        return {key: self.lines[key][-1] for key in digests}

    def holds(self, digests: Mapping[str, str]) -> Collection[str]:
        return {key for key, digest in digests.items() if digest in map(self.digest, self.lines.get(key, []))}

    def digest(self, data: bytes) -> str:
        return sha256(data).hexdigest()

    def write(self, documents: Mapping[str, tuple[int, bytes]]) -> Collection[str]:
        self.heads()
        for key, (_, data) in documents.items():
            self.lines.setdefault(key, []).append(data)
        return documents.keys()

    def history(self, key: str) -> list[bytes]:
        return self.lines.get(key, [])

    def forget(self, key: str, tombstone: tuple[int, bytes]) -> str:
        self.lines[key] = [tombstone[1]]
        return "all its versions are removed."

    def add(self, key: str, **values: object) -> None:
        """Add a version as another machine does."""
        line = self.lines.setdefault(key, [])
        about = {"at": "2026-01-02T12:00:00+00:00", "created": "2026-01-02T12:00:00+00:00", "author": "ann"}
        made = Document.model_validate(about | values | {"version": len(line) + 1})
        line.append(made.render())

    @property
    def newest(self) -> dict[str, Document]:
        return {key: Document.parse(line[-1]) for key, line in self.lines.items()}
