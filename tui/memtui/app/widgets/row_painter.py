"""Draws the rows of a list, and caches them."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from memtui.app.widgets.safe_strips import blank, cut_segments, segment
from memtui.app.widgets.wrap import centred, fit
from memtui.ground.named import NamedTuple

Draw = Callable[[str, int], Content]
"""Makes the content of a row from its key and the available cells; never reads a file."""


class Look(NamedTuple):
    """The attributes of a row's look."""

    header: bool
    cursor: bool
    hover: bool
    marked: bool
    new: bool
    pale: bool = False
    """Whether the list is without the focus for now: only the cursor's bar is drawn."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its component classes."""
        if self.header:
            kind = "row-list--header"
        else:
            shown = self.cursor and not self.pale
            kind = "row-list--cursor" if shown else "row-list--hover" if self.hover else ""
        return (*((kind,) if kind else ()), *(("row-list--new",) if self.new else ()))


class RowPainter:
    """Draws rows in the component styles of their list."""

    def __init__(self, widget: Widget, draw: Draw) -> None:
        """Make the painter.

        Args:
            widget: the list; its styles are used.
            draw: draws one row.
        """
        self._widget = widget
        self._draw = draw
        self._strips: LRUCache[tuple[str, Look], Strip] = LRUCache(1024)
        self._width = 0
        self._ground: Style | None = None

    def forget_rows(self) -> None:
        """Redraw all rows: their content may have changed."""
        self._strips.clear()

    def forget(self) -> None:
        """Redraw all rows in other colours."""
        self._strips.clear()
        self._ground = None

    def row(self, key: str, look: Look, width: int, room: int) -> Strip:
        """A row of a list.

        Args:
            key: its key.
            look: how it looks.
            width: width of the list in cells.
            room: cells for the row's content.
        """
        if width != self._width:
            self._strips.clear()
            self._width = width
        strip = self._strips.get((key, look))
        if strip is None:
            strip = self._strips[(key, look)] = self._drawn(key, look, width, room)
        return strip

    def blank(self, width: int) -> Strip:
        """A line below the last row."""
        if self._ground is None:  # takes as long as drawing a row
            self._ground = self._widget.rich_style
        return Strip.blank(width, self._ground)

    def empty(self, text: str, y: int, size: Size) -> Strip:
        """A line of a list without rows, with its centred text."""
        lines = centred(text, size.width, size.height)
        if not (0 <= y < len(lines) and lines[y]):
            return self.blank(size.width)
        style = self._widget.get_component_rich_style("row-list--empty")
        return Strip([segment(fit(lines[y], size.width), style)], size.width)

    def _drawn(self, key: str, look: Look, width: int, room: int) -> Strip:
        names = look.names
        base = self._widget.get_visual_style(*names)
        ground = base.rich_style
        # A visual style has no `reverse`, which shows a cursor without colours.
        reverse = look.cursor and bool(names) and self._widget.get_component_rich_style(*names).reverse
        extra = Style(reverse=True) if reverse else Style()
        drawn = self._draw(key, room).render(base, end="")
        parts = [segment(text, style.rich_style + extra) for text, style in drawn]
        strip = Strip(cut_segments(parts, room))
        bar = self._widget.get_visual_style(*names, "row-list--bar").rich_style
        rest = blank(width - 1 - strip.cell_length, ground + extra)
        mark = "●" if look.marked else "▌" if look.cursor else " "
        return Strip([segment(mark, bar), *strip, rest], width)
