"""The rows of the aftermath: mark, text, source line."""

from __future__ import annotations

from textual.content import Content

from memtui.app.details.aftermath import MARKS, PATHS, Item
from memtui.app.panes.pane import row
from memtui.app.widgets.wrap import cut_left
from memtui.documents.sources import citation
from memtui.ground.clean import clean_line
from memtui.lost.records import Unfounded
from memtui.secrets.secrets import masked

_COLOURS = {"kept": "$success", "handed over": "$success", "lost": "$error", "not named": "$warning"}
_WIDE = 60


def draw(item: Item, ticked: bool, width: int) -> Content:
    """One row of the screen."""
    if isinstance(item, str):
        return Content(clean_line(item))
    if isinstance(item, Unfounded):
        return row([("  ! ", "$error"), clean_line(masked(item.text))], "", width)
    notes = (item.need.label if item.need else "", "by hand" if item.by_hand else "", citation(item.source))
    right = " ".join(note for note in notes if note) if width >= _WIDE else citation(item.source)
    text = clean_line(masked(item.text))
    if item.kind in PATHS:
        text = cut_left(text, max(1, width - len(right) - 6))
    tick = ("▣ " if ticked else "▢ ", "$accent" if ticked else "$quiet") if item.missing else "  "
    return row([tick, (f"{MARKS[item.state]} ", _COLOURS[item.state]), text], right, width)
