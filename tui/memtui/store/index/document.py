"""A searchable text: a memory, a memory file, a capture, a state document, or a file of pins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memtui.store.base import Listed, Meta
from memtui.store.index.schema import DocKind
from memtui.store.listing import Entry


@dataclass(frozen=True, slots=True)
class PlainMeta:
    """The values for filtering a document without front matter."""

    created: datetime
    project: str = ""
    """Path of the project's root."""
    session_id: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False
    pinned: bool = False


class Document(NamedTuple):
    """One text."""

    kind: DocKind
    meta: Meta
    title: str
    head: str
    """The part in which hits count more: the name, then a line for each detail."""
    body: str
    entry: Entry
    """The file's entry at the time of reading."""
    said: str = ""
    """A capture's status, a state's version, or the Recovery ID of the memory stored with a memory file."""
    listed: Listed | None = None
    """For memories only."""

    @property
    def about(self) -> str:
        """The head without the name."""
        return self.head.partition("\n")[2]

    @property
    def text(self) -> str:
        """The searched text."""
        return f"{self.head}\n{self.body}"

    @property
    def created(self) -> float:
        """When it was made, in seconds since 1970."""
        return seconds(self.meta.created)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags, folded for comparison."""
        return tuple(dict.fromkeys(tag.casefold() for tag in self.meta.tags))

    @property
    def problem(self) -> str:
        """Why a memory cannot be used."""
        return self.listed.problem if self.listed else ""


def seconds(moment: datetime) -> float:
    """A time as a number; 0 for one that is too early."""
    try:
        return moment.timestamp()
    except (ValueError, OverflowError):
        return 0.0
