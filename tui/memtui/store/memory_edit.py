"""Changing the front matter of a stored memory, while people and programs may edit its file."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memtui.formats.model import FormatError
from memtui.formats.stored_memory import (
    HEAD_LIMIT,
    MemoryMeta,
    StoredMemory,
    has_front_matter,
    render_stored,
)
from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileChanged,
    FileLocked,
    FileProblem,
    FileTooLarge,
    Replaced,
    load_within,
    replace_expected,
)
from memtui.store.base import New
from memtui.store.stored_files import LIMIT, MOST, read_stored

LOOK_AGAIN: tuple[float, ...] = (0.0, 0.005, 0.02)
"""Seconds after which to check whether another program has written into the replaced file."""

_STILL = 0.05
"""Seconds that a file without front matter must stay unchanged: an editor may just have emptied it."""

_TRIES = 20
"""Number of tries if another program writes the file meanwhile."""


def render_checked(path: Path, meta: MemoryMeta, body: bytes) -> bytes:
    """The file of a memory.

    Raises:
        FileTooLarge: it could not be read again.
    """
    if len(body) > LIMIT:
        raise FileTooLarge(path, f"cannot be written: the text is larger than {LIMIT >> 20} MB")
    data = render_stored(StoredMemory(meta=meta, body=body))
    if len(data) - len(body) > HEAD_LIMIT:
        most = HEAD_LIMIT >> 10
        raise FileTooLarge(
            path, f"cannot be written: description and tags are longer than {most} KB; shorten them"
        )
    return data


def render_new(path: Path, memory_id: str, new: New, created: datetime) -> tuple[MemoryMeta, bytes]:
    """The front matter and the file of a new memory.

    Raises:
        FileTooLarge: as in `render_checked`.
    """
    meta = new.meta(memory_id, created)
    return meta, render_checked(path, meta, new.body)


class MemoryEdit:
    """A change of one file's front matter; the caller holds the memory's lock."""

    def __init__(self, path: Path, root: Path, clock: Clock) -> None:
        self._path = path
        self._root = root
        self._clock = clock
        self.before: bytes | None = None
        """The content before `apply`; None if it has changed nothing."""
        self.after = b""

    def apply(self, changes: Mapping[str, object]) -> MemoryMeta:
        """Change fields of `MemoryMeta` and keep every other byte, including concurrent changes.

        Raises:
            FileMissing: the file has been deleted.
            FileProblem: it is broken, or cannot be written; nothing was changed.
        """
        late: bytes | None = None
        for _ in range(_TRIES):
            now, found = self._read(), late
            memory = self._memory(now if late is None else late)
            meta = memory.meta.replace(**changes)
            if meta == memory.meta and late is None:
                return meta
            meta = meta.replace(updated=self._clock())
            data = render_checked(self._path, meta, memory.body)
            try:
                with replace_expected(self._path, data, expected=now, within=self._root) as replaced:
                    late = _written_late(replaced)
            except FileChanged:
                late = None
                continue
            self.before, self.after = now if found is None else found, data
            if late is None:
                return meta
        raise FileLocked(self._path, "is being overwritten by another program; try again in a moment")

    def _read(self) -> bytes:
        data = self._load()
        while not has_front_matter(data):
            time.sleep(_STILL)
            before, data = data, self._load()
            if data == before:
                break
        return data

    def _load(self) -> bytes:
        return load_within(self._path, self._root, limit=MOST, follow=False).data

    def _memory(self, data: bytes) -> StoredMemory:
        try:
            return read_stored(self._path.name.removesuffix(".md"), data)
        except FormatError as error:
            raise FileProblem(self._path, f"is broken: {error}") from error


def _written_late(replaced: Replaced) -> bytes | None:
    # The change is made, even if the old file cannot be read.
    with suppress(FileProblem):
        return replaced.settled(LOOK_AGAIN)
    return None
