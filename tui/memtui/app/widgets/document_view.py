"""Shows a document of any length, wrapped to the width, by drawing only the visible rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from memtui.app.base import hidden, moving, own_app
from memtui.app.widgets.document import EMPTY, Document, Layout, Line, Place
from memtui.app.widgets.wrap import blank, cut, hang_for, head, segment

LOOKS = {
    "title": "bold $accent",
    "heading": "bold $heading",
    "label": "$quiet",
    "dim": "$quiet",
    "quote": "italic",
    "bullet": "$quiet",
    "code": "$accent",
    "strong": "bold",
    "rule": "$foreground 40%",
    "good": "$success",
    "warn": "$warning",
    "bad": "$error",
    "accent": "$accent",
    "prompt": "bold $heading",
    "tool": "$secondary",
    "added": "bold $success",
    "removed": "strike $error",
    "hit": "bold $background on $warning",
    "link": "bold on $cursor",
}
"""The styles of roles. No component classes: Textual finds the rules of all before the first paint."""


def next_of(numbers: Sequence[int], here: int, step: int) -> int:
    """The next of some ascending numbers, or for a negative `step` the one before `here`; -1 without one."""
    at = bisect_right(numbers, here) if step > 0 else bisect_left(numbers, here) - 1
    return numbers[at] if 0 <= at < len(numbers) else -1


class DocumentView(ScrollView, can_focus=True, inherit_bindings=False):
    """A document to read: scrolls by keys and wheel, and its text can be selected with the mouse.

    The reading position is kept when the width changes, and on request when the document is replaced by a
    newer version.
    """

    app = own_app

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving("lines"),
        hidden("space", "page(1.0)"),
        hidden("tab", "link(1)"),
        hidden("shift+tab", "link(-1)"),
        hidden("enter", "follow"),
    ]

    DEFAULT_CSS = """
    DocumentView {
        overflow-x: hidden;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    @dataclass
    class Followed(Message):
        """A line with a link was chosen, by enter or a click."""

        link: str

    def __init__(self, document: Document = EMPTY, *, id: str | None = None) -> None:  # noqa: A002 - Textual's
        super().__init__(id=id)
        self.document = document
        self._layout = Layout(EMPTY, 1)
        self._wanted = Place(0)
        self._link = -1
        self._base = 0
        """The number of the first line in selections; constant when lines are inserted before it."""

    @property
    def place(self) -> Place:
        return self._layout.place(self.scroll_offset.y) if self._is_laid_out() else self._wanted

    def _is_laid_out(self) -> bool:
        return self._layout.document is self.document and self._layout.rows > 0

    def show(
        self, document: Document, *, keep_scroll: bool = False, shift: int = 0, layout: Layout | None = None
    ) -> None:
        """Show a document, from its top; a newer version of the current one at the same line (`keep_scroll`).

        `shift` lines were added (or removed, negative) before that line; `layout` may have been made before.
        """
        if document is self.document:
            return
        place, before = self.place, self._link
        self._wanted, self._link = Place(0), -1
        if keep_scroll:
            self._wanted = Place(max(0, place.line + shift), place.char)
            self._base -= shift
        else:
            self._base = 0
            self._drop_selection()
        if keep_scroll and before >= 0:
            link = self.document.lines[before].link
            same = (number for number in document.followed if document.lines[number].link == link)
            self._link = min(same, key=lambda number: abs(number - before), default=-1)
        self.document = document
        self._lay_out(layout)

    def reveal(self, line: int) -> None:
        """Bring a line into view, a little below the top; the first line is at the top."""
        self._wanted = Place(max(0, line - 3))
        if self._is_laid_out():
            self.scroll_to(y=self._layout.row_of(self._wanted), animate=False, force=True)

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        # Textual 8.2.8 tells a scrollbar of no scrolling that came before it is shown.
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def _drop_selection(self) -> None:
        if self.is_attached and self.text_selection is not None:
            self.screen.clear_selection()

    def _text_width(self) -> int:
        """As before while it is hidden: shown again, it has its text and not an older one at once."""
        return self.scrollable_content_region.width or self._layout.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Its rows, also before it is laid out: a box as high as its text would be empty at first."""
        return self.virtual_size.height or Layout(self.document, max(1, width)).rows

    def _lay_out(self, layout: Layout | None = None) -> None:
        width = self._text_width()
        if not self.is_mounted or width < 2:  # not shown yet
            return
        self._layout = layout if layout and layout.width == width else Layout(self.document, width)
        self.virtual_size = Size(0, self._layout.rows)
        self.scroll_to(y=self._layout.row_of(self._wanted), animate=False, force=True)
        self.refresh()

    def on_resize(self) -> None:
        self._resized()

    def _resized(self) -> None:
        if self._layout.width != self._text_width() or self._layout.document is not self.document:
            self._wanted = self.place
            self._lay_out()

    def action_lines(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False, force=True)

    def rows_of(self, pages: float) -> int:
        return int(pages * max(2, self.scrollable_content_region.height - 1))

    def action_page(self, pages: float) -> None:
        self.scroll_relative(y=self.rows_of(pages), animate=False, force=True)

    def action_first(self) -> None:
        self.scroll_to(y=0, animate=False, force=True)

    def action_last(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def action_link(self, step: int) -> None:
        """Go to the next link; after the last one the key goes to the parent."""
        here = self._link if self._link >= 0 else self.place.line - 1 if step > 0 else -1
        self._mark_link(next_of(self.document.links, here, step))
        if self._link < 0:
            raise SkipAction

    @property
    def marked(self) -> int:
        """The line that enter follows, drawn as such; -1 without one."""
        return self._link

    def action_follow(self) -> None:
        """Follow the marked line; else mark the first visible link, or follow it if tab skips it."""
        if self._link >= 0:
            self.post_message(self.Followed(self.document.lines[self._link].link))
            return
        followed = (number for number in self.document.followed if number >= self.place.line)
        first = next(followed, None)
        if first is None:
            raise SkipAction
        if first in self.document.links:
            self.action_link(1)
        else:
            self.post_message(self.Followed(self.document.lines[first].link))

    def _mark_link(self, number: int) -> None:
        self._link = number
        self.refresh()
        if number >= 0 and self._is_laid_out():
            row, height = self._layout.row_of(Place(number)), self.scrollable_content_region.height
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.scroll_to(y=max(0, row - height // 2), animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """A click on a line with a link follows it, unless it selects text."""
        if (row := self._row_under(event)) is not None:
            number, _, _ = self._layout.row(row)
            if link := self._layout.document.lines[number].link:
                self._mark_link(number)
                self.post_message(self.Followed(link))

    def _row_under(self, event: events.Click) -> int | None:
        """The row of the text that was clicked; None beside it, and at the end of a selection."""
        offset = event.get_content_offset(self)
        if offset is None or event.button != 1 or self.text_selection is not None:
            return None
        row = offset.y + self.scroll_offset.y
        return row if row < self._layout.rows else None

    def text_at(self, at: Offset) -> Offset | None:
        """The character of a line at a cell: the first on the indent, the end beside and below the text."""
        layout = self._layout
        if not layout.rows:
            return None
        number, index, piece = layout.row(max(0, min(at.y + self.scroll_offset.y, layout.rows - 1)))
        made, cells = layout.document.lines[number], at.x
        cells -= hang_for(layout.width, made.hang) if index else 0
        return Offset(piece.start + len(head(made.text[piece.start : piece.end], cells)), number + self._base)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text: logical lines, without the breaks made for the width."""
        lines = self.document.lines
        first = 0 if selection.start is None else selection.start.y - self._base
        last = len(lines) - 1 if selection.end is None else min(selection.end.y - self._base, len(lines) - 1)
        chosen = [lines[number].text for number in range(max(0, first), last + 1)]
        if not chosen:
            return None
        if selection.end is not None and selection.end.y - self._base == last:
            chosen[-1] = chosen[-1][: selection.end.x]
        if selection.start is not None and first >= 0:
            chosen[0] = chosen[0][selection.start.x :]
        return "\n".join(chosen), "\n"

    @property
    def ground(self) -> Style:
        return self.visual_style.rich_style

    def render_line(self, y: int) -> Strip:
        row, width, ground, layout = y + self.scroll_offset.y, self.size.width, self.ground, self._layout
        if row >= layout.rows:
            return Strip.blank(width, ground)
        number, index, piece = layout.row(row)
        made = layout.document.lines[number]
        parts: list[Segment] = []
        if index:
            parts = [blank(hang_for(layout.width, made.hang), ground)]
        parts += self._text(made, number, piece.start, piece.end)
        room = min(width, layout.width)
        strip = Strip(parts)
        if strip.cell_length > room:  # a character is wider than the line, or the width has just changed
            strip = Strip([segment(cut(strip.text, room), ground)])
        rest = blank(room - strip.cell_length, ground)
        if made.role == "rule":
            rest = Segment("─" * len(rest.text), ground + self._style("rule"))
        return Strip([*strip, rest, blank(width - room, ground)], width)

    def _text(self, made: Line, number: int, start: int, end: int) -> list[Segment]:
        """The characters `start` to `end` of a line in the styles of their spans and of the selection."""
        base = self.ground + self._style(made.role)
        if made.link and number == self.marked:
            base += Style(color=self.ground.color) + self._style("link")
        marks = [(span.start, span.end, self._style(span.role)) for span in made.spans]
        selection = self.text_selection
        if selection is not None and (chosen := selection.get_span(number + self._base)) is not None:
            stop = len(made.text) + 1 if chosen[1] < 0 else chosen[1]
            marks.append((chosen[0], stop, selected_style(self)))
        edges = sorted({start, end, *(at for mark in marks for at in mark[:2] if start < at < end)})
        parts: list[Segment] = []
        for left, right in zip(edges, edges[1:] or edges, strict=False):
            style = base
            for mark_start, mark_end, mark in marks:
                if mark_start <= left < mark_end:
                    style = style + mark
            parts.append(segment(made.text[left:right], style))
        return parts

    def _style(self, role: str) -> Style:
        if role in ("hit", "link") and self.app.no_color:
            return Style(reverse=True)
        style = self.app.stylesheet.parse_style(LOOKS.get(role, ""))
        return (self.visual_style + style if role == "rule" else style).rich_style  # that is translucent


def selected_style(widget: Widget) -> Style:
    """The style that a selection adds to its text.

    Textual's own style has a transparent text colour by default, which Rich cannot express: it becomes
    the colour of the background.
    """
    if widget.app.no_color:
        return Style(reverse=True)
    style, own = widget.screen.get_component_rich_style("screen--selection"), widget.visual_style.rich_style
    return Style(color=own.color if style.color == style.bgcolor else style.color, bgcolor=style.bgcolor)
