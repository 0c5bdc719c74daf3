"""The stored memories of a user (seeds 000 and 004): recovery texts under Recovery IDs, kept byte for byte.

``memories/YYYY-MM/CMEM-*.md`` in memtui's data folder, and a trash beside it. One lock guards all writing,
and a file is created exclusively, so two processes never take the same id; the id of a deleted memory is
never taken again. Readers need no lock: files appear, change and disappear atomically. ``memories`` and
``trash`` may themselves be symbolic links within one file system; below them no link is followed.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from memtui.documents import memory
from memtui.documents.memory import HEAD_LIMIT, RECOVERY_ID, MemoryMeta, StoredMemory
from memtui.ground import files
from memtui.ground.clock import Clock
from memtui.ground.files import FileChanged, FileMissing, FileProblem
from memtui.ground.project import Home, Project
from memtui.ground.text import FormatError
from memtui.store import listing
from memtui.store.listing import Entry

TRASH_DAYS = 30  # days for which the text of a deleted memory is kept

_NEAR = 3  # number of suggestions for an unknown id
HEAD_SIZE = 8 << 10  # number of bytes read for a list: front matter and, without a description, the objective

LIMIT = 32 << 20  # maximum size of a text, in bytes

MOST = LIMIT + HEAD_LIMIT  # maximum size of a file, in bytes

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_OBJECTIVE = r"(?im)^##[ \t]+Objective[^\n]*\n\s*(?!\s*N/A\b)([^\n#][^\n]*)"


class Listed(NamedTuple):
    """A memory in a list: a stored one, or the memory file of a review."""

    meta: MemoryMeta
    """For an unreadable file and for a memory file only `bare_meta`."""
    path: Path
    title: str
    """As in `title_of`; of a memory file its heading, else its name."""
    problem: str = ""

    @property
    def id(self) -> str:
        """The Recovery ID of a stored memory, else the file's name without its suffix."""
        return self.meta.id

    @property
    def time(self) -> datetime | None:
        """Its time of creation; None if neither text nor name contain it."""
        return None if self.meta.created == _LONG_AGO else self.meta.created


class Page(NamedTuple):
    """Part of a list, newest first, with the total number."""

    items: tuple[Listed, ...]
    total: int


