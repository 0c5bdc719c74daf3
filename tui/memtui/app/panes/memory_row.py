"""The rows of memories."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.app.panes.pane import row, when_of
from memtui.ground.clean import clean_line
from memtui.ground.named import NamedTuple
from memtui.store.listing import is_stored

if TYPE_CHECKING:
    from memtui.store.freshness import Freshness
    from memtui.store.listing import Entry
    from memtui.store.memory_heads import MemoryHead

_ID_WIDTH = 22
_WHOLE_ID = 70
"""Width in columns from which a row shows the whole Recovery ID; narrower ones show its time."""


class Known(NamedTuple):
    """The values of a memory read so far."""

    entry: Entry
    head: MemoryHead | None = None
    state: Freshness | None = None
    """The state of the files it names."""
    unique: bool = True
    """Whether no other memory has its title."""
    elsewhere: str = ""
    """The folder's name of its project, if that is another one."""
    held_by: str = ""
    """The remotes that have it."""


def memory_row(known: Known, now: datetime, width: int) -> Content:
    """One row: name and time alone, until the head has been read."""
    entry, head = known.entry, known.head
    name = clean_line(entry.name.removesuffix(".md").partition("@")[0])  # the author is shown beside it
    if head is None:
        return row([(name, "$quiet")], "", width)
    if head.problem:
        return row([(name, "$quiet"), " ", (clean_line(head.problem), "$error")], "", width)
    title = clean_line(head.title)
    lead = when_of(entry.time or head.time, now, width, exact=not known.unique)
    if not is_stored(entry):
        column = _ID_WIDTH if width >= _WHOLE_ID else 0
        return row([(f"{lead:<{column}}✎ ", "$quiet"), title], "", width)
    if width >= _WHOLE_ID:
        lead = f"{name:<{_ID_WIDTH}}"
    tags = "".join(f" #{clean_line(tag)}" for tag in head.tags)
    said: list[tuple[str, str] | str] = [
        (lead, "$accent"),
        *_badges(head.author or known.held_by, known.state, known.elsewhere),
        title,
        (f" {tags}" if tags else "", "$quiet"),
    ]
    return row(said, "", width)


def _badges(by: str, state: Freshness | None, elsewhere: str) -> list[tuple[str, str]]:
    """The marks before a title, with their colours."""
    return [
        (_from(by), "$secondary"),
        ("△ " if state and state.is_stale else "", "$warning"),
        (f"{clean_line(elsewhere)}: " if elsewhere else "", "$quiet"),
    ]


def _from(author: str) -> str:
    """The author, or who has it, before a memory's title: ``⇅ann ``."""
    return f"⇅{clean_line(author).rpartition(' (')[0] or clean_line(author)} " if author else ""
