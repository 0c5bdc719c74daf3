"""The last border before the terminal: segments that hold no control code, whatever they are made of."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from memtui.clean import clean


def segment(text: str, style: Style) -> Segment:
    """A segment of one screen line, cleaned: line breaks are spaces."""
    safe = clean(text)
    return Segment(safe.replace("\n", " ") if "\n" in safe else safe, style)


def blank(width: int, style: Style) -> Segment:
    """`width` cells of nothing; the line API does not fill backgrounds by itself."""
    return Segment(" " * max(0, width), style)
