"""Shows a transcript of any size: opens at its end at once, jumps anywhere, follows what is added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from memtui.app.widgets.document import Document, concat, line
from memtui.app.widgets.document_view import AT_ONCE, DocumentView
from memtui.app.widgets.layout import Place
from memtui.app.widgets.transcript_bar import ByteBar
from memtui.app.widgets.transcript_calls import AGENT, FOLD
from memtui.app.widgets.transcript_feed import Feed
from memtui.app.widgets.transcript_pages import PAGE, Page, Shows
from memtui.app.widgets.transcript_source import Source, Wanted
from memtui.app.widgets.transcript_window import Window
from memtui.transcript.blocks import Block, Key
from memtui.transcript.finding import Query

_KEPT = 8 * AT_ONCE
"""Maximum size of held pages in bytes; those far from the reading position are dropped."""
_NEAR = 3
"""Number of screens before and after the visible part that are not dropped: more than is read ahead."""


class TranscriptView(DocumentView, inherit_bindings=False):
    """A transcript, of which only some pages around what is read are held; one row of it is the current one.

    The owner calls `poll` when the file may have grown. Files are read in threads only.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "lines(1)", "Down", show=False),
        Binding("up,k", "lines(-1)", "Up", show=False),
        Binding("home", "first", "Top", show=False),
        Binding("end", "last", "End", show=False),
        Binding("pagedown", "page(1.0)", "Page down", show=False),
        Binding("pageup", "page(-1.0)", "Page up", show=False),
        Binding("ctrl+d", "page(0.5)", "Half a page down", show=False),
        Binding("ctrl+u", "page(-0.5)", "Half a page up", show=False),
        Binding("tab", "link(1)", "Next fold", show=False),
        Binding("shift+tab", "link(-1)", "Previous fold", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"transcript--cursor", "transcript--marked", "transcript--bar"}

    DEFAULT_CSS = """
    TranscriptView {
        scrollbar-size-vertical: 0;
        & > .transcript--cursor { background: $primary 30%; }
        & > .transcript--marked { background: $accent 25%; }
        & > .transcript--bar { color: $accent 70%; }
        &:nocolor > .transcript--cursor { text-style: reverse; }
        &:nocolor > .transcript--marked { text-style: underline; }
    }
    """

    class Moved(Message):
        """The position, or what is known about it, has changed."""

    class AgentWanted(Message):
        """The transcript of a subagent was requested."""

        def __init__(self, agent: str) -> None:
            super().__init__()
            self.agent = agent

    def __init__(self, path: Path, number: int = 0, *, id: str | None = None) -> None:  # noqa: A002 - Textual's
        """Show a transcript at line `number` (1-based), or at its end; it is read at once."""
        super().__init__(id=id)
        self._path = path
        self.bar = ByteBar()
        self.marks: dict[Key, list[Block]] = {}
        """The marked blocks by their first key: a call with its result is one."""
        self._following = False
        self._cursor = Place(0)
        self._open(Wanted("line", number, unfold=True) if number else Wanted("last"))

    def _open(self, first: Wanted) -> None:
        source = Source(self._path)
        self.window = Window(source.index)
        self.feed = Feed(self, self, source, self.window, first)

    # -- state -----------------------------------------------------------------------------------------------

    @property
    def source(self) -> Source:
        """The transcript."""
        return self.feed.source

    @property
    def current(self) -> Block | None:
        """The block of the current row."""
        return self.window.block_at(self._cursor.line)

    @property
    def cursor_line(self) -> int:
        """The document line of the cursor."""
        return self._cursor.line

    # -- reading --------------------------------------------------------------------------------------------

    def poll(self) -> None:
        """Read added lines if the end of the file is held; cheap if there are none."""
        self.feed.poll()

    def when_indexed(self, act: Callable[[], object]) -> None:
        """Act now, or as soon as the turns and compactions are indexed."""
        self.feed.when_indexed(act)

    def when_there(self, act: Callable[[], object]) -> None:
        """Act now, or after a running jump; see `Feed.when_there`."""
        self.feed.when_there(act)

    def indexed(self) -> None:
        """Number the compactions."""
        if self.window.has_boundaries:
            self._remake()
        self.post_message(self.Moved())

    def failed(self, problem: str) -> None:
        """Show why the transcript cannot be read."""
        if not self.window.pages:
            self.show(concat(line(problem, "bad")))

    def replaced(self) -> None:
        """Begin anew: the file has become shorter."""
        self.feed.stop()
        self.marks.clear()
        self._following = False
        self._open(Wanted("last"))
        self.show(Document())
        self._take_first()

    def _take_first(self) -> None:
        """Show the first page, as soon as the width is known."""
        if self.is_mounted and self._text_width() > 0:
            self.feed.take_first()

    def arrived(self, wanted: Wanted, page: Page, offset: int) -> None:
        """Insert the page, without moving the visible part."""
        if wanted.kind == "before":
            self.window.pages.insert(0, page)
            self._grow()
        elif wanted.kind == "after":
            if self.window.append(page, PAGE):
                self._grow()
        else:
            self.window.pages = [page]
            self._arrive(wanted, offset)
        self._note_place()
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        """Read on, and begin to count lines and turns: threads take turns, and painting comes first."""
        self._read_on()
        self.feed.begin_index()

    def _grow(self) -> None:
        """Show what has been added, and drop what is far from the place that is read."""
        self._remake_at_end()
        height = self.scrollable_content_region.height
        first = self.place.line
        if self.window.prune(_KEPT, range(first - _NEAR * height, first + (_NEAR + 1) * height)):
            self._remake_at_end()

    def _read_on(self) -> None:
        """Read on before the reader reaches an end of the held part."""
        if self.is_mounted:
            near = 2 * self.scrollable_content_region.height
            self.feed.read_on(before=self.scroll_offset.y < near, after=self._below() < near)

    # -- the document ---------------------------------------------------------------------------------------

    def _remake(self) -> None:
        """Make the document again; the visible part and the current row stay where they are."""
        top, cursor = self.place, self._cursor
        top_spot, cursor_spot = self.window.spot(top.line), self.window.spot(cursor.line)
        self.window.compose()
        here = self.window.line_of(top_spot)
        self._cursor = Place(self.window.line_of(cursor_spot), cursor.char)
        self.show(self.window.document, keep_scroll=True, shift=here - top.line)
        self._note_place()

    def _remake_at_end(self) -> None:
        """Make the document again; one that is followed to its end stays there."""
        follow = self._following
        self._remake()
        if follow:
            self._to_end()

    def _arrive(self, wanted: Wanted, offset: int) -> None:
        """Show a page that has just replaced all others, at the requested place."""
        self._drop_selection()
        self.window.compose()
        if wanted.kind in ("first", "last"):
            self._cursor = Place(0)
            self.show(self.window.document, keep_scroll=True, shift=-self.place.line)
            if wanted.kind == "last":
                self._to_end()
        else:
            self._go_within(wanted, offset)

    def _go_within(self, wanted: Wanted, offset: int) -> None:
        """Go to a held place."""
        target = self.window.target(wanted.key, offset, unfold=wanted.unfold, hit=wanted.hit)
        self.show(self.window.document, keep_scroll=True, shift=target - self.place.line)
        self._cursor = Place(target)
        row = self._layout.row_of(self._cursor)
        self.scroll_to(y=row - self.scrollable_content_region.height // 4, animate=False, force=True)
        self._note_place()

    def go(self, wanted: Wanted) -> None:
        """Go to a place, reading it if it is not held."""
        start, stop = self.window.span
        if wanted.kind == "offset" and start <= wanted.at < stop and not self.feed.is_reading:
            self._go_within(wanted, wanted.at)
            self._read_on()
        else:
            self.feed.read(wanted)

    def show_only(self, shows: Shows) -> None:
        """Show all blocks, no tools, or only asks with closing messages, at the same place."""
        block, self.source.shows = self.current, shows
        self.feed.read(Wanted("offset", block.key[0], block.key) if block else Wanted("last"))

    def look_for(self, query: Query) -> None:
        """Mark the matches of a query."""
        self.window.query = query
        self._remake()

    def _to_end(self) -> None:
        super().action_last()
        self._cursor = self._layout.place(self._layout.rows)
        self._following = True

    # -- moving ---------------------------------------------------------------------------------------------

    def _row(self) -> int:
        """The current row."""
        return min(self._layout.row_of(self._cursor), max(0, self._layout.rows - 1))

    def action_lines(self, rows: int) -> None:
        """Go to another row."""
        self._put(self._row() + rows)

    def action_page(self, pages: float) -> None:
        """Scroll by a fraction of the height; the current row moves along."""
        rows = int(pages * max(2, self.scrollable_content_region.height - 1))
        row = self._row() + rows
        self._scroll_by(rows)
        self._put(row)

    def _put(self, row: int) -> None:
        """Make a row the current one, scrolling as little as necessary."""
        row = max(0, min(row, self._layout.rows - 1))
        self._cursor = self._layout.place(row)
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if not top <= row < top + height:
            self.scroll_to(y=row if row < top else row - height + 1, animate=False, force=True)
        self._note_place()
        self._read_on()
        self.refresh()

    def put_line(self, number: int) -> None:
        """Make a line of the document the current one."""
        self._put(self._layout.row_of(Place(number)))

    def action_first(self) -> None:
        """Go to the beginning of the file."""
        if self.window.at_start:
            self._put(0)
        else:
            self.feed.read(Wanted("first"))

    def action_last(self) -> None:
        """Go to the end of the file."""
        if self.window.at_end:
            self._to_end()
            self._note_place()
        else:
            self.feed.read(Wanted("last"))

    def action_link(self, step: int) -> None:
        """Go to the next line that can be unfolded, or to the previous one."""
        links = self.document.links
        places = [
            each for each in links if (each > self._cursor.line if step > 0 else each < self._cursor.line)
        ]
        if places:
            self.put_line(places[0] if step > 0 else places[-1])

    def follow(self) -> bool:
        """Unfold or fold the current block, or open a subagent's transcript; False if neither is possible."""
        lines = self.document.lines
        link = lines[self._cursor.line].link if self._cursor.line < len(lines) else ""
        block = self.current
        if link.startswith(AGENT):
            self.post_message(self.AgentWanted(link.removeprefix(AGENT)))
        elif block is not None and self.window.toggle(block.key):
            self._remake()
            self.put_line(self._cursor.line)
        else:
            return False
        return True

    def mark(self) -> None:
        """Mark the current block, or unmark it, and go on to the next one."""
        block = self.current
        if block is None:
            return
        fold, blocks = self.window.fold_of(block.key), self.window.with_result(block)
        if self.marks.pop(fold, None) is None:
            self.marks[fold] = blocks
        later = self.window.lines_of(blocks[-1].key).stop
        self.put_line(min(later, len(self.document) - 1))

    def unmark(self) -> None:
        """Unmark all blocks."""
        self.marks.clear()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click selects a row, unfolds its block if possible, and jumps on the bar."""
        offset = event.get_content_offset(self)
        if offset is None or event.button != 1 or self.text_selection is not None:
            return
        if offset.x == self.size.width - 1:
            self.go(Wanted("percent", self.bar.percent_at(offset.y, self.size.height)))
            return
        row = offset.y + self.scroll_offset.y
        if row < self._layout.rows:
            self._put(row)
            if (link := self.document.lines[self._cursor.line].link) == FOLD or link.startswith(AGENT):
                self.follow()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Read on before the reader reaches an end of the held part; the current row stays visible."""
        super().watch_scroll_y(old_value, new_value)
        if self.window.pages and round(old_value) != round(new_value) and self._is_laid_out():
            top, row = self.scroll_offset.y, self._row()
            inside = max(top, min(row, top + self.scrollable_content_region.height - 1))
            if inside != row:
                self._cursor = self._layout.place(inside)
            self._note_place()
            self._read_on()

    def _note_place(self) -> None:
        last = self._row() >= self._layout.rows - 1
        # Not only `at_end`: one addition may be larger than a page.
        self._following = last and self._below() <= 0 and (self.window.at_end or self._following)
        self.bar = self._bar()
        self.post_message(self.Moved())

    def _bar(self) -> ByteBar:
        if not self._is_laid_out():
            return ByteBar()
        size = self.source.size
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        ended = self.window.at_end and self._below() <= 0
        bottom = size if ended else self.window.byte_at(self._layout.place(top + height).line)
        begins = self.window.at_start and top == 0
        return ByteBar(0 if begins else self.window.byte_at(self.place.line), bottom, size)

    def _resized(self) -> None:
        self._take_first()
        follow = self._following
        super()._resized()
        if follow:
            self._to_end()
        if self.window.pages:
            self._note_place()

    def _below(self) -> int:
        """Number of rows below the visible ones."""
        return self._layout.rows - self.scroll_offset.y - self.scrollable_content_region.height

    # -- drawing --------------------------------------------------------------------------------------------

    def _text_width(self) -> int:
        """The width of the text, without the bar."""
        return super()._text_width() - 2

    def render_line(self, y: int) -> Strip:
        """One screen line, with the current row and the marked blocks highlighted, the bar at its right."""
        width = self.size.width
        segments = list(super().render_line(y).crop(0, max(0, width - 1)))
        if look := self._look_of(y + self.scroll_offset.y):
            style = self.get_component_rich_style(look, partial=self.app.no_color)
            segments = list(Segment.apply_style(segments, None, style))
        return Strip([*segments, self._bar_cell(y)], width)

    def _bar_cell(self, y: int) -> Segment:
        ground = self._painter.ground
        if y not in self.bar.thumb(self.size.height):
            return Segment(" ", ground)
        bar = self.get_component_rich_style("transcript--bar")
        return Segment("┃", ground + bar.without_color + bar)

    def _look_of(self, row: int) -> str:
        """The component class that sets a row off; "" for none."""
        if row >= self._layout.rows:
            return ""
        number, _, _ = self._layout.row(row)
        if self.has_focus and row == self._row():
            return "transcript--cursor"
        block = self.window.block_at(number) if self.marks else None
        marked = block is not None and self.window.fold_of(block.key) in self.marks
        return "transcript--marked" if marked else ""
