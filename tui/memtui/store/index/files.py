"""The files of stored memories, and the searched text of each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from memtui.formats.model import FormatError
from memtui.formats.stored_memory import has_front_matter, parse_stored
from memtui.ground.files import FileProblem, heads_within, load_within
from memtui.ground.project import Home
from memtui.store.base import Listed
from memtui.store.index.document import Document
from memtui.store.index.schema import DocKind
from memtui.store.listing import MONTH_NAME, Entry, scan
from memtui.store.stored_files import (
    MOST,
    broken,
    folder_state,
    has_settled,
    id_of,
    listed,
    scan_month,
)

_SWEEP = 0.005
"""Seconds per call for finding files edited in place; the current month is always finished."""
_SMALL = 64 << 10
"""Maximum size in bytes of memories that are read together with their neighbours."""
_REST = 40
"""A longer check is followed by a pause of this many times its duration. The time since that pause, divided
by this, is added to the next check."""


def read(entry: Entry, home: Home) -> Document:
    """Read a memory. An unreadable or broken one has its problem."""
    path = entry.path
    try:
        data, signature = load_within(path, home.memories, limit=MOST, follow=False)
    except FileProblem as problem:
        return _document(broken(path, problem.reason), id_of(entry), "", entry)
    return _parsed(data, Entry(entry.name, entry.folder, *signature))


def _parsed(data: bytes, entry: Entry) -> Document:
    path, memory_id = entry.path, id_of(entry)
    shown, body = None, data
    try:
        if has_front_matter(data):
            stored = parse_stored(data)
            body = stored.body
            if stored.meta.id == memory_id and stored.meta.description:  # cheaper than reading it again
                shown = Listed(stored.meta, path, stored.meta.description)
    except FormatError:  # `listed` reports the problem; the text is searchable all the same
        pass
    shown = shown or listed(path, data)
    meta = shown.meta
    head = "\n".join((meta.id, meta.description, *meta.tags))
    return _document(shown, head, body.decode("utf-8", "replace"), entry)


def read_all(entries: Iterable[Entry], home: Home) -> Iterator[Document]:
    """Many memories, in order; small neighbouring ones at a fraction of the cost."""
    for folder, some in groupby(entries, key=lambda entry: entry.folder):
        group = list(some)
        names = [entry.name for entry in group]
        for entry, data in zip(
            group, heads_within(Path(folder), names, home.memories, size=_SMALL), strict=True
        ):
            whole = data is not None and len(data) == entry.size < _SMALL
            yield _parsed(data, entry) if data and whole else read(entry, home)


def _document(shown: Listed, head: str, body: str, entry: Entry) -> Document:
    return Document(DocKind.MEMORY, shown.meta, shown.title, head, body, entry, listed=shown)


@dataclass(slots=True)
class _Month:
    state: tuple[int, int]
    settled: bool
    entries: dict[str, Entry]


class Files:
    """The files of all stored memories by name; used by one thread."""

    kinds = (DocKind.MEMORY,)

    def __init__(self, home: Home) -> None:
        self._home = home
        self._months: dict[str, _Month] = {}
        """In the order of their last reading, oldest first."""
        self._all: dict[str, Entry] = {}
        self._rests = 0.0

    def entries(self, *, full: bool) -> dict[str, Entry]:
        """All files; the same object as before if nothing has changed.

        Args: full: check every file. Otherwise, if there are very many, some of them in turn: a file edited
        in place is noticed some calls or seconds later, new and deleted ones at once.

        Raises:
            FileProblem: the folder of memories cannot be listed.
        """
        if self._look(full):
            self._all = {
                path: entry
                for _, month in sorted(self._months.items())
                for path, entry in month.entries.items()
            }
        return self._all

    def kind_of(self, entry: Entry) -> DocKind:
        """The kind of a file."""
        return DocKind.MEMORY

    def read(self, entries: Iterable[Entry]) -> Iterator[Document]:
        """Memories in their order."""
        return read_all(entries, self._home)

    def _look(self, full: bool) -> bool:
        started = time.monotonic()
        found = {entry.name for entry in scan(self._home.memories, MONTH_NAME)}
        gone = self._months.keys() - found
        for name in gone:
            del self._months[name]
        changed = bool(gone)
        rested = started - self._rests
        until = started + _SWEEP + rested / _REST if rested > 0 else 0.0
        for name in [*self._months, *(found - self._months.keys())]:
            path = os.path.join(self._home.memories, name)  # noqa: PTH118
            known = self._months.get(name)
            state = folder_state(path)
            idle = known and known.settled and known.state == state
            if idle and not full and time.monotonic() >= until:
                continue
            settled = has_settled(state)
            entries = scan_month(path)
            changed |= known is None or entries != known.entries
            self._months.pop(name, None)
            self._months[name] = _Month(state, settled, entries)
        took = time.monotonic() - started
        if took > _SWEEP and until:
            self._rests = started + took * (1 + _REST)
        return changed
