"""The backend that stores each memory in a file; every index is derived from these."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtui.formats.model import FormatError
from memtui.formats.stored_memory import RECOVERY_ID, MemoryMeta, StoredMemory
from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileChanged,
    FileLocked,
    FileMissing,
    FileProblem,
    Replaced,
    create_exclusive,
    load_within,
    lock,
    move_new,
    replace_expected,
)
from memtui.ground.project import Home
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
from memtui.store.memory_edit import MemoryEdit, render_checked, render_new
from memtui.store.memory_ids import NEAR, Seconds, beginning_with
from memtui.store.memory_page import page_of
from memtui.store.memory_places import LOCK_SECONDS, MemoryPlaces, is_locked, lockable, sweep
from memtui.store.stored_files import (
    MOST,
    file_name,
    has_left_over,
    month_folders,
    read_listed,
    read_stored,
    signature_text,
    stored_entries,
)

if TYPE_CHECKING:
    from memtui.store.index import SearchIndex

_ACTIVE = Filter()


class Revised(NamedTuple):
    """A rewritten file of a memory."""

    path: Path
    data: bytes
    """Its content."""
    old: Replaced
    """The previous file, into which another program may still write."""


class FilesBackend(MemoryBackend):
    """The store in memtui's data folder: ``memories/YYYY-MM/CMEM-*.md``, and a trash beside it.

    Writers hold the lock of the memory's id, so two processes never take the same id, and an id in the trash
    is never taken. Readers need no lock: files appear, change and disappear atomically.

    ``memories`` and ``trash`` may themselves be symbolic links, as long as both lead to one file system: a
    delete moves the file. Below them a linked file is not read, and nothing is written through a link.
    """

    def __init__(self, home: Home, clock: Clock) -> None:
        """Make the object; nothing is opened or made.

        Args:
            home: memtui's own folders.
            clock: gives the time of creations and changes.
        """
        self._home = home
        self._places = MemoryPlaces(home)
        self._memories = home.memories
        self._trash = home.trash
        self._clock = clock
        self._seconds = Seconds()

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
            path = self._places.place(memory_id)
            # A quick check first: many processes may have taken thousands of ids at once.
            if os.path.lexists(path) or (path.parent in self._places.swept and is_locked(path)):
                return False
            try:
                made.append(self._create(memory_id, new, created, timeout=0))
            except (IdTaken, FileLocked):  # locked: another process is about to take it
                return False
            return True

        try:
            self._seconds.claim(created, take)
        except (ValueError, OverflowError, OSError):
            reason = f"cannot hold a memory made at {created}: no id has such a time"
            raise FileProblem(self._memories, reason) from None
        return made[0]

    def _create(self, memory_id: str, new: New, created: datetime, *, timeout: float) -> MemoryMeta:
        path = self._places.place(memory_id)
        self._places.refuse_taken(memory_id, path)
        self._places.prepare(path.parent, self._memories)
        with lock(lockable(path), timeout=timeout, within=self._memories):
            self._places.refuse_taken(memory_id, path)
            meta, data = render_new(path, memory_id, new, created)
            if not _create_file(path, data, self._memories):
                raise IdTaken(path, "has been made by another program meanwhile")
        return meta

    def get(self, memory_id: str) -> StoredMemory:
        """See `MemoryBackend.get`."""
        path = self._places.path(memory_id)
        try:
            return read_stored(memory_id, load_within(path, self._memories, limit=MOST, follow=False).data)
        except FileMissing:
            raise self._places.missing(memory_id) from None
        except FormatError as error:
            raise FileProblem(path, f"is broken: {error}") from error

    def find(self, beginning: str, *, deleted: bool = False) -> str:
        """See `MemoryBackend.find`."""
        ids = self._places.ids(deleted=deleted)
        found = beginning_with(beginning, ids)
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._places.missing(beginning, deleted=deleted)
        named = ", ".join(map(self._with_author, found[:NEAR])) + (" ..." if len(found) > NEAR else "")
        reason = f"has {len(found)} memories that begin with {beginning.strip()}: {named}; give more of it"
        raise MemoryMissing(self._trash if deleted else self._memories, reason, found[:NEAR])

    def _with_author(self, memory_id: str) -> str:
        """An id, with the person who shared the memory."""
        with suppress(FileProblem):
            if author := self.get(memory_id).meta.author:
                return f"{memory_id} by {author}"
        return memory_id

    def list(self, where: Filter = _ACTIVE, *, limit: int | None = None, offset: int = 0) -> Page:
        """See `MemoryBackend.list`."""
        left_over: list[Path] = []
        entries = stored_entries(self._memories, left_over)
        for folder in left_over:
            sweep(folder, self._memories)
        return page_of(entries, where, self._home, limit=limit, offset=offset)

    def search(self, query: str, where: Filter = _ACTIVE, *, limit: int = 20, offset: int = 0) -> Found:
        """See `MemoryBackend.search`."""
        return self._index.search(query, where, limit=limit, offset=offset, now=self._clock())

    @cached_property
    def _index(self) -> SearchIndex:
        from memtui.store.index import SearchIndex  # slow to import, and only needed for searching

        return SearchIndex(self._home)

    def update(
        self,
        memory_id: str,
        *,
        description: str | None = None,
        tags: Collection[str] | None = None,
        archived: bool | None = None,
        superseded_by: str | None = None,
        supersedes: Collection[str] | None = None,
    ) -> MemoryMeta:
        """See `MemoryBackend.update`. Adds missing front matter."""
        path = self._places.path(memory_id)
        wanted: dict[str, object] = {
            "description": description,
            "tags": None if tags is None else tuple(tags),
            "archived": archived,
            "superseded_by": superseded_by,
            "supersedes": None if supersedes is None else tuple(supersedes),
        }
        changes = {key: value for key, value in wanted.items() if value is not None}
        self._places.prepare(path.parent, self._memories)
        with self._places.held(path):
            edit = MemoryEdit(path, self._memories, self._clock)
            meta = edit.apply(changes)
        return meta

    def delete(self, memory_id: str) -> None:
        """See `MemoryBackend.delete`."""
        path = self._places.path(memory_id)
        self._places.prepare(path.parent, self._memories)
        self._places.prepare(self._trash, self._trash)
        with self._places.held(path):
            self._throw_away(path)

    def restore(self, memory_id: str) -> None:
        """See `MemoryBackend.restore`."""
        aside = self._trash / file_name(memory_id)
        if not RECOVERY_ID.fullmatch(memory_id) or not os.path.lexists(aside):
            raise self._places.missing(memory_id, deleted=True)
        path = self._places.place(memory_id)
        self._places.prepare(self._trash, self._trash)
        self._places.prepare(path.parent, self._memories)
        with self._places.held(path, deleted=True):
            self._take_out(memory_id, path)

    def rewrite(self, memory_id: str, body: bytes, **values: object) -> None:
        """Replace a memory's text by another machine's.

        Args:
            memory_id: the memory.
            body: the text.
            values: fields of `MemoryMeta` to change with it.

        Raises:
            MemoryMissing: there is no such memory.
            FileProblem: it is broken, or cannot be written; nothing was changed.
        """
        self.revise(memory_id, None, body, **values).old.close()

    def revise(self, memory_id: str, expected: StoredMemory | None, body: bytes, **values: object) -> Revised:
        """`rewrite`, but only if the text is `expected` (None: in any case); the caller closes the old file.

        Raises:
            MemoryMissing: there is no such memory.
            FileChanged: its text is not `expected`; nothing was changed.
            FileProblem: see `rewrite`.
        """
        path = self._places.path(memory_id)
        self._places.prepare(path.parent, self._memories)
        with self._places.held(path):
            before = load_within(path, self._memories, limit=MOST, follow=False).data
            try:
                stored = read_stored(memory_id, before)
            except FormatError as error:
                raise FileProblem(path, f"is broken: {error}") from error
            if expected is not None and stored != expected:
                raise FileChanged(path, "has changed meanwhile")
            after = render_checked(path, stored.meta.replace(updated=self._clock(), **values), body)
            replaced = replace_expected(path, after, expected=before, within=self._memories)
        return Revised(path, after, replaced)

    def signature(self, memory_id: str) -> str:
        """The signature of the memory's file; "" if there is no such memory."""
        path = self._places.find_file(memory_id)
        try:
            status = os.lstat(path) if path else None
        except FileNotFoundError:
            return ""
        return signature_text(status) if status else ""

    def is_deleted(self, memory_id: str) -> bool:
        """Whether the memory is in the trash."""
        return os.path.lexists(f"{self._trash}/{file_name(memory_id)}")

    def put(self, path: Path, before: bytes | None, after: bytes | None) -> None:
        """Set the content of a memory's file, to undo a change; None moves it to the trash.

        Raises:
            FileChanged: its content is not `before`; nothing was changed.
            FileProblem: it cannot be written.
        """
        self._places.prepare(path.parent, self._memories)
        self._places.prepare(self._trash, self._trash)
        with self._places.held(path):
            if self._content(path) != before:
                raise FileChanged(path, "has changed meanwhile")
            if after is None:
                self._throw_away(path)
            elif before is not None:
                replace_expected(path, after, expected=before, within=self._memories).close()
            elif self._content(self._trash / path.name, self._trash) == after:
                self._take_out(path.name.removesuffix(".md"), path)
            elif not _create_file(path, after, self._memories):
                raise FileChanged(path, "is in the way")

    def _content(self, path: Path, root: Path | None = None) -> bytes | None:
        """A file's content; None if it is missing or unreadable."""
        with suppress(FileProblem):
            return load_within(path, root or self._memories, limit=MOST, follow=False).data
        return None

    def _throw_away(self, path: Path) -> None:
        aside = self._trash / path.name
        if not move_new(path, aside, old_root=self._memories, new_root=self._trash):
            raise FileProblem(aside, "is in the way: the trash holds a memory of this id; move it away")

    def _take_out(self, memory_id: str, path: Path) -> None:
        aside = self._trash / path.name
        there = self._places.find_file(memory_id)
        if there or not move_new(aside, path, old_root=self._trash, new_root=self._memories):
            raise IdTaken(there or path, "is in the way: it was put there after the memory was deleted")

    def deleted(self) -> Page:
        """See `MemoryBackend.deleted`."""
        strange: list[str] = []
        entries = newest_first(scan(self._trash, STORED_NAME, strange))
        if has_left_over(strange):
            sweep(self._trash, self._trash)
        return Page(tuple(read_listed(entries, self._trash)), len(entries))

    def tidy(self) -> None:
        """Remove files left by killed processes. Other methods do so in the folders they use."""
        for folder in (*month_folders(self._memories), self._trash):
            sweep(
                folder,
                self._memories if folder.parent == self._memories else self._trash,
            )


def _create_file(path: Path, data: bytes, root: Path) -> bool:
    try:
        return create_exclusive(path, data, within=root)
    except FileProblem:
        # It may exist although its folder could not be flushed. It is ours, as we hold its lock.
        with suppress(FileProblem, OSError):
            if load_within(path, root, limit=MOST, follow=False).data == data:
                path.unlink()
        raise
