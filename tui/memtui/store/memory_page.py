"""A page of a long list: only its own memories are read in full."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.formats.stored_label import Label
from memtui.ground.project import Home
from memtui.store.base import Filter, Page
from memtui.store.listing import Entry
from memtui.store.memory_labels import quick_labels
from memtui.store.project_test import project_test
from memtui.store.stored_files import read_listed


def page_of(entries: Sequence[Entry], where: Filter, home: Home, *, limit: int | None, offset: int) -> Page:
    """The memories that pass a filter, from `offset` on, and their total number.

    Broken ones on other pages are counted if they seem to pass.

    Args:
        entries: the files, newest first.
        where: the filter.
        home: memtui's own folders.
        limit: the most to return; None for all.
        offset: how many to leave out first.
    """
    if limit is None or where.tags or where.since or where.until:
        fitting = [each for each in read_listed(entries, home.memories) if where.fits(each)]
        return Page(tuple(fitting[offset : None if limit is None else offset + limit]), len(fitting))
    likely = _likely(entries, where, home)
    page = read_listed(likely[offset : offset + limit], home.memories)
    items = tuple(each for each in page if where.fits(each))
    return Page(items, len(likely) - (min(limit, max(0, len(likely) - offset)) - len(items)))


def _likely(entries: Sequence[Entry], where: Filter, home: Home) -> list[Entry]:
    """Those whose labels pass; without a label, the whole front matter decides."""
    if where == Filter():
        return list(entries)
    labels = [(entry, label) for entry, label in quick_labels(entries, home)]
    doubtful = [entry for entry, label in labels if label is None]
    listed = zip(doubtful, read_listed(doubtful, home.memories), strict=True)
    fitting = {entry.name for entry, each in listed if where.fits(each)}
    return [
        entry for entry, label in labels
        if (entry.name in fitting if label is None else _fits(where, label))
    ]  # fmt: skip


def _fits(where: Filter, label: Label) -> bool:
    return not where.project or project_test(where.project)(label.project)