class MemoryStore:
    """The memories of one user. Every method may be called from any thread and from several processes."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self._memories = home.memories
        self._trash = home.trash
        self._clock = clock

    # -- reading ---------------------------------------------------------------------------------------------

    def get(self, memory_id: str) -> StoredMemory:
        """One memory, with the text that was stored; `FileMissing` also if it is in the trash."""
        path = self.path(memory_id)
        try:
            return self._read(path)[1]
        except FileMissing:
            raise self._missing(memory_id) from None

    def find(self, beginning: str, *, deleted: bool = False, project: str = "") -> str:
        """The id with this beginning, in any case; ``20260102-10`` will do for ``CMEM-20260102-10...``.

        A unique end will do, too, and what is unique within a project, named by its root's path.
        """
        found = _known_by(beginning, self.ids(deleted=deleted))
        if len(found) > 1 and project:
            here = {listed.id for listed in self.list(project).items}
            found = [each for each in found if each in here] or found
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._missing(beginning, deleted=deleted)
        named = ", ".join(map(self._with_author, found[:_NEAR])) + (" ..." if len(found) > _NEAR else "")
        what = f"memories that begin or end with {beginning.strip()}"
        reason = f"has {len(found)} {what}: {named}; give more of it"
        raise FileMissing(self._trash if deleted else self._memories, reason)

    def list(self, project: str = "", tags: Iterable[str] = (), *, limit: int | None = None) -> Page:
        """Memories, newest first by their ids: of a project, named by its root's path, with all of some tags.

        A broken one has neither.
        """
        entries = stored_entries(self._memories)
        wanted = {tag.casefold() for tag in tags}
        if not project and not wanted:
            return Page(tuple(read_listed(entries[:limit], self._memories)), len(entries))
        is_here = listing.project_test(project) if project else lambda _: True
        sound = (each for each in read_listed(entries, self._memories) if not each.problem)
        here = (each for each in sound if is_here(each.meta.project))
        fitting = [each for each in here if wanted <= {tag.casefold() for tag in each.meta.tags}]
        return Page(tuple(fitting[:limit]), len(fitting))

    def has(self, memory_id: str) -> bool:
        return self._find_file(memory_id) is not None

    def is_deleted(self, memory_id: str) -> bool:
        return os.path.lexists(f"{self._trash}/{memory_id}.md")

    def deleted(self) -> Page:
        items = tuple(read_listed(self._thrown_away(), self._trash))
        return Page(items, len(items))

    def _thrown_away(self) -> Sequence[Entry]:
        entries = listing.newest_first(listing.scan(self._trash, listing.STORED_NAME))
        return [entry for entry in entries if entry.size]  # of the others only the id is left

    # -- writing ---------------------------------------------------------------------------------------------

    def create(self, body: bytes, project: str = "", *, id: str = "", **values: Any) -> MemoryMeta:  # noqa: A002
        """Store a text of at most 32 MB byte for byte, with the `values` of its `MemoryMeta`.

        Its id is the first free second from `created` on, by default now. A given `id` must not be in use or
        deleted.
        """
        created = values.get("created") or self._clock()
        if id and not RECOVERY_ID.fullmatch(id):
            raise FileProblem(self._memories, f"cannot hold {id!r}: an id is like CMEM-20260102-101500")
        with self._writing():
            try:
                memory_id = id or self._free_id(created)
            except (ValueError, OverflowError, OSError):
                reason = f"cannot hold a memory made at {created}: no id has such a time"
                raise FileProblem(self._memories, reason) from None
            path = self._place(memory_id)
            if taken := self._find_file(memory_id):
                raise FileProblem(taken, "is there already")
            if self.is_deleted(memory_id):
                aside = self._trash / path.name
                raise FileProblem(aside, "is in the trash, and its id is not given to another memory")
            given = {"source": "import", "updated": created, **values, "created": created}
            meta = MemoryMeta(id=memory_id, project=project, **given)
            data = _rendered(path, meta, body)
            files.private_folder(path.parent, within=files.existing_above(self._memories))
            if not files.create_exclusive(path, data, within=self._memories):
                raise FileProblem(path, "has been made by another program meanwhile")
        return meta

    def _free_id(self, moment: datetime) -> str:
        """The first free id from a moment on; in seconds since 1970, so that clock changes need no care."""
        for second in count(math.floor(moment.timestamp())):
            found = time.localtime(second)
            if not 0 < found.tm_year < 10_000:
                raise ValueError("a year that has not four digits")
            memory_id = "CMEM-%04d%02d%02d-%02d%02d%02d" % found[:6]  # noqa: UP031 - twice as fast
            if not self._find_file(memory_id) and not self.is_deleted(memory_id):
                return memory_id
        raise AssertionError("seconds do not end")

    def update(
        self,
        memory_id: str,
        *,
        body: bytes | None = None,
        expected: StoredMemory | None = None,
        **values: object,
    ) -> MemoryMeta:
        """Change a memory's text or fields; `FileChanged` if it is not `expected`, or is being edited."""
        path = self.path(memory_id)
        with self._writing(memory_id):
            before, stored = self._read(path)
            if expected is not None and stored != expected:
                raise FileChanged(path, "has changed meanwhile")
            text, meta = stored.body if body is None else body, stored.meta.replace(**values)
            if meta != stored.meta or text != stored.body:
                if "updated" not in values:
                    meta = meta.replace(updated=self._clock())
                data = _rendered(path, meta, text)
                files.write_atomic(path, data, mode=None, expected=before, within=self._memories)
        return meta

    def delete(self, memory_id: str) -> None:
        """Move a memory to the trash. Its id is never used again."""
        path = self.path(memory_id)
        aside = self._trash / path.name
        files.private_folder(self._trash, within=files.existing_above(self._trash))
        with self._writing(memory_id):
            if not _moved(path, self._memories, aside, self._trash):
                raise FileProblem(aside, "is in the way: the trash holds a memory of this id; move it away")
            with suppress(OSError):
                os.utime(aside, follow_symlinks=False)  # from now on, its days in the trash count

    def restore(self, memory_id: str) -> None:
        """Take a memory out of the trash; `FileProblem` if a file of that name is in the store by now."""
        if memory_id not in map(id_of, self._thrown_away()):
            raise self._missing(memory_id, deleted=True)
        path = self._place(memory_id)
        files.private_folder(path.parent, within=files.existing_above(self._memories))
        with self._writing():
            there = self._find_file(memory_id)
            aside = self._trash / path.name
            if there or not _moved(aside, self._trash, path, self._memories):
                reason = "is in the way: it was put there after the memory was deleted"
                raise FileProblem(there or path, reason)

    def tidy(self) -> None:
        """Remove files left by killed processes, and texts deleted longer ago than `TRASH_DAYS`.

        An empty file of the name stays in the trash, so that the id is not used again.
        """
        for folder in month_folders(self._memories):
            files.sweep_temps(folder, within=self._memories)
        files.sweep_temps(self._trash, within=self._trash)
        oldest = (self._clock().timestamp() - TRASH_DAYS * 86_400) * 1e9
        for entry in self._thrown_away():
            if entry.mtime_ns < oldest:
                files.write_atomic(entry.path, b"", within=self._trash)

    # -- places ----------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self, memory_id: str = "") -> Iterator[None]:
        """Hold the lock of the store; the memory with this id may be gone since."""
        files.private_folder(self._memories, within=files.existing_above(self._memories))
        try:
            with files.lock(self._memories / ".memtui", timeout=5.0, within=self._memories):
                yield
        except FileMissing:
            if memory_id:
                raise self._missing(memory_id) from None
            raise

    def _read(self, path: Path) -> tuple[bytes, StoredMemory]:
        data = files.read_within(path, self._memories, limit=MOST, follow=False)
        try:
            return data, read_stored(path.name.removesuffix(".md"), data)
        except FormatError as error:
            raise FileProblem(path, f"is broken: {error}") from error

    def _place(self, memory_id: str) -> Path:
        return self._memories / f"{memory_id[5:9]}-{memory_id[9:11]}" / f"{memory_id}.md"

    def _find_file(self, memory_id: str) -> Path | None:
        """The path of a memory's file, in its month or moved by hand to another."""
        place = self._place(memory_id)
        if os.path.lexists(place):
            return place
        others = (folder / place.name for folder in month_folders(self._memories))
        return next((path for path in others if os.path.lexists(path)), None)

    def path(self, memory_id: str) -> Path:
        """The path of a memory's file; raises `FileMissing`."""
        path = self._find_file(memory_id) if RECOVERY_ID.fullmatch(memory_id) else None
        if path is None:
            raise self._missing(memory_id)
        return path

    def ids(self, *, deleted: bool = False) -> tuple[str, ...]:
        return tuple(map(id_of, self._thrown_away() if deleted else stored_entries(self._memories)))

    def _with_author(self, memory_id: str) -> str:
        with suppress(FileProblem):
            if author := self.get(memory_id).meta.author:
                return f"{memory_id} by {author}"
        return memory_id

    def _missing(self, wanted: str, *, deleted: bool = False) -> FileMissing:
        """The problem of an unknown id, with the most similar ones."""
        aside = [] if deleted else _known_by(wanted, self.ids(deleted=True))
        if len(aside) == 1:
            there = "it" if aside[0] == wanted else aside[0]
            how = f"`memtui memory undelete {aside[0]}` brings it back"
            reason = f"has no memory {wanted.strip()}: {there} is in the trash, and {how}"
            return FileMissing(self._memories, reason)
        ids = self.ids(deleted=deleted)
        near = _nearest(wanted, ids)
        where = f"see `memtui memory list{' --trash' if deleted else ''}`" if ids else "it is empty"
        known = f"nearest: {', '.join(near)}" if near else where
        folder = self._trash if deleted else self._memories
        return FileMissing(folder, f"has no memory {wanted.strip() or repr(wanted)}; {known}")


