"""The paths of stored memories by id, in their month or in the trash, and their locks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.formats.stored_memory import RECOVERY_ID
from memtui.ground.files import (
    FileMissing,
    existing_above,
    lock,
    private_folder,
    sweep_locks,
    sweep_temps,
)
from memtui.ground.project import Home
from memtui.store.base import IdTaken, MemoryMissing
from memtui.store.listing import STORED_NAME, newest_first, scan
from memtui.store.memory_ids import beginning_with, nearest
from memtui.store.stored_files import file_name, id_of, month_folders, month_of, stored_entries

LOCK_SECONDS = 5.0
"""Maximum seconds to wait for another process that is changing the same memory."""


class MemoryPlaces:
    """The files of one user's memories."""

    def __init__(self, home: Home) -> None:
        self.memories = home.memories
        self.trash = home.trash
        self.swept: set[Path] = set()

    def place(self, memory_id: str) -> Path:
        """The path for a new memory's file."""
        return self.memories / month_of(memory_id) / file_name(memory_id)

    def find_file(self, memory_id: str) -> Path | None:
        """The path of a memory's file, in its month or moved by hand to another."""
        place = self.place(memory_id)
        if os.path.lexists(place):
            return place
        others = (folder / place.name for folder in month_folders(self.memories))
        return next((path for path in others if os.path.lexists(path)), None)

    def path(self, memory_id: str) -> Path:
        """A memory's file.

        Raises:
            MemoryMissing: there is no such memory.
        """
        path = self.find_file(memory_id) if RECOVERY_ID.fullmatch(memory_id) else None
        if path is None:
            raise self.missing(memory_id)
        return path

    def refuse_taken(self, memory_id: str, path: Path) -> None:
        """Raise `IdTaken` if a memory has this id, or had it and is in the trash."""
        if os.path.lexists(path):
            raise IdTaken(path, "is there already")
        aside = self.trash / path.name
        if os.path.lexists(aside):
            raise IdTaken(aside, "is in the trash, and its id is not given to another memory")
        if other := self.find_file(memory_id):
            raise IdTaken(other, "is there already")

    def ids(self, *, deleted: bool = False) -> tuple[str, ...]:
        """All ids, newest first: of the store, or of the trash."""
        entries = scan(self.trash, STORED_NAME) if deleted else stored_entries(self.memories)
        return tuple(id_of(entry) for entry in newest_first(entries))

    def missing(self, wanted: str, *, deleted: bool = False) -> MemoryMissing:
        """The problem of an unknown id, with the most similar ones."""
        aside = () if deleted else beginning_with(wanted, self.ids(deleted=True))
        if len(aside) == 1:
            there = "it" if aside[0] == wanted else aside[0]
            how = f"`memtui memory undelete {aside[0]}` brings it back"
            reason = f"has no memory {wanted.strip()}: {there} is in the trash, and {how}"
            return MemoryMissing(self.memories, reason)
        folder = self.trash if deleted else self.memories
        ids = self.ids(deleted=deleted)
        near = nearest(wanted, ids)
        where = "list --trash" if deleted else "list"
        known = (
            f"nearest: {', '.join(near)}"
            if near
            else f"see `memtui memory {where}`"
            if ids
            else "it is empty"
        )
        return MemoryMissing(folder, f"has no memory {wanted.strip() or repr(wanted)}; {known}", near)

    @contextmanager
    def held(self, path: Path, *, deleted: bool = False) -> Iterator[None]:
        """Hold the lock of a memory."""
        try:
            with lock(lockable(path), timeout=LOCK_SECONDS, within=self.memories):
                yield
        except FileMissing:  # deleted since
            raise self.missing(path.name.removesuffix(".md"), deleted=deleted) from None

    def prepare(self, folder: Path, root: Path) -> None:
        """Create a folder, and once remove files left in it by killed processes."""
        if folder not in self.swept or not os.path.isdir(folder):  # noqa: PTH112 - raises nothing
            private_folder(folder, within=existing_above(root))
            sweep(folder, root)
            self.swept.add(folder)


def lockable(path: Path) -> Path:
    """The path for a memory's lock: hidden, so that listings treat it as a left-over."""
    return path.with_name(f".{path.name.removesuffix('.md')}")


def is_locked(path: Path) -> bool:
    """Whether a process is changing this memory, or was killed doing so."""
    where = lockable(path)
    return os.path.lexists(where.with_name(where.name + ".lock"))


def sweep(folder: Path, root: Path) -> None:
    """Remove files left in a folder by killed processes."""
    sweep_temps(folder, within=root)
    sweep_locks(folder, within=root)
