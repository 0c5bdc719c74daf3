"""A change made by memtui as a document: description, time, author, and files."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memtui.app.widgets.document import Document, concat, line, plain, rule, styled
from memtui.ground.clock import age, local_minute, parse_iso
from memtui.store.history import Content, Recorded

_MOST = 200_000
"""Maximum bytes of a file that are shown."""


def change_document(change: Recorded, contents: Iterable[Content], now: datetime) -> Document:
    """A change and its files with their current contents; deleted ones with the recorded content, if kept."""
    moment = parse_iso(change.change.at)
    when = f"{local_minute(moment)} · {age(moment, now)}" if moment else change.change.at
    head = [line(change.change.what, "strong"), styled((f"{when} · by {change.by}", "dim"))]
    if change.undone:
        head.append(line("Undone: ctrl+r in the list does it again.", "warn"))
    if change.change.final:
        head.append(line(f"It cannot be undone: {change.change.final}.", "warn"))
    return concat(*head, *(_file(content) for content in contents))


def _file(content: Content) -> Document:
    head = [line(""), rule(str(content.path)), line(_state_of(content), "dim")]
    text = (content.data or b"")[:_MOST].decode("utf-8", "replace")
    return concat(*head, plain(text)) if text else Document(head)


def _state_of(content: Content) -> str:
    if content.data is None:
        return "This file is not there, and its text is not kept."
    cut = f" The first {_MOST:,} bytes." if len(content.data) > _MOST else ""
    return f"{'As it is now.' if content.there else 'This file is not there any more: as it was.'}{cut}"
