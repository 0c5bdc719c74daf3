"""Draws the rows of lists and documents as strips, caches them, and lets no control code through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from memtui.app.widgets.document import ROLES
from memtui.app.widgets.layout import Layout
from memtui.app.widgets.wrap import centred, fit, hang_for, head
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


class Drawn(NamedTuple):
    """The state of a document for drawing."""

    layout: Layout
    link: int
    """The line whose link enter follows; -1 for none."""
    base: int
    """The number of the first line in selections."""
    selection: Selection | None


Key = TypeVar("Key")


class _Painter(Generic[Key]):
    """Draws rows in the component styles of a widget, and caches them until told to forget."""

    def __init__(self, widget: Widget, cached: int) -> None:
        self._widget = widget
        self._strips: LRUCache[Key, Strip] = LRUCache(cached)
        self._width = 0
        self._ground: Style | None = None

    def forget_rows(self) -> None:
        self._strips.clear()

    def forget(self) -> None:
        self._strips.clear()
        self._ground = None

    @property
    def ground(self) -> Style:
        if self._ground is None:  # takes as long as drawing a row
            self._ground = self._widget.rich_style
        return self._ground

    def _cached(self, key: Key, width: int, draw: Callable[[], Strip]) -> Strip:
        if width != self._width:
            self._strips.clear()
            self._width = width
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = draw()
        return strip


class LinePainter(_Painter[int]):
    """Draws the lines of a document."""

    def __init__(self, widget: Widget) -> None:
        super().__init__(widget, 512)
        self._styles: dict[str, Style] = {}

    def forget(self) -> None:
        super().forget()
        self._styles.clear()

    def row(self, number: int, width: int, drawn: Callable[[], Drawn]) -> Strip:
        """A row of the layout; blank below its end. `drawn` is only called for rows not in the cache."""
        return self._cached(number, width, lambda: self._row(number, width, drawn()))

    def _row(self, row: int, width: int, drawn: Drawn) -> Strip:
        ground, layout = self.ground, drawn.layout
        if row >= layout.rows:
            return Strip.blank(width, ground)
        number, index, piece = layout.row(row)
        made = layout.document.lines[number]
        parts: list[Segment] = []
        if index:
            # One segment a column: a press on the indent is a press on the first character.
            margin = Style.from_meta({"offset": (piece.start, number + drawn.base)})
            parts = [blank(1, ground + margin)] * hang_for(layout.width, made.hang)
        parts += self._text(drawn, number, piece.start, piece.end)
        room = min(width, layout.width)
        strip = Strip(cut_segments(parts, room))
        rest = blank(room - strip.cell_length, ground)
        if made.role == "rule":
            rest = Segment("─" * len(rest.text), ground + self._style("rule"))
        return Strip([*strip, rest, blank(width - room, ground)], width)

    def _text(self, drawn: Drawn, number: int, start: int, end: int) -> list[Segment]:
        """The characters `start` to `end` of a line in the styles of their spans and of the selection."""
        made, name = drawn.layout.document.lines[number], number + drawn.base
        base = self.ground + self._style(made.role)
        if number == drawn.link:
            base += self._widget.get_component_rich_style("document--link", partial=False)
        marks = [(span.start, span.end, self._style(span.role)) for span in made.spans]
        if drawn.selection is not None and (chosen := drawn.selection.get_span(name)) is not None:
            stop = len(made.text) + 1 if chosen[1] < 0 else chosen[1]
            marks.append((chosen[0], stop, self._selected()))
        cuts = {start, end, *(at for mark in marks for at in mark[:2] if start < at < end)}
        edges = sorted(cuts)
        parts: list[Segment] = []
        for left, right in zip(edges, edges[1:] or edges, strict=False):
            style = base
            for mark_start, mark_end, mark in marks:
                if mark_start <= left < mark_end:
                    style = style + mark
            parts.append(segment(made.text[left:right], style + Style.from_meta({"offset": (left, name)})))
        return parts

    def _selected(self) -> Style:
        """The style that a selection adds to its text.

        Textual's own style has a transparent text colour by default, which Rich cannot express: it becomes
        the colour of the background.
        """
        if self._widget.app.no_color:
            return Style(reverse=True)
        style = self._widget.screen.get_component_rich_style("screen--selection")
        color = self.ground.color if style.color == style.bgcolor else style.color
        return Style(color=color, bgcolor=style.bgcolor)

    def _style(self, role: str) -> Style:
        if role not in ROLES:
            return Style()
        style = self._styles.get(role)
        if style is None:
            # The partial style has the role's attributes, but its colours are not blended yet.
            partial = self._widget.get_component_rich_style(f"document--{role}", partial=True)
            whole = self._widget.get_component_rich_style(f"document--{role}")
            colors = Style(
                color=whole.color if partial.color else None,
                bgcolor=whole.bgcolor if partial.bgcolor else None,
            )
            style = self._styles[role] = partial + colors
        return style


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
        if self.header:
            kind = "row-list--header"
        else:
            shown = self.cursor and not self.pale
            kind = "row-list--cursor" if shown else "row-list--hover" if self.hover else ""
        return (*((kind,) if kind else ()), *(("row-list--new",) if self.new else ()))


class RowPainter(_Painter[tuple[str, Look]]):
    """Draws the rows of a list."""

    def __init__(self, widget: Widget, draw: Draw) -> None:
        super().__init__(widget, 1024)
        self._draw = draw

    def row(self, key: str, look: Look, width: int, room: int) -> Strip:
        """A row of a list in `width` cells, of which `room` are for its content."""
        return self._cached((key, look), width, lambda: self._drawn(key, look, width, room))

    def blank(self, width: int) -> Strip:
        return Strip.blank(width, self.ground)

    def empty(self, text: str, y: int, size: Size) -> Strip:
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
