"""The contract of all memory backends.

A backend keeps recovery texts byte for byte under Recovery IDs (seeds 000 and 004), and passes the tests in
`tests/store/contract.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from memtui.documents.memory import MemoryMeta
from memtui.ground.files import FileProblem
from memtui.store.project_test import project_test


class MemoryMissing(FileProblem):
    """No memory has this id; `near` are the most similar ids."""

    def __init__(self, path: Path, reason: str, near: Sequence[str] = ()) -> None:
        super().__init__(path, reason)
        self.near = tuple(near)


class IdTaken(FileProblem):
    """A memory could not keep its id, because another one has or had it."""


@dataclass(frozen=True, slots=True)
class New:
    """A memory to be created."""

    body: bytes
    """The recovery text, kept byte for byte."""
    project: str = ""
    """Path of the project's root."""
    description: str = ""
    tags: tuple[str, ...] = ()
    session_id: str = ""
    source: str = "import"
    """The program or command that created it: ``import``, ``compact``, ``review``, ``mcp``, ``ccw``."""
    author: str = ""
    """The person who shared it, and the remote it came from; "" for one's own."""
    id: str = ""
    """The Recovery ID to keep; "" takes the first free second from `created` on."""
    created: datetime | None = None
    """With its offset; None is now."""
    updated: datetime | None = None
    """None is `created`."""

    def meta(self, memory_id: str, created: datetime) -> MemoryMeta:
        """The front matter of the memory that is made of it, with the id and the time that it got."""
        return MemoryMeta(
            id=memory_id,
            project=self.project,
            created=created,
            updated=self.updated or created,
            description=self.description,
            tags=self.tags,
            session_id=self.session_id,
            source=self.source,
            author=self.author,
        )


class Meta(Protocol):
    """The values that a `Filter` examines."""

    @property
    def created(self) -> datetime:
        """Its time of creation."""

    @property
    def project(self) -> str:
        """Path of the project's root."""

    @property
    def session_id(self) -> str:
        """The session it was made from."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A selection of memories; all conditions have to hold."""

    project: str = ""
    """Path of a project's root; "" means all projects. See `ProjectTest`."""
    tags: tuple[str, ...] = ()
    """Only memories with all of these, regardless of case."""
    since: datetime | None = None
    """Made at this time or later."""
    until: datetime | None = None
    """Made at this time or earlier."""
    session: str = ""
    """Only those made from this session."""

    def fits(self, listed: Listed) -> bool:
        """Whether a memory is selected. A broken one is, unless a condition needs a missing value."""
        if listed.problem and (self.project or self.tags):
            return False
        return self.fits_meta(listed.meta)

    def fits_meta(self, meta: Meta) -> bool:
        """Whether a document with these values is selected."""
        tags = {tag.casefold() for tag in meta.tags} if self.tags else ()
        return (
            (not self.project or project_test(self.project)(meta.project))
            and all(tag.casefold() in tags for tag in self.tags)
            and (self.since is None or meta.created >= self.since)
            and (self.until is None or meta.created <= self.until)
            and (not self.session or meta.session_id == self.session)
        )


@dataclass(frozen=True, slots=True)
class Listed:
    """A memory in a list."""

    meta: MemoryMeta
    """For an unreadable file: only its id and the time in it."""
    path: Path
    title: str
    """The description, else the objective's first line, else the id."""
    problem: str = ""
    """Why the memory cannot be used."""


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list, newest first, with the total number."""

    items: tuple[Listed, ...]
    total: int