def _rendered(path: Path, meta: MemoryMeta, body: bytes) -> bytes:
    """The file of a memory; raises `FileProblem` if it could not be read again."""
    if len(body) > LIMIT:
        raise FileProblem(path, f"cannot be written: the text is larger than {LIMIT >> 20} MB")
    data = memory.render_stored(StoredMemory(meta=meta, body=body))
    if len(data) - len(body) > HEAD_LIMIT:
        most = HEAD_LIMIT >> 10
        reason = f"cannot be written: description and tags are longer than {most} KB; shorten them"
        raise FileProblem(path, reason)
    return data


def _moved(old: Path, old_root: Path, new: Path, new_root: Path) -> bool:
    """Move a file under its name to another folder; False when it is there already, by hand for example."""
    files.check_below(old.parent, old_root)
    files.check_below(new.parent, new_root)
    with files.writing(old):
        old.lstat()
    with files.writing(new):
        if os.path.lexists(new):
            return False
        old.replace(new)
    files.sync_folder(new.parent)
    return True


def _known_by(text: str, ids: Collection[str]) -> list[str]:
    """The ids that are `text`, else begin with it, else end with it, in any case, with or without ``CMEM-``.

    The machine that a shared memory came from, after ``@``, need not be typed.
    """
    wanted = text.strip().upper().removeprefix("CMEM-")
    known = {each: each.upper().removeprefix("CMEM-") for each in ids if wanted}
    for fits in (str.__eq__, str.startswith, _ends):
        if found := [each for each, name in known.items() if fits(name, wanted)]:
            return found
    return []


