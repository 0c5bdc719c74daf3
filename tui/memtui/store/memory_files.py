"""Memories as files: one each, readable, and the truth; every index is made from them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.clock import Clock
from memtui.files import (
    FileLocked,
    FileMissing,
    FileProblem,
    create_exclusive,
    existing_above,
    load_within,
    lock,
    move_new,
    private_folder,
    sweep_locks,
    sweep_temps,
)
from memtui.formats.model import FormatError
from memtui.formats.stored_memory import RECOVERY_ID, MemoryMeta, StoredMemory
from memtui.project import Home
from memtui.store.base import (
    Filter,
    Found,
    IdTaken,
    MemoryBackend,
    MemoryMissing,
    New,
    Page,
)
from memtui.store.listing import STORED_NAME, newest_first, scan
from memtui.store.memory_edit import MemoryEdit, render_checked
from memtui.store.memory_ids import NEAR, Seconds, beginning_with, nearest
from memtui.store.memory_page import page_of
from memtui.store.stored_files import (
    MOST,
    file_name,
    has_left_over,
    id_of,
    month_folders,
    month_of,
    read_listed,
    read_stored,
    stored_entries,
)

if TYPE_CHECKING:
    from memtui.store.index import SearchIndex

LOCK_SECONDS = 5.0
"""How long to wait for another process that is changing the same memory."""


_ACTIVE = Filter()


class FilesBackend(MemoryBackend):
    """The store in memtui's data folder: ``memories/YYYY-MM/CMEM-*.md``, and a trash beside it.

    Whoever writes a memory holds the lock of its id, so two processes never take the same id, and an id in
    the trash is never taken. Readers need no lock: files appear, change and go in one step each.

    ``memories`` and ``trash`` may themselves be symbolic links, as long as both lead to one file system: a
    delete moves the file. Below them a linked file is not read, and nothing is written through a link.
    """

    def __init__(self, home: Home, clock: Clock) -> None:
        """Make the object; nothing is opened or made.

        Args:
            home: memtui's own folders.
            clock: tells the time of what is created and changed.
        """
        self._home = home
        self._memories = home.memories
        self._trash = home.trash
        self._clock = clock
        self._seconds = Seconds()
        self._swept: set[Path] = set()

    def create(self, new: New) -> MemoryMeta:
        """See `MemoryBackend.create`. A text of 0 bytes is stored like any other; 32 MB is the most."""
        created = new.created or self._clock()
        if new.id:
            if not RECOVERY_ID.fullmatch(new.id):
                raise FileProblem(
                    self._memories, f"cannot hold {new.id!r}: an id is like CMEM-20260102-101500"
                )
            return self._create(new.id, new, created, timeout=LOCK_SECONDS)
        made: list[MemoryMeta] = []

        def take(memory_id: str) -> bool:
            path = self._place(memory_id)
            # A glance first: thousands may be taken, and many processes at it.
            if os.path.lexists(path) or (path.parent in self._swept and _is_locked(path)):
                return False
            try:
                made.append(self._create(memory_id, new, created, timeout=0))
            except (IdTaken, FileLocked):  # locked: another process is about to have it
                return False
            return True

        try:
            self._seconds.claim(created, take)
        except (ValueError, OverflowError, OSError):
            reason = f"cannot hold a memory made at {created}: no id has such a time"
            raise FileProblem(self._memories, reason) from None
        return made[0]

    def _create(self, memory_id: str, new: New, created: datetime, *, timeout: float) -> MemoryMeta:
        path = self._place(memory_id)
        self._refuse_taken(memory_id, path)
        self._prepare(path.parent, self._memories)
        with lock(_lockable(path), timeout=timeout, within=self._memories):
            self._refuse_taken(memory_id, path)
            meta = MemoryMeta(
                id=memory_id,
                project=new.project,
                created=created,
                updated=new.updated or created,
                description=new.description,
                tags=new.tags,
                session_id=new.session_id,
                source=new.source,
                archived=new.archived,
            )
            if not _create_file(path, render_checked(path, meta, new.body), self._memories):
                raise IdTaken(path, "has been made by another program meanwhile")
        return meta

    def get(self, memory_id: str) -> StoredMemory:
        """See `MemoryBackend.get`."""
        path = self._path(memory_id)
        try:
            return read_stored(memory_id, load_within(path, self._memories, limit=MOST, follow=False).data)
        except FileMissing:
            raise self._missing(memory_id) from None
        except FormatError as error:
            raise FileProblem(path, f"is broken: {error}") from error

    def find(self, beginning: str, *, deleted: bool = False) -> str:
        """See `MemoryBackend.find`."""
        ids = self._ids(deleted=deleted)
        found = beginning_with(beginning, ids)
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._missing(beginning, deleted=deleted)
        named = ", ".join(found[:NEAR]) + (" ..." if len(found) > NEAR else "")
        reason = f"has {len(found)} memories that begin with {beginning.strip()}: {named}; give more of it"
        raise MemoryMissing(self._trash if deleted else self._memories, reason, found[:NEAR])

    def list(self, where: Filter = _ACTIVE, *, limit: int | None = None, offset: int = 0) -> Page:
        """See `MemoryBackend.list`."""
        left_over: list[Path] = []
        entries = stored_entries(self._memories, left_over)
        for folder in left_over:
            _sweep(folder, self._memories)
        return page_of(entries, where, self._home, limit=limit, offset=offset)

    def search(self, query: str, where: Filter = _ACTIVE, *, limit: int = 20, offset: int = 0) -> Found:
        """See `MemoryBackend.search`."""
        return self._index.search(query, where, limit=limit, offset=offset, now=self._clock())

    @cached_property
    def _index(self) -> SearchIndex:
        from memtui.store.index import SearchIndex  # it takes a while, and only searching needs it

        return SearchIndex(self._home)

    def update(
        self,
        memory_id: str,
        *,
        description: str | None = None,
        tags: Collection[str] | None = None,
        archived: bool | None = None,
        pinned: bool | None = None,
    ) -> MemoryMeta:
        """See `MemoryBackend.update`. A file without front matter gets some."""
        path = self._path(memory_id)
        wanted = {"description": description, "tags": tags, "archived": archived, "pinned": pinned}
        changes = {key: value for key, value in wanted.items() if value is not None}
        if tags is not None:
            changes["tags"] = tuple(tags)
        self._prepare(path.parent, self._memories)
        with self._held(path):
            return MemoryEdit(path, self._memories, self._clock).apply(changes)

    def delete(self, memory_id: str) -> None:
        """See `MemoryBackend.delete`."""
        path = self._path(memory_id)
        self._prepare(path.parent, self._memories)
        self._prepare(self._trash, self._trash)
        with self._held(path):
            aside = self._trash / path.name
            if not move_new(path, aside, old_root=self._memories, new_root=self._trash):
                raise FileProblem(aside, "is in the way: the trash holds a memory of this id; move it away")

    def restore(self, memory_id: str) -> None:
        """See `MemoryBackend.restore`."""
        aside = self._trash / file_name(memory_id)
        if not RECOVERY_ID.fullmatch(memory_id) or not os.path.lexists(aside):
            raise self._missing(memory_id, deleted=True)
        path = self._place(memory_id)
        self._prepare(self._trash, self._trash)
        self._prepare(path.parent, self._memories)
        with self._held(path, deleted=True):
            there = self._find_file(memory_id)
            if there or not move_new(aside, path, old_root=self._trash, new_root=self._memories):
                raise IdTaken(there or path, "is in the way: it was put there after the memory was deleted")

    def deleted(self) -> Page:
        """See `MemoryBackend.deleted`."""
        strange: list[str] = []
        entries = newest_first(scan(self._trash, STORED_NAME, strange))
        if has_left_over(strange):
            _sweep(self._trash, self._trash)
        return Page(tuple(read_listed(entries, self._trash)), len(entries))

    def tidy(self) -> None:
        """Remove what killed processes left behind. Commands do this by themselves where they come by."""
        for folder in (*month_folders(self._memories), self._trash):
            _sweep(folder, self._memories if folder.parent == self._memories else self._trash)

    def _place(self, memory_id: str) -> Path:
        return self._memories / month_of(memory_id) / file_name(memory_id)

    def _find_file(self, memory_id: str) -> Path | None:
        """Where a memory's file is: in its month, or where a person has moved it."""
        place = self._place(memory_id)
        if os.path.lexists(place):
            return place
        others = (folder / place.name for folder in month_folders(self._memories))
        return next((path for path in others if os.path.lexists(path)), None)

    def _path(self, memory_id: str) -> Path:
        path = self._find_file(memory_id) if RECOVERY_ID.fullmatch(memory_id) else None
        if path is None:
            raise self._missing(memory_id)
        return path

    def _refuse_taken(self, memory_id: str, path: Path) -> None:
        if os.path.lexists(path):
            raise IdTaken(path, "is there already")
        aside = self._trash / path.name
        if os.path.lexists(aside):
            raise IdTaken(aside, "is in the trash, and its id is not given to another memory")
        if other := self._find_file(memory_id):
            raise IdTaken(other, "is there already")

    def _ids(self, *, deleted: bool = False) -> tuple[str, ...]:
        entries = scan(self._trash, STORED_NAME) if deleted else stored_entries(self._memories)
        return tuple(id_of(entry) for entry in newest_first(entries))

    def _missing(self, wanted: str, *, deleted: bool = False) -> MemoryMissing:
        aside = () if deleted else beginning_with(wanted, self._ids(deleted=True))
        if len(aside) == 1:
            there = "it" if aside[0] == wanted else aside[0]
            how = f"`memtui memory undelete {aside[0]}` brings it back"
            reason = f"has no memory {wanted.strip()}: {there} is in the trash, and {how}"
            return MemoryMissing(self._memories, reason)
        folder = self._trash if deleted else self._memories
        ids = self._ids(deleted=deleted)
        near = nearest(wanted, ids)
        where = "trash" if deleted else "list"
        known = (
            f"nearest: {', '.join(near)}"
            if near
            else f"see `memtui memory {where}`"
            if ids
            else "it is empty"
        )
        return MemoryMissing(folder, f"has no memory {wanted.strip() or repr(wanted)}; {known}", near)

    @contextmanager
    def _held(self, path: Path, *, deleted: bool = False) -> Iterator[None]:
        try:
            with lock(_lockable(path), timeout=LOCK_SECONDS, within=self._memories):
                yield
        except FileMissing:  # gone since
            raise self._missing(path.name.removesuffix(".md"), deleted=deleted) from None

    def _prepare(self, folder: Path, root: Path) -> None:
        """Make a folder, and once remove what killed processes left in it."""
        if folder not in self._swept or not os.path.isdir(folder):  # noqa: PTH112 - raises nothing
            private_folder(folder, within=existing_above(root))
            _sweep(folder, root)
            self._swept.add(folder)


def _lockable(path: Path) -> Path:
    """What the lock of a memory is named after: with a dot, so that lists see it as something left over."""
    return path.with_name(f".{path.name.removesuffix('.md')}")


def _is_locked(path: Path) -> bool:
    where = _lockable(path)
    return os.path.lexists(where.with_name(where.name + ".lock"))


def _sweep(folder: Path, root: Path) -> None:
    sweep_temps(folder, within=root)
    sweep_locks(folder, within=root)


def _create_file(path: Path, data: bytes, root: Path) -> bool:
    try:
        return create_exclusive(path, data, within=root)
    except FileProblem:
        # It may be there although its folder could not be flushed. Nobody else has it: we hold its lock.
        with suppress(FileProblem, OSError):
            if load_within(path, root, limit=MOST, follow=False).data == data:
                path.unlink()
        raise
