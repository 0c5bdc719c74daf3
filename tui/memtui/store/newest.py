"""The newest captures and memories, for the first paint: read from names and plain text in milliseconds.

The stores need the models of the formats, which take longer to import than all of this. Their listing
replaces this one later.
"""

from __future__ import annotations

import re
from pathlib import Path

from memtui.documents.capture_text import PendingText, read_pending
from memtui.ground.files import FileProblem, heads_within
from memtui.ground.project import Home, Project
from memtui.store.listing import (
    CAPTURE_NAME,
    MEMORY_FILE_NAME,
    MONTH_NAME,
    STORED_NAME,
    Entry,
    newest,
    newest_first,
    scan,
)

_CAPTURES, _MEMORIES = 20, 60
"""Number of rows: more than fit in a pane."""
_LIMIT = 16 << 10
"""Bytes read of a capture; usual ones have 1 KB."""


def newest_captures(project: Project) -> tuple[list[tuple[Entry, PendingText]], int]:
    """The pending ones among the newest captures, and the number of all captures."""
    entries, number = _newest(project.compacts, CAPTURE_NAME, _CAPTURES, project.root)
    names = [entry.name for entry in entries]
    heads = heads_within(project.compacts, names, project.root, size=_LIMIT)
    found = ((entry, _pending(head)) for entry, head in zip(entries, heads, strict=True))
    return [(entry, text) for entry, text in found if text is not None], number


def _pending(head: bytes | None) -> PendingText | None:
    return None if head is None else read_pending(head.decode("utf-8", "replace"))


def newest_memories(project: Project, home: Home) -> tuple[list[Entry], bool]:
    """The newest memories of both kinds, and whether there are more."""
    entries, number = _newest(project.compacts, MEMORY_FILE_NAME, _MEMORIES, project.root)
    stored = 0
    try:
        months = sorted(scan(home.memories, MONTH_NAME), reverse=True)
    except FileProblem:
        months = []
    for month in months:
        if stored >= _MEMORIES:
            number += 1  # earlier months are not read, only known to exist
            break
        some, more = _newest(month.path, STORED_NAME, _MEMORIES)
        entries += some
        stored += len(some)
        number += more
    kept = newest_first(entries)[:_MEMORIES]
    return kept, number > len(kept)


def _newest(
    folder: Path, pattern: re.Pattern[str], number: int, within: Path | None = None
) -> tuple[list[Entry], int]:
    """See `listing.newest`; empty if the folder cannot be listed; the full listing reports the problem."""
    try:
        return newest(folder, pattern, number, within=within)
    except FileProblem:
        return [], 0