def _ends(name: str, end: str) -> bool:
    return name.endswith(end) or name.partition("@")[0].endswith(end)


def _nearest(text: str, ids: Collection[str]) -> list[str]:
    """Up to three ids that differ from `text` in a digit or two, or begin with the same date."""
    from difflib import get_close_matches  # slow to import, only needed for an error message

    digits = {re.sub(r"\D", "", each): each for each in ids}
    return [digits[each] for each in get_close_matches(re.sub(r"[^0-9]", "", text), digits, _NEAR, 0.7)]


# -- the files of stored memories ---------------------------------------------------------------------------


def id_of(entry: Entry) -> str:
    """The id of a listed memory by its file's name, as front matter may be a copy."""
    return entry.name.removesuffix(".md")


def month_folders(memories: Path) -> list[Path]:
    return sorted((month.path for month in listing.scan(memories, listing.MONTH_NAME)), reverse=True)


def stored_entries(memories: Path) -> list[Entry]:
    """The files of all memories, newest first; of two with one name, that in the later month."""
    return listing.newest_first(_by_name(memories).values())


def _by_name(memories: Path) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for folder in reversed(month_folders(memories)):
        with suppress(FileProblem):  # not a folder, or unreadable: go on with the other months
            entries.update((entry.name, entry) for entry in listing.scan(folder, listing.STORED_NAME))
    return entries


def read_stored(memory_id: str, data: bytes) -> StoredMemory:
    """A memory from its file's bytes; one without front matter, made by hand, has only name and text."""
    if not memory.has_front_matter(data):
        return StoredMemory(meta=bare_meta(memory_id), body=data)
    stored = memory.parse_stored(data)
    return stored.replace(meta=_with_id(stored.meta, memory_id))


def bare_meta(name: str) -> MemoryMeta:
    """The metadata of a memory by its id or name alone; an invalid time counts as 1970."""
    created = listing.time_of(name) or _LONG_AGO
    return MemoryMeta.model_construct(id=name, created=created, updated=created)  # a name is no valid id


