"""Segments of a screen line, without control codes."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from memtui.app.widgets.wrap import head
from memtui.ground.clean import clean


def segment(text: str, style: Style) -> Segment:
    """A segment of one screen line, cleaned: line breaks are spaces."""
    safe = clean(text)
    return Segment(safe.replace("\n", " ") if "\n" in safe else safe, style)


def blank(width: int, style: Style) -> Segment:
    """`width` blank cells; the line API does not fill backgrounds by itself."""
    return Segment(" " * max(0, width), style)


def cut_segments(parts: Iterable[Segment], width: int) -> list[Segment]:
    """The segments in at most `width` cells, cut with ``…``.

    Unlike `Strip.crop` this splits no grapheme: half a flag is as wide as a whole one.
    """
    parts = list(parts)
    if sum(part.cell_length for part in parts) <= width:
        return parts
    kept: list[Segment] = []
    room = width - 1
    for text, style, control in parts:
        cells = cell_len(text)
        if cells > room:
            if width > 0:
                kept.append(Segment(head(text, room) + "…", style, control))
            break
        kept.append(Segment(text, style, control))
        room -= cells
    return kept
