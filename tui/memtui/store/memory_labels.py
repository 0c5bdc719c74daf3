"""The labels of many stored memories, read at little cost: one open folder a month, one read a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from memtui.files import heads_within
from memtui.formats.stored_label import Label, read_label
from memtui.project import Home
from memtui.store.listing import Entry

HEAD_SIZE = 1024
"""Bytes of a file that are read: our own front matter has some 300."""


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
