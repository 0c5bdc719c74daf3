"""A list of any number of rows that only draws the visible ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from memtui.app.base import moving, own_app
from memtui.app.widgets.document_view import selected_style
from memtui.app.widgets.wrap import blank, head, segment, wrap
from memtui.ground.clean import clean
from memtui.ground.clock import day_and_minute, short_time, to_local

Draw = Callable[[str, int], Content]
"""Makes the content of a row from its key and the available cells; never reads a file."""


@dataclass
class Latest(Message):
    """A message of which the last of several counts, so that a held key does not queue up work."""

    row_list: RowList

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, type(self)) and message.row_list is self.row_list


class RowList(ScrollView, can_focus=True, inherit_bindings=False):
    """A list of one-line rows, identified by keys, with exactly one selected.

    The owner gives keys in order and a function that draws one row. Selection and scroll position stay with
    their rows when the keys change. Drawn rows are cached: call `refresh_rows` if the content of rows may
    have changed (an age, say).
    """

    app = own_app
    empty = reactive("", layout=True)

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving("move"),
        Binding("enter", "open", "open", key_display="enter", tooltip="open the selected row"),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"row-list--{part}" for part in ("bar", "cursor", "empty", "header")
    }

    DEFAULT_CSS = """
    RowList {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .row-list--bar { color: $foreground 40%; }
        & > .row-list--cursor { background: $foreground 8%; }
        & > .row-list--header { color: $heading; text-style: bold; }
        & > .row-list--empty { color: $quiet; }
        &:focus > .row-list--bar { color: $accent; }
        &:focus > .row-list--cursor { background: $cursor; text-style: bold; }
        &:nocolor:focus > .row-list--cursor { text-style: reverse; }
        &:ansi:focus > .row-list--cursor { background: ansi_default; text-style: bold reverse; }
    }
    """

    class Highlighted(Latest):
        """Another row is selected, by the user or because the rows changed, or none any more."""

    class Arrived(Message):
        """Its rows were read, or read again."""

    class Opened(Message):
        """The user opened the selected row: enter, a double click, a click on it or on a fold."""

    class BoxClicked(Message):
        """The box of the selected row was clicked."""

    def __init__(
        self,
        draw: Draw,
        *,
        is_header: Callable[[str], bool] | None = None,
        empty: str = "",
        box: Callable[[str], int] = lambda _: 0,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        """Make an empty list; a click on a row's first `box` cells ticks it, or opens it if negative."""
        super().__init__(id=id)
        self._is_header = is_header or (lambda key: False)
        self.unread = False
        """Whether its rows are still being read: keys for them wait."""
        self.set_reactive(RowList.empty, empty)
        self._box = box
        self.rows: Sequence[str] = ()
        self._places: dict[str, int] = {}
        self.index = -1
        """The place of the selected row; -1 without one."""
        self.used = False
        """Whether the user has chosen a row or pressed a key here; before, the first row stays selected."""
        self._at_top = True
        self._last: str | None = None
        """The last key that went while it was selected."""
        self._awaited: frozenset[str] = frozenset()
        """Keys of rows of which the first is selected, until the next move."""
        self._reported: tuple[str | None, int, Sequence[str]] = (None, 0, ())
        self._draw = draw
        self._strips: LRUCache[tuple[str, str, bool, int], Strip] = LRUCache(1024)
        self.marked: frozenset[str] = frozenset()
        self._focus_is_new = False
        self._selects = self._opens = self._opened = False
        """Whether the last press was on a row, on the selected one, and its chain of clicks has opened it."""

    @property
    def selected(self) -> str | None:
        return self.rows[self.index] if self.index >= 0 else None

    @property
    def in_sight(self) -> Sequence[str]:
        first = self.scroll_offset.y
        return self.rows[first : first + self._height]

    def set_rows(self, keys: Sequence[str]) -> None:
        """Show other rows; selection and scroll position stay with the rows they are at.

        If the selected row is gone, the one that took its place is selected. A list that nobody has used yet
        stays on its first row; one that stands on its first row keeps showing the top. One that had no rows
        for a while goes back to the row that was selected before. The unique keys are not copied.
        """
        before, old = self.selected, self.rows
        if self.is_attached and self.text_selection is not None and [*keys] != [*old]:
            self.screen.clear_selection()  # it is by the numbers of rows
        self.rows, self._places = keys, {key: index for index, key in enumerate(keys)}

        def heir(index: int) -> tuple[int, int]:
            """The place of an old row, or of the nearest one that still exists, first of those after it."""
            nearest = chain(range(index, len(old)), range(index - 1, -1, -1))
            return next(((at, each) for each in nearest if (at := self._find(old[each])) >= 0), (-1, index))

        index, top, height = self.index, self.scroll_offset.y, self._height
        if index < 0 or not (self.used or top):
            self.index = self._selectable(0, 1)
        else:
            found, _ = heir(index)
            self.index = self._selectable(found if found >= 0 else min(index, len(keys) - 1), 1)
        new_top = 0
        if top or not self._at_top:
            found, of = heir(top)
            new_top = found - (of - top) if found >= 0 else 0
        if height and self.index >= 0 and (index < 0 or top <= index < top + height):
            new_top = max(min(new_top, self.index), self.index - height + 1)
        self.virtual_size = Size(0, len(keys))
        self._scroll_now(max(0, min(new_top, len(keys) - height)))
        if before is not None and before != self.selected and self._find(before) < 0:
            self._last = before
        elif before is None and self.used and (back := self._find(self._last)) >= 0:
            self.index = back
            self._show_selected()
        self.refresh_rows()
        self._report()
        self.await_back(self._awaited)
        self.post_message(self.Arrived())

    @property
    def gone(self) -> set[str]:
        """The row that was selected last and is gone, if there is one."""
        return {self._last} if self._last and self._find(self._last) < 0 else set()

    def _find(self, key: str | None) -> int:
        return self._places.get(key or "", -1)

    def await_back(self, keys: Iterable[str]) -> None:
        """Select the first of these rows, at once or when it comes back before a move."""
        awaited = frozenset(keys)
        if (back := min((at for key in awaited if (at := self._find(key)) >= 0), default=-1)) >= 0:
            self._go(self._selectable(back, 0))
        self._awaited = awaited  # an older listing may come in between

    def refresh_rows(self) -> None:
        self._strips.clear()
        self.refresh()

    def select(self, key: str) -> bool:
        index = self._find(key)
        if index < 0 or self._selectable(index, 0) != index:
            return False
        self._go(index)
        return True

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    def _selectable(self, index: int, step: int) -> int:
        """The first selectable row from `index` on, else in the other direction; or -1."""
        rows, after, before = self.rows, range(index, len(self.rows)), range(index, -1, -1)
        places = chain(after, before) if step > 0 else chain(before, after) if step else (index,)
        return next((at for at in places if 0 <= at < len(rows) and not self._is_header(rows[at])), -1)

    def _go(self, index: int) -> None:
        if index < 0:
            return
        before, self.index = self.index, index
        self.used, self._awaited = True, frozenset()
        self._at_top = index == self._selectable(0, 1)
        for row in {before, index} - {-1} if before != index else ():
            self.refresh_line(row)
        self._show_selected()
        self._report()

    def _show_selected(self) -> None:
        """Scroll as little as necessary to show the selected row, and a header right above it."""
        top, height, first = self.scroll_offset.y, self._height, self.index
        if not height or first < 0:
            return
        while first > 0 and self.index - first < height - 1 and self._is_header(self.rows[first - 1]):
            first -= 1
        if first < top:
            self._scroll_now(first)
        elif self.index >= top + height:
            self._scroll_now(self.index - height + 1)

    def _scroll_now(self, top: int) -> None:
        if self.is_mounted:
            self.scroll_to(y=max(0, top), animate=False, force=True)

    def action_move(self, rows: int) -> None:
        if self.rows:
            target = max(0, min(len(self.rows) - 1, self.index + rows))
            self._go(self._selectable(target, 1 if rows > 0 else -1))

    def action_page(self, pages: float) -> None:
        self.action_move(int(pages * max(2, self._height - 1)))

    def action_first(self) -> None:
        self._go(self._selectable(0, 1))

    def action_last(self) -> None:
        self._go(self._selectable(len(self.rows) - 1, -1))

    def action_open(self) -> None:
        """Open the selected row; without one the key goes to the parent."""
        if self.selected is None:
            raise SkipAction
        self.post_message(self.Opened())

    def _report(self) -> None:
        if not self.is_mounted:
            return
        selected, first, keys = self._reported
        self._reported = (self.selected, self.scroll_offset.y, self.in_sight)
        if self._reported[0] != selected:
            self.post_message(self.Highlighted(self))
        if self._reported[1:] != (first, keys):
            self.look_at(self.in_sight)

    def look_at(self, keys: Sequence[str]) -> None:
        """Read what the rows in sight show; those out of view need not be loaded."""

    def on_mount(self) -> None:
        self._report()

    def on_resize(self) -> None:
        self._show_selected()
        self._report()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._report()

    def on_focus(self) -> None:
        """Note that the press that may have given the focus is still to come."""
        self._focus_is_new = True
        # Textual reads the signature of a callback: that of a built-in function takes 3 ms.
        self.call_later(lambda: setattr(self, "_focus_is_new", False))

    def hold(self, selected: bool = True) -> None:
        """Stay on the selected row from now on, whatever arrives above it; or else on the first one."""
        self.used = selected

    def on_key(self) -> None:
        self.hold()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Select at once: a press that brings the focus may move the list before the release."""
        row = event.y - self.gutter.top + self.scroll_offset.y
        self._selects = event.button == 1 and 0 <= row < len(self.rows) and self._selectable(row, 0) == row
        again = row == self.index and not self._focus_is_new
        self._opens = self._selects and (again or self._box(self.rows[row]) < 0)
        if self._selects:
            self._go(row)

    def on_click(self, event: events.Click) -> None:
        """Tick the row by its box; else open it if it was selected before: a double click opens any row."""
        if self.selected is None or self.text_selection is not None:  # the rows have gone since the press
            return
        if self._selects and event.x - self.gutter.left < self._box(self.rows[self.index]):
            self.post_message(self.BoxClicked())
            return
        if event.chain == 1:
            self._opened = False
        if self._opens and not self._opened:
            self._opened = True
            self.action_open()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def text_at(self, at: Offset) -> Offset | None:
        """The row and the cell in it: rows are selected as they are drawn."""
        row = at.y + self.scroll_offset.y
        return Offset(max(0, at.x), row) if 0 <= row < len(self.rows) else None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        first, last = selection
        if first is None or last is None:  # it goes beyond this list
            return None
        rows = range(first.y, min(last.y + 1, len(self.rows)))
        return "\n".join(self._row_drawn(row).crop(*self._span(row)).text.strip() for row in rows), "\n"

    def _span(self, row: int) -> tuple[int, int]:
        """The selected cells of a row, without its bar."""
        chosen = self.text_selection
        span = chosen.get_span(row) if chosen and None not in chosen else None
        return (max(1, span[0]), max(1, span[1]) if span[1] >= 0 else self.size.width) if span else (0, 0)

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        strip = self._row_drawn(row) if self.rows else self._drawn_empty(y)
        first, stop = self._span(row)
        if first == stop:
            return strip
        part = Segment.apply_style(strip.crop(first, stop), None, selected_style(self))
        return Strip.join([strip.crop(0, first), Strip(part), strip.crop(stop)])

    def _row_drawn(self, row: int) -> Strip:
        width = self.size.width
        if row >= len(self.rows):
            return Strip.blank(width, self.visual_style.rich_style)
        key = self.rows[row]
        look = "header" if self._is_header(key) else "cursor" if row == self.index else ""
        drawn = (key, look, key in self.marked, width)
        strip = self._strips.get(drawn)
        if strip is None:
            strip = self._strips[drawn] = self._drawn(key, look)
        return strip

    def _drawn_empty(self, y: int) -> Strip:
        width = self.size.width
        rows, room = clean(self.empty).split("\n"), max(1, width - 2)
        lines = [f" {row[piece.start : piece.end]}" for row in rows for piece in wrap(row, room)]
        if y >= len(lines):
            return Strip.blank(width, self.visual_style.rich_style)
        style = self.get_component_rich_style("row-list--empty")
        return Strip([segment(lines[y], style)]).extend_cell_length(width, style)

    def _drawn(self, key: str, look: str) -> Strip:
        names, width = (f"row-list--{look}",) if look else (), self.size.width
        base = self.get_visual_style(*names)
        # A visual style has no `reverse`, which shows a cursor without colours.
        reverse = look == "cursor" and self.get_component_rich_style(*names).reverse
        extra = Style(reverse=True) if reverse else Style()
        drawn = self._draw(key, self.room).truncate(self.room, ellipsis=True).render(base, end="")
        parts = [segment(text, style.rich_style + extra) for text, style in drawn]
        strip = Strip(parts).crop(0, self.room)  # cleaned text may be longer
        bar = self.get_visual_style(*names, "row-list--bar").rich_style
        rest = blank(width - 1 - strip.cell_length, base.rich_style + extra)
        mark = "●" if key in self.marked else "▌" if look == "cursor" else " "
        return Strip([segment(mark, bar), *strip, rest], width)

    @property
    def room(self) -> int:
        return max(0, self.scrollable_content_region.width - 2)  # the bar, and a gap


def when_of(moment: datetime | None, now: datetime, width: int, *, exact: bool = False) -> str:
    """The time column of a row: day and minute if there is room for both, or `exact`."""
    if width >= 40 or exact:
        same_year = moment is not None and moment.year == now.year
        when = (day_and_minute(moment) if same_year else f"{to_local(moment):%d %b %Y}") if moment else ""
        return f"{when:<13}"
    return f"{short_time(moment, now) if moment else '':<7}"


def row(left: Sequence[Content | tuple[str, str] | str], right: str, width: int) -> Content:
    """A row with `left` cut if necessary and `right` kept whole at the end, if both fit."""
    end = f" {right}" if right and width >= 24 else ""
    content, room = Content.assemble(*left), max(0, width - len(end))
    cells = room
    if content.cell_length > room:  # Textual's cut leaves a blank for half a wide character
        cells = min(room, cell_len(head(content.plain, room - 1)) + 1)
    content = content.truncate(cells, ellipsis=True, pad=True).pad_right(room - cells)
    return Content.assemble(content, (end, "$quiet"))
