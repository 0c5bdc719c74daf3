"""Shows a transcript of any size: opens at its end at once, jumps anywhere, follows what is added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.worker import Worker, get_current_worker

from memtui.app.base import hidden, moving
from memtui.app.widgets.document import Document, Place, concat, line
from memtui.app.widgets.document_view import DocumentView, next_of
from memtui.app.widgets.transcript_lines import AGENT, FOLD
from memtui.app.widgets.transcript_window import Window
from memtui.transcript.blocks import Block, Key
from memtui.transcript.events import Boundary
from memtui.transcript.line_index import Query
from memtui.transcript.session import SessionHead, session_head


class ByteBar(NamedTuple):
    """The visible part of a file: a scroll bar that is exact however little of the file has been read."""

    top: float = 0
    bottom: float = 0
    size: int = 0
    """Size of the file in bytes; 0 if there is nothing to show."""

    @property
    def percent(self) -> int:
        return 100 if self.bottom >= self.size else min(99, int(100 * self.bottom / self.size))

    def thumb(self, height: int) -> range:
        """The cells of the bar's thumb: at least one; empty if everything is visible."""
        if self.size <= 0 or (self.top <= 0 and self.bottom >= self.size):
            return range(0)
        stop = max(1, round(height * self.bottom / self.size))
        return range(min(stop - 1, round(height * self.top / self.size)), stop)