def title_of(stored: StoredMemory) -> str:
    return stored.meta.description or objective(stored.body) or stored.meta.id


def objective(data: bytes) -> str:
    """The first line of a recovery text's objective; "" where nothing is on record."""
    found = re.search(_OBJECTIVE, data.decode("utf-8", "replace"))
    return found[1].strip() if found else ""


def listed(path: Path, data: bytes | None, root: Path) -> Listed:
    """A memory for a list, from the beginning of its file; None is read, and what is too short again."""
    name = path.name.removesuffix(".md")
    meta, problem = bare_meta(name), ""
    try:
        if data is None:
            data = files.head_within(path, root, size=HEAD_SIZE)
        if not listing.is_stored(path):
            from memtui.documents.memory_file import parse_memory  # slow, and stored ones do without

            return Listed(meta, path, parse_memory(data.decode("utf-8", "replace")).title or name)
        if memory.has_front_matter(data):
            if len(data) == HEAD_SIZE and b"\n---" not in data:
                data = files.head_within(path, root, size=HEAD_LIMIT + HEAD_SIZE)
            meta = _with_id(memory.read_head(data), name)
        return Listed(meta, path, meta.description or objective(data) or name)
    except FileProblem as error:
        problem = error.reason
    except FormatError as error:
        problem = f"is broken: {error}"
    return Listed(meta, path, name, problem)


def read_listed(entries: Iterable[Entry], root: Path) -> Iterator[Listed]:
    """The memories for a list, in the folder `root`; quick if files of one folder follow each other."""
    for entry, data in listing.heads_of(entries, root, HEAD_SIZE):
        yield listed(entry.path, data, root)


def _with_id(meta: MemoryMeta, memory_id: str) -> MemoryMeta:
    return meta if meta.id == memory_id else meta.replace(id=memory_id)


# -- the rows of lists --------------------------------------------------------------------------------------


class MemoryText(NamedTuple):
    """A whole memory."""

    head: Listed
    text: str


class MemoryFiles:
    """The memories for a project's lists: the memory files of its reviews (seed 001), and all stored ones.

    Listing opens no file, so it costs the same for an empty memory and for one of 5 MB. The beginning of a
    file is read when its row comes into view.
    """

    def __init__(self, project: Project, home: Home) -> None:
        self.project = project
        self.folder = home.memories
        self._all: Mapping[str, Entry] = {}
        self.changed: Collection[str] = ()
        """The names of all memories added or changed since the listing before."""

    def entries(self) -> list[Entry]:
        """All memories of both kinds, newest first by the time in their names; missing folders are empty."""
        return list(self.listing().values())

    def file_entries(self) -> list[Entry]:
        """The memory files of the project's reviews, in no order."""
        return listing.scan(self.project.compacts, listing.MEMORY_FILE_NAME, within=self.project.root)

    def listing(self) -> Mapping[str, Entry]:
        """All memories by their names, newest first: the same object as before if nothing has changed."""
        entries = _by_name(self.folder) | {entry.name: entry for entry in self.file_entries()}
        before = self._all
        self.changed = [name for name, entry in entries.items() if before.get(name) != entry]
        if self.changed or len(entries) != len(before):
            self._all = {each.name: each for each in listing.newest_first(entries.values())}
        return self._all

    def head(self, path: Path, data: bytes | None = None) -> Listed:
        """A memory for a list, from `data` or the first 8 KiB; a broken one with its problem."""
        return listed(path, data, self.folder if listing.is_stored(path) else self.project.root)

    def load(self, path: Path) -> MemoryText:
        """A whole memory of at most 8 MB, without its front matter; a broken one whole, with the reason."""
        root = self.folder if listing.is_stored(path) else self.project.root
        data = files.read_within(path, root, limit=8 << 20, follow=False)
        head = self.head(path, data)
        if listing.is_stored(path):
            with suppress(FormatError):
                data = memory.parse_stored(data).body
        return MemoryText(head, data.decode("utf-8", "replace"))
