"""The stored memories of a user (seeds 000 and 004): recovery texts under Recovery IDs, kept byte for byte.

``memories/YYYY-MM/CMEM-*.md`` in memtui's data folder, and a trash beside it. One lock guards all writing,
and a file is created exclusively, so two processes never take the same id; the id of a deleted memory is
never taken again. Readers need no lock: files appear, change and disappear atomically. ``memories`` and
``trash`` may themselves be symbolic links within one file system; below them no link is followed.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from memtui.documents.memory import HEAD_LIMIT, RECOVERY_ID, MemoryMeta, StoredMemory, render_stored
from memtui.ground.clock import Clock
from memtui.ground.files import (
    FileChanged,
    FileLocked,
    FileMissing,
    FileProblem,
    FileTooLarge,
    Folder,
    create_exclusive,
    existing_above,
    load_within,
    lock,
    private_folder,
    sweep_temps,
    write_atomic,
    writing,
)
from memtui.ground.project import Home
from memtui.ground.text import FormatError
from memtui.store.base import Filter, IdTaken, MemoryMissing, New, Page
from memtui.store.listing import STORED_NAME, Entry, newest_first, scan
from memtui.store.memory_labels import quick_labels
from memtui.store.project_test import project_test
from memtui.store.stored_files import (
    LIMIT,
    MOST,
    file_name,
    has_left_over,
    id_of,
    month_folders,
    month_of,
    read_listed,
    read_stored,
    signature_text,
    stored_entries,
)

TRASH_DAYS = 30
"""Days for which the text of a deleted memory is kept."""

_LOCK_SECONDS = 5.0
_TRIES = 20
"""Number of tries if an editor writes the file meanwhile."""
_NEAR = 3
"""Number of suggestions for an unknown id."""
_EVERY = Filter()


class MemoryStore:
    """The memories of one user. Every method may be called from any thread and from several processes."""

    def __init__(self, home: Home, clock: Clock) -> None:
        """Make the object; nothing is opened or made.

        Args:
            home: memtui's own folders.
            clock: gives the time of creations and changes.
        """
        self._home = home
        self._memories = home.memories
        self._trash = home.trash
        self._clock = clock
        self._taken: dict[int, int] = {}
        """Of a second, the first one after it that may be free."""
        self._prepared: set[Path] = set()

    # -- reading ---------------------------------------------------------------------------------------------

    def get(self, memory_id: str) -> StoredMemory:
        """One memory, with the text that was stored.

        Raises:
            MemoryMissing: there is no such memory, or it is in the trash.
            FileProblem: it cannot be read, or its front matter is broken.
        """
        path = self._path(memory_id)
        try:
            return self._read(path)[1]
        except FileMissing:
            raise self._missing(memory_id) from None

    def find(self, beginning: str, *, deleted: bool = False, project: str = "") -> str:
        """The id with this beginning, in any case; ``20260102-10`` will do for ``CMEM-20260102-10...``.

        Args:
            beginning: an id or the unique beginning of one.
            deleted: look in the trash instead.
            project: path of a project's root, within which a beginning may be unique although it is not
                among all memories.

        Raises:
            MemoryMissing: no id begins like this, or several do.
        """
        found = _beginning_with(beginning, self._ids(deleted=deleted))
        if len(found) > 1 and project:
            here = {listed.meta.id for listed in self.list(Filter(project=project)).items}
            found = [each for each in found if each in here] or found
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._missing(beginning, deleted=deleted)
        named = ", ".join(map(self._with_author, found[:_NEAR])) + (" ..." if len(found) > _NEAR else "")
        reason = f"has {len(found)} memories that begin with {beginning.strip()}: {named}; give more of it"
        raise MemoryMissing(self._trash if deleted else self._memories, reason, found[:_NEAR])

    def list(self, where: Filter = _EVERY, *, limit: int | None = None, offset: int = 0) -> Page:
        """Memories, newest first by their ids; including broken ones, as in `Filter.fits`.

        Only those of the page are read in full; of the others a line of their front matter decides.

        Raises:
            FileProblem: the store cannot be listed.
        """
        left_over: list[Path] = []
        entries: Sequence[Entry] = stored_entries(self._memories, left_over)
        for folder in left_over:
            _sweep(folder, self._memories)
        if limit is None or where.tags or where.since or where.until or where.session:
            fitting = [each for each in read_listed(entries, self._memories) if where.fits(each)]
            return Page(tuple(fitting[offset : None if limit is None else offset + limit]), len(fitting))
        if where.project:
            entries = self._of_project(entries, where)
        page = tuple(read_listed(entries[offset : offset + limit], self._memories))
        items = tuple(each for each in page if where.fits(each))
        return Page(items, len(entries) - len(page) + len(items))

    def _of_project(self, entries: Sequence[Entry], where: Filter) -> Sequence[Entry]:
        labels = list(quick_labels(entries, self._home))
        doubtful = [entry for entry, label in labels if label is None]
        listed = zip(doubtful, read_listed(doubtful, self._memories), strict=True)
        fitting = {entry.name for entry, each in listed if where.fits(each)}
        test = project_test(where.project)
        return [
            entry
            for entry, label in labels
            if (entry.name in fitting if label is None else test(label.project))
        ]

    def signature(self, memory_id: str) -> str:
        """The signature of the memory's file; "" if there is no such memory."""
        path = self._find_file(memory_id)
        try:
            return signature_text(os.lstat(path)) if path else ""
        except FileNotFoundError:
            return ""

    def is_deleted(self, memory_id: str) -> bool:
        """Whether the memory is in the trash, or was."""
        return os.path.lexists(f"{self._trash}/{file_name(memory_id)}")

    def deleted(self) -> Page:
        """The memories in the trash, newest first."""
        items = tuple(read_listed(self._thrown_away(), self._trash))
        return Page(items, len(items))

    def _thrown_away(self) -> Sequence[Entry]:
        strange: list[str] = []
        entries = newest_first(scan(self._trash, STORED_NAME, strange))
        if has_left_over(strange):
            _sweep(self._trash, self._trash)
        return [entry for entry in entries if not _is_spent(entry)]

    # -- writing ---------------------------------------------------------------------------------------------

    def create(self, new: New) -> MemoryMeta:
        """Store a memory durably. A text of 0 bytes is stored like any other; 32 MB is the most.

        Raises:
            IdTaken: `new.id` is given, and in use or deleted.
            FileProblem: it cannot be written; nothing was changed.
        """
        created = new.created or self._clock()
        if new.id and not RECOVERY_ID.fullmatch(new.id):
            raise FileProblem(self._memories, f"cannot hold {new.id!r}: an id is like CMEM-20260102-101500")
        with self._writing():
            try:
                memory_id = new.id or self._free_id(created)
            except (ValueError, OverflowError, OSError):
                reason = f"cannot hold a memory made at {created}: no id has such a time"
                raise FileProblem(self._memories, reason) from None
            path = self._place(memory_id)
            if taken := self._find_file(memory_id):
                raise IdTaken(taken, "is there already")
            if self.is_deleted(memory_id):
                aside = self._trash / path.name
                raise IdTaken(aside, "is in the trash, and its id is not given to another memory")
            meta = new.meta(memory_id, created)
            data = _rendered(path, meta, new.body)
            self._prepare(path.parent, self._memories)
            if not _create_file(path, data, self._memories):
                raise IdTaken(path, "has been made by another program meanwhile")
        return meta

    def _free_id(self, moment: datetime) -> str:
        """The first free id from a moment on; in seconds since 1970, so that clock changes need no care."""
        first = math.floor(moment.timestamp())
        for second in count(self._taken.get(first, first)):
            found = time.localtime(second)
            if not 0 < found.tm_year < 10_000:
                raise ValueError("a year that has not four digits")
            memory_id = "CMEM-%04d%02d%02d-%02d%02d%02d" % found[:6]  # noqa: UP031 - twice as fast
            if not self._find_file(memory_id) and not self.is_deleted(memory_id):
                self._taken[first] = second
                return memory_id
        raise AssertionError("seconds do not end")

    def update(
        self, memory_id: str, *, description: str | None = None, tags: Collection[str] | None = None
    ) -> MemoryMeta:
        """Change the front matter of a memory; None keeps a value. The text stays byte for byte.

        Raises:
            MemoryMissing: there is no such memory.
            FileProblem: it cannot be written; nothing was changed.
        """
        wanted = {"description": description, "tags": None if tags is None else tuple(tags)}
        changes = {key: value for key, value in wanted.items() if value is not None}
        return self._rewrite(memory_id, None, None, changes)

    def revise(self, memory_id: str, expected: StoredMemory | None, body: bytes, **values: object) -> None:
        """Replace a memory's text, and fields of its `MemoryMeta`.

        Raises:
            MemoryMissing: there is no such memory.
            FileChanged: it is not `expected` (unless that is None); nothing was changed.
            FileProblem: it is broken, or cannot be written; nothing was changed.
        """
        self._rewrite(memory_id, expected, body, values)

    def _rewrite(
        self,
        memory_id: str,
        expected: StoredMemory | None,
        body: bytes | None,
        values: Mapping[str, object],
    ) -> MemoryMeta:
        path = self._path(memory_id)
        self._prepare(path.parent, self._memories)
        with self._writing(memory_id):
            for _ in range(_TRIES):
                before, stored = self._read(path)
                if expected is not None and stored != expected:
                    raise FileChanged(path, "has changed meanwhile")
                text = stored.body if body is None else body
                meta = stored.meta.replace(**values)
                if meta == stored.meta and text == stored.body:
                    return meta
                if "updated" not in values:
                    meta = meta.replace(updated=self._clock())
                with suppress(FileChanged):
                    data = _rendered(path, meta, text)
                    write_atomic(path, data, mode=None, expected=before, within=self._memories)
                    return meta
        raise FileLocked(path, "is being overwritten by another program; try again in a moment")

    def delete(self, memory_id: str) -> None:
        """Move a memory to the trash. Its id is never used again.

        Raises:
            MemoryMissing: there is no such memory.
            FileProblem: it cannot be moved and stays in its place.
        """
        path = self._path(memory_id)
        aside = self._trash / path.name
        self._prepare(path.parent, self._memories)
        self._prepare(self._trash, self._trash)
        with self._writing(memory_id):
            if not _moved(path, self._memories, aside, self._trash):
                raise FileProblem(aside, "is in the way: the trash holds a memory of this id; move it away")
            with suppress(OSError):
                os.utime(aside, follow_symlinks=False)  # from now on, its days in the trash count

    def restore(self, memory_id: str) -> None:
        """Take a memory out of the trash.

        Raises:
            MemoryMissing: the trash does not hold it.
            IdTaken: a file of that name was put into the store meanwhile.
            FileProblem: it cannot be moved and stays in its place.
        """
        if memory_id not in map(id_of, self._thrown_away()):
            raise self._missing(memory_id, deleted=True)
        path = self._place(memory_id)
        self._prepare(path.parent, self._memories)
        with self._writing():
            there = self._find_file(memory_id)
            aside = self._trash / path.name
            if there or not _moved(aside, self._trash, path, self._memories):
                raise IdTaken(there or path, "is in the way: it was put there after the memory was deleted")

    def tidy(self) -> None:
        """Remove files left by killed processes, and texts deleted longer ago than `TRASH_DAYS`.

        An empty file of the name stays in the trash, so that the id is not used again.
        """
        for folder in month_folders(self._memories):
            _sweep(folder, self._memories)
        _sweep(self._trash, self._trash)
        oldest = (self._clock().timestamp() - TRASH_DAYS * 86_400) * 1e9
        for entry in self._thrown_away():
            if entry.mtime_ns < oldest:
                write_atomic(entry.path, b"", within=self._trash)

    # -- places ----------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self, memory_id: str = "") -> Iterator[None]:
        """Hold the lock of the store; the memory with this id may be gone since."""
        self._prepare(self._memories, self._memories)
        try:
            with lock(self._memories / ".memtui", timeout=_LOCK_SECONDS, within=self._memories):
                yield
        except FileMissing:
            if memory_id:
                raise self._missing(memory_id) from None
            raise

    def _read(self, path: Path) -> tuple[bytes, StoredMemory]:
        data = load_within(path, self._memories, limit=MOST, follow=False).data
        try:
            return data, read_stored(path.name.removesuffix(".md"), data)
        except FormatError as error:
            raise FileProblem(path, f"is broken: {error}") from error

    def _place(self, memory_id: str) -> Path:
        """The path for a new memory's file."""
        return self._memories / month_of(memory_id) / file_name(memory_id)

    def _find_file(self, memory_id: str) -> Path | None:
        """The path of a memory's file, in its month or moved by hand to another."""
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

    def _prepare(self, folder: Path, root: Path) -> None:
        """Create a folder, and once remove files left in it by killed processes."""
        if folder not in self._prepared or not os.path.isdir(folder):  # noqa: PTH112 - raises nothing
            private_folder(folder, within=existing_above(root))
            _sweep(folder, root)
            self._prepared.add(folder)

    def _ids(self, *, deleted: bool = False) -> tuple[str, ...]:
        return tuple(map(id_of, self._thrown_away() if deleted else stored_entries(self._memories)))

    def _with_author(self, memory_id: str) -> str:
        """An id, with the person who shared the memory."""
        with suppress(FileProblem):
            if author := self.get(memory_id).meta.author:
                return f"{memory_id} by {author}"
        return memory_id

    def _missing(self, wanted: str, *, deleted: bool = False) -> MemoryMissing:
        """The problem of an unknown id, with the most similar ones."""
        aside = [] if deleted else _beginning_with(wanted, self._ids(deleted=True))
        if len(aside) == 1:
            there = "it" if aside[0] == wanted else aside[0]
            how = f"`memtui memory undelete {aside[0]}` brings it back"
            reason = f"has no memory {wanted.strip()}: {there} is in the trash, and {how}"
            return MemoryMissing(self._memories, reason)
        ids = self._ids(deleted=deleted)
        near = _nearest(wanted, ids)
        where = f"see `memtui memory list{' --trash' if deleted else ''}`" if ids else "it is empty"
        known = f"nearest: {', '.join(near)}" if near else where
        folder = self._trash if deleted else self._memories
        return MemoryMissing(folder, f"has no memory {wanted.strip() or repr(wanted)}; {known}", near)


