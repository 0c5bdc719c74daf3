"""Memories of both kinds: the memory files of reviews (seed 001) and the stored ones, ``CMEM-*.md``.

Listing opens no file, so it costs the same for an empty memory and for one of 5 MB. The beginning of a file
is read when its row comes into view.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from memtui.documents.memory import HEAD_LIMIT, has_front_matter, parse_stored, read_head
from memtui.documents.memory_file import parse_memory
from memtui.ground.files import FileProblem, head_within, read_within
from memtui.ground.project import Home, Project
from memtui.ground.text import FormatError
from memtui.store.listing import (
    MEMORY_FILE_NAME,
    MONTH_NAME,
    STORED_NAME,
    Entry,
    is_stored,
    newest_first,
    scan,
)
from memtui.store.stored_files import objective

HEAD_SIZE = 8 << 10
"""Bytes read for a row."""

LIMIT = 8 << 20
"""Size of the largest memory that is shown, in bytes."""


class MemoryProblem(FileProblem):
    """A memory cannot be listed or read."""


class MemoryKind(StrEnum):
    """The origin of a memory."""

    REVIEW = "review"
    """A memory file next to its capture."""

    STORED = "stored"
    """A recovery text under a Recovery ID."""


@dataclass(frozen=True, slots=True)
class MemoryHead:
    """The values of a memory's row."""

    kind: MemoryKind
    id: str
    """The Recovery ID of a stored memory, else the file's name without its suffix."""

    title: str
    time: datetime | None
    """Its time of creation; None if neither text nor name contain it."""

    tags: tuple[str, ...] = ()
    project: str = ""
    author: str = ""
    """The person who shared it, and the remote it came from; "" for one's own."""
    problem: str = ""
    """Why it cannot be used; `id` and `title` are then its file's name."""


@dataclass(frozen=True, slots=True)
class MemoryText:
    """A whole memory."""

    head: MemoryHead
    text: str


class MemoryFiles:
    """The memories for a project: its own memory files, and all stored ones."""

    def __init__(self, project: Project, home: Home) -> None:
        self.project = project
        self.folder = home.memories

    def entries(self) -> list[Entry]:
        """All memories of both kinds, newest first by the time in their names; missing folders are empty.

        Raises:
            FileProblem: a folder cannot be listed, or the project's leads out of the project.
        """
        return newest_first([*self.file_entries(), *self.stored_entries()])

    def file_entries(self) -> list[Entry]:
        """The memory files of the project's reviews, in no order."""
        return scan(self.project.compacts, MEMORY_FILE_NAME, within=self.project.root)

    def stored_entries(self) -> list[Entry]:
        """The stored memories of all projects, in no order."""
        entries: list[Entry] = []
        for month in scan(self.folder, MONTH_NAME):
            try:
                entries += scan(month.path, STORED_NAME)
            except FileProblem:  # go on with the other months
                continue
        return entries

    def head(self, entry: Entry) -> MemoryHead:
        """The values of a row, from the first 8 KiB; for a broken memory with its problem."""
        try:
            data = head_within(entry.path, self._root(entry), size=HEAD_SIZE)
            if len(data) == HEAD_SIZE and kind_of(entry) is MemoryKind.STORED and b"\n---" not in data:
                data = head_within(entry.path, self._root(entry), size=HEAD_LIMIT)
        except FileProblem as problem:
            return _broken(entry, problem.reason)
        return _head(entry, data)

    def load(self, entry: Entry) -> MemoryText:
        """A whole memory; a stored one without its front matter.

        A broken one has its whole text, and the reason in its head.

        Raises:
            MemoryProblem: the file cannot be read, or is larger than 8 MB.
        """
        try:
            data = read_within(entry.path, self._root(entry), limit=LIMIT, follow=False)
        except FileProblem as problem:
            raise MemoryProblem(entry.path, problem.reason) from problem
        head = _head(entry, data)
        if head.kind is MemoryKind.STORED:
            with suppress(FormatError):
                data = parse_stored(data).body
        return MemoryText(head, data.decode("utf-8", "replace"))

    def _root(self, entry: Entry) -> Path:
        return self.folder if kind_of(entry) is MemoryKind.STORED else self.project.root


def kind_of(entry: Entry) -> MemoryKind:
    """The kind of a listed memory, by its name."""
    return MemoryKind.STORED if is_stored(entry) else MemoryKind.REVIEW


def _head(entry: Entry, data: bytes) -> MemoryHead:
    try:
        if kind_of(entry) is MemoryKind.REVIEW:
            return _plain(entry, parse_memory(data.decode("utf-8", "replace")).title)
        if not has_front_matter(data):  # put there by hand: only name and text are known
            return _plain(entry, objective(data))
        meta = read_head(data)
    except FormatError as error:
        return _broken(entry, f"is broken: {error}")
    # The file's name counts; front matter may be a copy.
    title = meta.description or objective(data) or _stem(entry)
    return MemoryHead(
        MemoryKind.STORED,
        _stem(entry),
        title,
        meta.created,
        meta.tags,
        meta.project,
        meta.author,
    )


def _plain(entry: Entry, title: str) -> MemoryHead:
    return MemoryHead(kind_of(entry), _stem(entry), title or _stem(entry), entry.time)


def _broken(entry: Entry, reason: str) -> MemoryHead:
    return MemoryHead(kind_of(entry), _stem(entry), _stem(entry), entry.time, problem=reason)


def _stem(entry: Entry) -> str:
    return entry.name.removesuffix(".md")