class TranscriptView(DocumentView, inherit_bindings=False):
    """A transcript, of which only some lines around what is read are held; one row of it is the current one.

    The owner calls `poll` when the file may have grown. Whole files are read in threads only.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving("lines", first="home", last="end"),  # g and G are the screen's
        hidden("space", "page(1.0)"),
        hidden("tab", "link(1)"),
        hidden("shift+tab", "link(-1)"),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"transcript--cursor", "transcript--bar"}

    DEFAULT_CSS = """
    TranscriptView {
        scrollbar-size-vertical: 0;
        & > .transcript--cursor { background: $cursor; }
        & > .transcript--bar { color: $accent 70%; }
        &:nocolor > .transcript--cursor { text-style: reverse; }
    }
    """

    class Moved(Message):
        """The position, or what is known about it, has changed."""

    def __init__(self, path: Path, number: int = 0, *, id: str | None = None) -> None:  # noqa: A002 - Textual's
        """Show a transcript at line `number` (1-based), or at its end; its lines are looked for at once."""
        super().__init__(id=id)
        self.path = path
        self._number = number
        self.bar = ByteBar()
        self.head = SessionHead()
        self.window = Window(self.path)
        self.cursor = Place(0)
        self._is_open = self._following = self._reads_on = False
        self._once_indexed: list[Callable[[], object]] = []
        self._indexing: Worker[None] | None = None

    @property
    def current(self) -> Block | None:
        return self.window.block_at(self.cursor.line)

    @property
    def current_number(self) -> int:
        block = self.current
        return self.window.index.at(block.key[0]) + 1 if block else 0

    def _open(self) -> None:
        """Show the first lines, as soon as the width is known."""
        if self._is_open or not self.is_mounted or self._text_width() < 1:
            return
        self._is_open = True
        self._reading(lambda: self.window.index.scan(self.path))
        self.window.show_only(talk=self.window.talk_only)
        if self._number:
            self.go(self._number - 1, unfold=True)
        else:
            self.action_last()
        self.call_after_refresh(self._index)  # threads take turns, and painting comes first

    def poll(self) -> None:
        """Read added lines; cheap if there are none."""
        indexing = self._indexing is not None and not self._indexing.is_finished
        with suppress(OSError):
            size = self.path.stat().st_size
            if not self._is_open or indexing or size == self.window.index.end:
                return
            if size < self.window.index.end:  # another file has taken its place
                talk, query = self.window.talk_only, self.window.query
                self.bar, self.head, self.window = ByteBar(), SessionHead(), Window(self.path)
                self.window.talk_only, self.window.query = talk, query
                self.cursor, self._number = Place(0), 0
                self._is_open = self._following = self._reads_on = False
                self.show(Document())
                self._open()
                return
            self.window.index.scan(self.path)
            following = self._following
            self._change(self.window.grow)
            if following:  # who is at the end stays there
                self.action_last()
            self._index()

    def when_indexed(self, act: Callable[[], object]) -> None:
        if self.window.index.complete:
            act()
        else:
            self._once_indexed.append(act)

    def _index(self) -> None:
        window = self.window

        def work() -> None:
            worker = get_current_worker()
            with suppress(OSError):
                near = window.index.after(window.index.end - (128 << 10))  # for the last time and model
                head = session_head(self.path, window.index.start(near))
                window.index.classify(self.path, lambda: worker.is_cancelled)
                self.call_later(self._indexed, head)

        self._indexing = self.run_worker(
            work, thread=True, exclusive=True, group="transcript-index", exit_on_error=False
        )

    def _indexed(self, head: SessionHead) -> None:
        """Number the compactions, and do what waited for them."""
        window = self.window
        if not window.index.complete:
            return
        self.head = head
        waiting, self._once_indexed = self._once_indexed, []
        if any(isinstance(each.event, Boundary) or not window.is_shown(each) for each in window.blocks):
            self._change(window.compose)
        for act in waiting:
            act()
        self.post_message(self.Moved())

    def _read_on(self) -> None:
        """Read on soon, not amid a change of the document: it may scroll."""
        if not self._reads_on:
            self._reads_on = True
            self.call_later(self._read_near)

    def _read_near(self) -> None:
        """Hold the part around the reader, who is near an end of the held part."""
        self._reads_on = False
        near, window = 2 * self.scrollable_content_region.height, self.window
        before = self.scroll_offset.y < near and not window.at_start
        block = window.block_at(self.place.line)
        if block is not None and (before or (self._below() < near and not window.at_end)):
            self._change(lambda: window.move_to(window.index.at(block.key[0])))

    def _reading(self, read: Callable[[], object]) -> None:
        """Read from the file; what cannot be read is said if nothing else shows."""
        try:
            read()
        except OSError as problem:
            if not self.window.blocks:
                why = problem.strerror or type(problem).__name__
                self.show(concat(line(f"{self.path.name} cannot be read: {why}", "bad")))

    def _change(self, change: Callable[[], object]) -> None:
        """Change the document; the visible part and the current row stay where they are."""
        top, cursor = self.place, self.cursor
        top_spot, cursor_spot = self.window.spot(top.line), self.window.spot(cursor.line)
        before = self.window.document
        self._reading(change)
        if self.window.document is before:
            return
        here = self.window.line_of(top_spot)
        self.cursor = Place(self.window.line_of(cursor_spot), cursor.char)
        self.show(self.window.document, keep_scroll=True, shift=here - top.line)
        self._note_place()

    def go(
        self, number: int, key: Key | None = None, *, unfold: bool = False, hit: int = -1, anew: bool = False
    ) -> None:
        """Go to a line of the transcript, from 0, or the last one: to a block of it, unfolded, or its hit.

        It is read if it is not held, or in any case `anew`.
        """
        window = self.window
        number = max(0, min(number, len(window.index) - 1))
        key = key or (window.index.start(number), 0)
        key = window.index.said.get(key, key)
        number = window.index.at(key[0])
        if anew or not window.holds(number):
            self._drop_selection()
            self._reading(lambda: window.move_to(number))
        target = window.target(key, unfold=unfold, hit=hit)
        self.show(window.document, keep_scroll=True, shift=target - self.place.line)
        self.cursor = Place(target)
        row = self._layout.row_of(self.cursor)
        self.scroll_to(y=row - self.scrollable_content_region.height // 4, animate=False, force=True)
        self._note_place()
        self._read_on()

    def go_to_next(self, lines: Sequence[int], step: int) -> bool:
        """Go to the next of some transcript lines, or to the one before; False if there is none."""
        found = next_of(lines, self.current_number - 1, step)
        if found >= 0:
            self.go(found)
        return found >= 0

    def show_only(self, *, talk: bool) -> None:
        block = self.current
        self.window.show_only(talk=talk)
        if block is None:
            self.action_last()
        else:
            self.go(self.window.index.at(block.key[0]), block.key, anew=True)

    def look_for(self, query: Query, within: int | None = None) -> None:
        self.window.query, self.window.within = query, within
        self._change(self.window.compose)

    def _to_end(self) -> None:
        super().action_last()
        self.cursor = self._layout.place(self._layout.rows)
        self._following = True

    def _row(self) -> int:
        return min(self._layout.row_of(self.cursor), max(0, self._layout.rows - 1))

    def action_lines(self, rows: int) -> None:
        self._put(self._row() + rows)

    def action_page(self, pages: float) -> None:
        row, rows = self._row(), self.rows_of(pages)
        super().action_lines(rows)
        self._put(row + rows)

    def _put(self, row: int) -> None:
        row = max(0, min(row, self._layout.rows - 1))
        self.cursor = self._layout.place(row)
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if not top <= row < top + height:
            self.scroll_to(y=row if row < top else row - height + 1, animate=False, force=True)
        self._note_place()
        self._read_on()
        self.refresh()

    def put_line(self, number: int) -> None:
        self._put(self._layout.row_of(Place(number)))

    def action_first(self) -> None:
        if not self.window.at_start:
            self.go(0)
        self._put(0)

    def action_last(self) -> None:
        if not self.window.at_end:
            self._drop_selection()
            self._change(lambda: self.window.move_to(len(self.window.index)))
        self._to_end()
        self._note_place()
        self._read_on()

    def action_link(self, step: int) -> None:
        found = next_of(self.document.links, self.cursor.line, step)
        if found >= 0:
            self.put_line(found)

    def follow(self) -> bool:
        """Unfold or fold the current block, or open a subagent's transcript; False if neither is possible."""
        lines = self.document.lines
        link = lines[self.cursor.line].link if self.cursor.line < len(lines) else ""
        block = self.current
        if link.startswith(AGENT):
            self.post_message(self.Followed(link))
        elif block is not None and self.window.toggle(block.key):
            self._change(self.window.compose)
            self.put_line(self.cursor.line)
        else:
            return False
        return True

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()  # that of `DocumentView` would follow links, too
        row, offset = self._row_under(event), event.get_content_offset(self)
        if row is not None and offset is not None and offset.x == self.size.width - 1:
            size = self.window.index.end
            self.go(self.window.index.after(size * offset.y // max(1, self.size.height - 1)))
        elif row is not None:
            self._put(row)
            if (link := self.document.lines[self.cursor.line].link) == FOLD or link.startswith(AGENT):
                self.follow()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.window.blocks and round(old_value) != round(new_value) and self._is_laid_out():
            top, row = self.scroll_offset.y, self._row()
            inside = max(top, min(row, top + self.scrollable_content_region.height - 1))
            if inside != row:
                self.cursor = self._layout.place(inside)
            self._note_place()
            self._read_on()

    def _note_place(self) -> None:
        last = self._row() >= self._layout.rows - 1
        self._following = last and self._below() <= 0 and self.window.at_end
        self.bar = self._bar()
        self.post_message(self.Moved())

    def _bar(self) -> ByteBar:
        if not self._is_laid_out():
            return ByteBar()
        size = self.window.index.end
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        ended = self.window.at_end and self._below() <= 0
        bottom = size if ended else self.window.byte_at(self._layout.place(top + height).line)
        begins = self.window.at_start and top == 0
        return ByteBar(0 if begins else self.window.byte_at(self.place.line), bottom, size)

    def _resized(self) -> None:
        self._open()
        cursor, follow = self.cursor, self._following
        super()._resized()
        self.cursor = cursor
        if follow:
            self._to_end()
        if self.window.blocks:
            self._put(self._row())

    def _below(self) -> int:
        return self._layout.rows - self.scroll_offset.y - self.scrollable_content_region.height

    def _text_width(self) -> int:
        return self.scrollable_content_region.width - 2

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        segments = list(super().render_line(y).crop(0, max(0, width - 1)))
        row = y + self.scroll_offset.y
        if self.has_focus and row == self._row() and row < self._layout.rows:
            style = self.get_component_rich_style("transcript--cursor", partial=self.app.no_color)
            segments = list(Segment.apply_style(segments, None, style))
        sign, ground = " ", self.ground
        if y in self.bar.thumb(self.size.height):
            bar = self.get_component_rich_style("transcript--bar")
            sign, ground = "┃", ground + bar.without_color + bar
        return Strip([*segments, Segment(sign, ground)], width)