def _rendered(path: Path, meta: MemoryMeta, body: bytes) -> bytes:
    """The file of a memory; raises `FileTooLarge` if it could not be read again."""
    if len(body) > LIMIT:
        raise FileTooLarge(path, f"cannot be written: the text is larger than {LIMIT >> 20} MB")
    data = render_stored(StoredMemory(meta=meta, body=body))
    if len(data) - len(body) > HEAD_LIMIT:
        most = HEAD_LIMIT >> 10
        reason = f"cannot be written: description and tags are longer than {most} KB; shorten them"
        raise FileTooLarge(path, reason)
    return data


def _create_file(path: Path, data: bytes, root: Path) -> bool:
    try:
        return create_exclusive(path, data, within=root)
    except FileProblem:
        # It may exist although its folder could not be flushed. It is ours, as we hold the lock.
        with suppress(FileProblem, OSError):
            if load_within(path, root, limit=MOST, follow=False).data == data:
                path.unlink()
        raise


def _moved(old: Path, old_root: Path, new: Path, new_root: Path) -> bool:
    """Move a file under its name to another folder; False when it is there already, by hand for example."""
    with writing(old), Folder(old.parent, within=old_root) as source:
        source.status(old.name)
        with writing(new), Folder(new.parent, within=new_root) as target:
            if target.has(new.name):
                return False
            source.replace(old.name, new.name, target)
            try:
                target.sync()
                source.sync()
            except OSError:
                target.replace(new.name, old.name, source)
                raise
    return True


def _is_spent(entry: Entry) -> bool:
    """Whether only the id of a deleted memory is left."""
    return entry.size == 0


def _sweep(folder: Path, root: Path) -> None:
    sweep_temps(folder, within=root)


def _beginning_with(text: str, ids: Collection[str]) -> list[str]:
    """The ids that begin with `text`, in any case and with or without ``CMEM-``."""
    wanted = text.strip().upper()
    if not wanted.removeprefix("CMEM-"):
        return []
    if not wanted.startswith("CMEM-"):
        wanted = f"CMEM-{wanted}"
    found = [memory_id for memory_id in ids if memory_id.upper().startswith(wanted)]
    return [memory_id for memory_id in found if memory_id.upper() == wanted] or found


def _nearest(text: str, ids: Collection[str]) -> list[str]:
    """Up to three ids that differ from `text` in a digit or two, or begin with the same date."""
    from difflib import get_close_matches  # slow to import, only needed for an error message

    digits = {"".join(char for char in each if char.isdecimal()): each for each in ids}
    wanted = "".join(char for char in text if char in "0123456789")
    alike = get_close_matches(wanted, digits, _NEAR, 0.7) if wanted else []
    return [digits[each] for each in alike]
