"""The newest captures and memories, read at once for the first paint."""

from __future__ import annotations

from collections.abc import Iterator

from memtui.app.model.views import CaptureRow, CapturesView, View
from memtui.ground.project import Places


def first_views(places: Places) -> Iterator[View]:
    """A view of each; `Comparison` publishes the whole ones."""
    from memtui.app.model.memory_rows import Shown
    from memtui.formats.stored_label import Label
    from memtui.store.memory_labels import quick_labels
    from memtui.store.newest import newest_captures, newest_memories

    project, home = places.project, places.home
    captures, number = newest_captures(project)
    rows = {entry.name: CaptureRow(entry, glance=text) for entry, text in captures}
    yield CapturesView.of(rows, unread=number - len(rows))
    memories, more = newest_memories(project, home)
    entries = {entry.name: entry for entry in memories}
    shown = Shown(project)
    for entry, label in quick_labels(shown.unknown(entries, entries), home):
        shown.learn(entry, label or Label())  # shown until the slower values are read
    yield shown.view(entries, tuple(entries), more=more, mine_alone=True)
