"""What lists need of many memories, read at little cost: one open folder a month, one read a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from memtui.files import heads_within
from memtui.formats.stored_label import Label, read_label
from memtui.project import Home
from memtui.store.listing import Entry

HEAD_SIZE = 1024
"""Bytes of a file that are read: our own front matter has some 300."""
_FILE_SIZE = 64 << 10
"""Bytes of a review's memory file that are read: they have some 2,000, and name the memory at their end."""
# What `memtui.flows.review` adds to a memory file.
_STORED_AS = re.compile(rb"^## Recovery[ \t\r]*\nRecovery ID: (CMEM-\d{8}-\d{6})[ \t\r]*$", re.MULTILINE)


def quick_labels(entries: Iterable[Entry], home: Home) -> Iterator[tuple[Entry, Label | None]]:
    """The label of each stored memory; None where the whole front matter has to be read.

    Quick when entries of one month follow each other.
    """
    for folder, group in groupby(entries, key=lambda entry: entry.folder):
        some = list(group)
        names = [entry.name for entry in some]
        heads = heads_within(Path(folder), names, home.memories, size=HEAD_SIZE)
        for entry, data in zip(some, heads, strict=True):
            yield entry, None if data is None else read_label(data)


def stored_as(entries: Iterable[Entry], root: Path) -> Iterator[tuple[Entry, str]]:
    """What each review has stored beside its memory file: the name of that file; "" for none.

    Args:
        entries: memory files, those of one folder after each other.
        root: the project's root.
    """
    for folder, group in groupby(entries, key=lambda entry: entry.folder):
        some = list(group)
        heads = heads_within(Path(folder), [entry.name for entry in some], root, size=_FILE_SIZE)
        for entry, data in zip(some, heads, strict=True):
            named = _STORED_AS.findall(data or b"")
            yield entry, f"{named[-1].decode()}.md" if named else ""
