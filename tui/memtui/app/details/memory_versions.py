"""The versions of a shared memory, as rows and documents for the versions screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memtui.app.details.versions import changed_lines
from memtui.app.widgets.document import Document, line
from memtui.documents.state_diff import text_diff

if TYPE_CHECKING:
    from memtui.app.sharing import MemoryVersion

_MOST = 400_000
"""Maximum length of texts that are compared line by line, in characters."""


class MemoryRow(NamedTuple):
    """A version in the list."""

    version: MemoryVersion
    new_decisions: int = 0
    broken: bool = False

    @property
    def number(self) -> int:
        """1 for the oldest."""
        return self.version.number

    @property
    def name(self) -> str:
        """`v2`."""
        return f"v{self.version.number}"

    @property
    def written(self) -> datetime:
        """Its time of writing."""
        return self.version.at

    @property
    def writer(self) -> str:
        """`ann on laptop-1a2b`."""
        author, machine = self.version.author, self.version.machine
        return f"{author} on {machine}" if author else "this machine"

    @property
    def gist(self) -> str:
        """Its author, and whether it is the current text here, and was sent."""
        shown = "here · " if self.version.shown else ""
        return shown + (self.writer if self.version.sent else "not sent")


class MemoryComparison(NamedTuple):
    """Two versions, the older one first."""

    older: MemoryRow | None
    newer: MemoryRow

    @property
    def title(self) -> str:
        """`v1 → v2 by ann on laptop-1a2b`."""
        start = f"{self.older.name} → " if self.older else ""
        return f"{start}{self.newer.name} by {self.newer.writer}"

    def document(self, *, everything: bool) -> Document:
        """The changes, section by section; with `everything`, the unchanged lines, too."""
        old = self.older.version.text if self.older else None
        new = self.newer.version.text
        if max(len(old or ""), len(new)) > _MOST:
            return Document([line("These texts are too long to be compared.", "dim")])
        return changed_lines(text_diff(old, new), everything=everything, first=old is None)


class MemoryVersions:
    """The versions of one memory. Used by one thread at a time."""

    def __init__(self, load: Callable[[], Sequence[MemoryVersion]]) -> None:
        """Make the object; `load` reads the versions, newest first."""
        self._load = load
        self._versions: tuple[MemoryVersion, ...] = ()
        self._rows: dict[str, MemoryRow] = {}

    def refresh(self) -> bool:
        """Read them again; returns whether anything has changed.

        Raises:
            FileProblem: they cannot be read.
        """
        before, self._versions = self._versions, tuple(self._load())
        return before != self._versions

    def read(self) -> dict[str, MemoryRow]:
        """All of them by their names in the list, newest first."""
        self._rows = {f"v{each.number}": MemoryRow(each) for each in self._versions}
        return self._rows

    def compare(self, older: str, newer: str) -> MemoryComparison | None:
        """Compare two by their names; see `VersionSource`."""
        rows = self._rows
        return MemoryComparison(rows.get(older), rows[newer]) if newer in rows else None
