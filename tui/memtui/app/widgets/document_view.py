"""Shows a document of any length, wrapped to the width, by drawing only the visible rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events, work
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.worker import get_current_worker

from memtui.app.widgets.document import EMPTY, ROLES, Document, Line
from memtui.app.widgets.layout import Layout, Place, part_around
from memtui.app.widgets.painting import Drawn, LinePainter

AT_ONCE = 256 * 1024
"""Maximum length of a document laid out at once, in characters; of longer ones only the visible part."""
_ABOVE = 3
"""Lines shown above a line that is brought into view."""


class DocumentView(ScrollView, can_focus=True, inherit_bindings=False):
    """A document to read: scrolls by keys and wheel, and its text can be selected with the mouse.

    The reading position is kept when the width changes, and on request when the document is replaced by a
    newer version.
    """

    ALLOW_SELECT = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "lines(1)", "Down", show=False),
        Binding("up,k", "lines(-1)", "Up", show=False),
        Binding("home,g", "first", "Top", show=False),
        Binding("end,G", "last", "End", show=False),
        Binding("pagedown,space", "page(1.0)", "Page down", show=False),
        Binding("pageup", "page(-1.0)", "Page up", show=False),
        Binding("ctrl+d", "page(0.5)", "Half a page down", show=False),
        Binding("ctrl+u", "page(-0.5)", "Half a page up", show=False),
        Binding("tab", "link(1)", "Next link", show=False),
        Binding("shift+tab", "link(-1)", "Previous link", show=False),
        Binding("enter", "follow", "Follow", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"document--{role}" for role in (*ROLES, "link")}

    DEFAULT_CSS = """
    DocumentView {
        overflow-x: hidden;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .document--title { color: $accent; text-style: bold; }
        & > .document--heading { color: $heading; text-style: bold; }
        & > .document--label { color: $quiet; }
        & > .document--dim { color: $quiet; }
        & > .document--quote { text-style: italic; }
        & > .document--bullet { color: $quiet; }
        & > .document--code { color: $accent; }
        & > .document--strong { text-style: bold; }
        & > .document--rule { color: $foreground 40%; }
        & > .document--good { color: $success; }
        & > .document--warn { color: $warning; }
        & > .document--bad { color: $error; }
        & > .document--accent { color: $accent; }
        & > .document--prompt { color: $heading; text-style: bold; }
        & > .document--tool { color: $secondary; }
        & > .document--added { color: $success; text-style: bold; }
        & > .document--removed { color: $error; text-style: strike; }
        & > .document--hit { color: $background; background: $warning; text-style: bold; }
        & > .document--link { background: $cursor; text-style: bold; }
        &:nocolor > .document--link, &:nocolor > .document--hit { text-style: reverse; }
    }
    """

    class LaidOut(Message):
        """A thread has finished the layout of a document."""

        def __init__(self, layout: Layout) -> None:
            super().__init__()
            self.layout = layout

    class Followed(Message):
        """A line with a link was chosen, by enter or a click."""

        def __init__(self, view: DocumentView, link: str) -> None:
            super().__init__()
            self.view = view
            self.link = link

        @property
        def control(self) -> DocumentView:
            return self.view

    def __init__(
        self,
        document: Document = EMPTY,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 - Textual's name
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._document = document
        self._layout = Layout(EMPTY, 1)
        self._layouts: LRUCache[tuple[Document, int], Layout] = LRUCache(3)
        self._painter = LinePainter(self)
        self._wanted = Place(0)
        self._link = -1
        """The line whose link enter follows."""
        self._base = 0
        """The number of the first line in selections; constant when lines are inserted before it."""

    @property
    def document(self) -> Document:
        return self._document

    @property
    def place(self) -> Place:
        return self._layout.place(self.scroll_offset.y) if self._is_laid_out() else self._wanted

    def _is_laid_out(self) -> bool:
        return self._layout.document is self._document and self._layout.rows > 0

    def show(self, document: Document, *, keep_scroll: bool = False, shift: int = 0) -> None:
        """Show a document, from its top or at the current reading position.

        Args:
            document: What to show.
            keep_scroll: Whether it is a newer version of the current one: stay at the same line.
            shift: Number of lines added (or removed, negative) before that line.
        """
        if document is self._document:
            return
        place = self.place
        self._wanted = Place(max(0, place.line + shift), place.char) if keep_scroll else Place(0)
        self._link = self._link_in(document) if keep_scroll else -1
        self._document = document
        if keep_scroll:
            self._base -= shift
        else:
            self._base = 0
            self._drop_selection()
        self._lay_out()

    def reveal(self, line: int) -> None:
        """Bring a line into view, a little below the top; the first line is at the top."""
        above = min(line, _ABOVE)
        self._wanted = Place(line - above)
        if self._is_laid_out():
            self.scroll_to(y=self._layout.row_of(self._wanted), animate=False, force=True)

    def _drop_selection(self) -> None:
        if self.is_mounted and self.text_selection is not None:
            self.screen.clear_selection()

    def _text_width(self) -> int:
        return self.scrollable_content_region.width

    def _lay_out(self) -> None:
        """Lay out the document for the width; if that takes long, the visible part now, the rest later."""
        width, document = self._text_width(), self._document
        if not self.is_mounted or width < 1:
            return
        layout = self._layouts.get((document, width))
        if layout is None and document.size <= AT_ONCE:
            layout = Layout(document, width)
        if layout is not None:
            self.workers.cancel_group(self, "layout")
            self._install(layout)
            return
        self._install(part_around(document, self._wanted.line, width))
        self._lay_out_all(document, width)

    @work(thread=True, exclusive=True, group="layout", exit_on_error=False)
    def _lay_out_all(self, document: Document, width: int) -> None:
        worker = get_current_worker()
        layout = Layout(document, width, cancelled=lambda: worker.is_cancelled)
        if layout.complete and not worker.is_cancelled:
            self.post_message(self.LaidOut(layout))

    def on_document_view_laid_out(self, event: LaidOut) -> None:
        event.stop()
        if event.layout.document is self._document and event.layout.width == self._text_width():
            self._wanted = self.place
            self._install(event.layout)

    def _install(self, layout: Layout) -> None:
        if layout.complete:
            self._layouts[(layout.document, layout.width)] = layout
        self._layout = layout
        self._painter.forget_rows()
        self.virtual_size = Size(0, layout.rows)
        self.scroll_to(y=layout.row_of(self._wanted), animate=False, force=True)
        self.refresh()

    def on_mount(self) -> None:
        self._lay_out()

    def on_resize(self) -> None:
        self._resized()

    def _resized(self) -> None:
        if self._layout.width != self._text_width() or self._layout.document is not self._document:
            self._wanted = self.place
            self._lay_out()

    def action_lines(self, rows: int) -> None:
        self._scroll_by(rows)

    def action_page(self, pages: float) -> None:
        self._scroll_by(int(pages * max(2, self.scrollable_content_region.height - 1)))

    def action_first(self) -> None:
        self._jump(0)

    def action_last(self) -> None:
        self._jump(len(self._document))

    def _link_in(self, document: Document) -> int:
        """The line of the current link in a newer version of the document."""
        if self._link < 0:
            return -1
        link = self._document.lines[self._link].link
        return next((number for number in document.links if document.lines[number].link == link), -1)

    def action_link(self, step: int) -> None:
        """Go to the next link; after the last one the key goes to the parent."""
        links = self._document.links
        if self._link >= 0:
            at = links.index(self._link) + step
        else:
            top = self.place.line
            at = next((index for index, number in enumerate(links) if number >= top), len(links))
            at = at if step > 0 else -1
        known = 0 <= at < len(links)
        self._mark_link(links[at] if known else -1)
        if not known:
            raise SkipAction

    @property
    def lines_ahead(self) -> Iterator[Line]:
        """The marked line, then those from the top of the visible part."""
        if self._link >= 0:
            yield self._document.lines[self._link]
        yield from self._document.lines[self.place.line :]

    def action_follow(self) -> None:
        """Follow the marked line; else mark the first visible link, or follow it if tab skips it."""
        if self._link >= 0:
            self.post_message(self.Followed(self, self._document.lines[self._link].link))
            return
        followed = (number for number in self._document.followed if number >= self.place.line)
        first = next(followed, None)
        if first is None:
            raise SkipAction
        if first in self._document.links:
            self.action_link(1)
        else:
            self.post_message(self.Followed(self, self._document.lines[first].link))

    def _mark_link(self, number: int) -> None:
        self._link = number
        self._painter.forget_rows()
        self.refresh()
        if number >= 0 and self._is_laid_out():
            row, height = self._layout.row_of(Place(number)), self.scrollable_content_region.height
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.scroll_to(y=max(0, row - height // 2), animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """A click on a line with a link follows it, unless it selects text."""
        offset = event.get_content_offset(self)
        if offset is None or event.button != 1 or self.text_selection is not None:
            return
        row = offset.y + self.scroll_offset.y
        if row < self._layout.rows:
            number, _, _ = self._layout.row(row)
            if link := self._layout.document.lines[number].link:
                if number in self._document.links:
                    self._mark_link(number)
                self.post_message(self.Followed(self, link))

    def _jump(self, line: int) -> None:
        if not self._is_laid_out():
            self._wanted = Place(line)
            return
        if not self._layout.complete:
            self._wanted = Place(line)
            self._install(part_around(self._document, line, self._text_width()))
        self.scroll_to(y=self.max_scroll_y if line else 0, animate=False, force=True)

    def _scroll_by(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False, force=True)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.forget()

    def selection_updated(self, selection: Selection | None) -> None:
        self._painter.forget_rows()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text: logical lines, without the breaks made for the width."""
        lines = self._document.lines
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

    def render_line(self, y: int) -> Strip:
        return self._painter.row(y + self.scroll_offset.y, self.size.width, self._drawn)

    def _drawn(self) -> Drawn:
        return Drawn(self._layout, self._link, self._base, self.text_selection)
