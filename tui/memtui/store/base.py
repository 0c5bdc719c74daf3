"""The contract of a memory store: what every backend does, in the same words.

A backend keeps recovery texts byte for byte under Recovery IDs (seeds 000 and 004). Its tests are
`tests/store/contract.py`: another backend is added by passing them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from memtui.files import FileProblem
from memtui.formats.stored_memory import MemoryMeta, StoredMemory
from memtui.store.concerning import project_test


class MemoryMissing(FileProblem):
    """No memory has this id; `near` are the ids that come closest."""

    def __init__(self, path: Path, reason: str, near: Sequence[str] = ()) -> None:
        super().__init__(path, reason)
        self.near = tuple(near)


class IdTaken(FileProblem):
    """A memory that was to keep its id could not, because another one has it, or had it before."""


NOT_ALL_SEARCHED = "Not all was searched: the index is busy or being made. Try again soon."
"""For people, when `Found.complete` is False."""


class Which(StrEnum):
    """Which memories a query means, by whether they are archived."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class New:
    """A memory to be made."""

    body: bytes
    """The recovery text, kept byte for byte."""
    project: str = ""
    """Path of the project's root."""
    description: str = ""
    tags: tuple[str, ...] = ()
    session_id: str = ""
    source: str = "import"
    """Who made it: ``import``, ``compact``, ``review``, ``mcp``, ``ccw``."""
    id: str = ""
    """The Recovery ID to keep; "" takes the first free second from `created` on."""
    created: datetime | None = None
    """With its offset; None is now."""
    updated: datetime | None = None
    """None is `created`."""
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are meant: those that fit everything that is said."""

    project: str = ""
    """Path of a project's root; "" means all projects. What concerns it, `ProjectTest` says."""
    tags: tuple[str, ...] = ()
    """Memories that have all of these, without regard to case."""
    which: Which = Which.ACTIVE
    since: datetime | None = None
    """Made then or later."""
    until: datetime | None = None
    """Made then or before."""

    def fits(self, listed: Listed) -> bool:
        """Whether a memory is meant. One that is broken is, unless something is asked that it cannot say."""
        meta = listed.meta
        if listed.problem and (self.project or self.tags or self.which is Which.ARCHIVED):
            return False
        tags = {tag.casefold() for tag in meta.tags} if self.tags else ()
        return (
            (self.which is Which.ALL or meta.archived == (self.which is Which.ARCHIVED))
            and (not self.project or project_test(self.project)(meta.project))
            and all(tag.casefold() in tags for tag in self.tags)
            and (self.since is None or meta.created >= self.since)
            and (self.until is None or meta.created <= self.until)
        )


@dataclass(frozen=True, slots=True)
class Listed:
    """A memory as lists show it."""

    meta: MemoryMeta
    """For a file that cannot be read: its id and the time in it, and nothing else."""
    path: Path
    title: str
    """The description, else the objective's first line, else the id."""
    problem: str = ""
    """Why the memory cannot be used."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, newest first, and how many there are in all."""

    items: tuple[Listed, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that a search has found."""

    listed: Listed
    snippet: str
    """One line of the text around the first match."""
    marks: tuple[tuple[int, int], ...]
    """Where in `snippet` the matches are, as character offsets (start, end)."""
    score: float
    """Higher is better; comparable within one search alone."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found, best first."""

    hits: tuple[Hit, ...]
    total: int
    """How many match in all: exact up to 2,000, and beyond that near enough."""
    complete: bool = True
    """False when not every memory could be looked at in the time there was: there may be more matches."""


class MemoryBackend(ABC):
    """A store of memories. Every method may be called from any thread and from several processes at once."""

    @abstractmethod
    def create(self, new: New) -> MemoryMeta:
        """Store a memory; it is there when this returns, whatever happens then.

        Raises:
            IdTaken: `new.id` is given, and in use or deleted.
            FileProblem: it cannot be written; nothing was changed.
        """

    @abstractmethod
    def get(self, memory_id: str) -> StoredMemory:
        """One memory, archived or not, with the text that was stored.

        Raises:
            MemoryMissing: there is none, or it is in the trash.
            FileProblem: it cannot be read.
        """

    @abstractmethod
    def find(self, beginning: str, *, deleted: bool = False) -> str:
        """The id that begins so, without regard to case; ``20260102-10`` will do for ``CMEM-20260102-10...``.

        Args:
            beginning: an id or the unique beginning of one.
            deleted: look in the trash instead.

        Raises:
            MemoryMissing: none begins so, or several do.
        """

    @abstractmethod
    def list(self, where: Filter = Filter(), *, limit: int | None = None, offset: int = 0) -> Page:
        """Memories, newest first by their ids; broken ones, too, with their reason, as `Filter.fits` says.

        Raises:
            FileProblem: the store cannot be listed.
        """

    @abstractmethod
    def search(self, query: str, where: Filter = Filter(), *, limit: int = 20, offset: int = 0) -> Found:
        """Memories that hold every term of a query; any text is a query.

        Going on with `offset` gives every match. A search ends in reasonable time even where very many
        memories are new to the backend: what it could not look at is left out, and `Found.complete` is False.

        Raises:
            FileProblem: the store cannot be listed.
        """

    @abstractmethod
    def update(
        self,
        memory_id: str,
        *,
        description: str | None = None,
        tags: Collection[str] | None = None,
        archived: bool | None = None,
        pinned: bool | None = None,
    ) -> MemoryMeta:
        """Change what is said about a memory; what is None stays, and so does every byte of the text.

        Raises:
            MemoryMissing: there is none.
            FileProblem: it cannot be written; nothing was changed.
        """

    def archive(self, memory_id: str, *, archived: bool = True) -> MemoryMeta:
        """Take a memory out of the lists without losing it, or put it back. Raises as `update` does."""
        return self.update(memory_id, archived=archived)

    @abstractmethod
    def delete(self, memory_id: str) -> None:
        """Move a memory to the trash. Its id is never given to another one.

        Raises:
            MemoryMissing: there is none.
            FileProblem: it cannot be moved; it is where it was.
        """

    @abstractmethod
    def restore(self, memory_id: str) -> None:
        """Take a memory out of the trash.

        Raises:
            MemoryMissing: the trash does not hold it.
            IdTaken: a file of that name was put into the store meanwhile.
            FileProblem: it cannot be moved; it is where it was.
        """

    @abstractmethod
    def deleted(self) -> Page:
        """What is in the trash, newest first."""
