"""The labels of many stored memories, read at little cost: one open folder a month, one read a file."""

from __future__ import annotations

import os
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


class ProjectTest:
    """Tells which memories concern a project: those of its folder or one below, and those of no project."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._name = root.name
        self._known: dict[str, bool] = {"": True}

    def __call__(self, project: str) -> bool:
        """Whether what a memory says about its project means this one."""
        found = self._known.get(project)
        if found is None:
            found = self._known[project] = self._ask(project)
        return found

    def _ask(self, project: str) -> bool:
        if not os.path.isabs(project):  # noqa: PTH117
            return project == self._name
        try:
            real = os.path.realpath(project)
        except (OSError, ValueError):
            return False
        return real == self._root or real.startswith(self._root.rstrip(os.sep) + os.sep)
