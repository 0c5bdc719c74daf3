"""The detail of the selected row: known values at once, slow ones later; its links, and the line to pin."""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import work
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.app.base import PINS
from memtui.app.panes.pane import Detail, Pane, Progress
from memtui.app.widgets.document import ASIDE, Document, Layout
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.wrap import SOURCE, source_line

_NO_LINE = "This row is no line to pin: enter opens the detail, where every line with a source can be pinned."
_PAUSE = 0.06
"""Seconds without a change of selection before slow data is read."""
_MARK = r"[\s•·○▸✓✗↺⏳?!-]*\s(?=\S)"
_QUOTE = r"[^\"“]{0,60}\(L\d[^()]*\): [\"“]?(.*?)[\"”]?|L\d+ [^:]{1,30}: (.*)"
"""``last asked (L12): "Go on"`` and ``L12 User: Go on``."""


class DetailView(DocumentView):
    """Shows the detail of a row; only the last request is shown."""

    title = "the detail"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "follow", "open", key_display="enter", tooltip="open the marked line"),
        Binding("!", "screen.pin_line", "pin", id="pin", tooltip=PINS),
    ]

    def __init__(self) -> None:
        super().__init__(id="detail")
        self.signs: Mapping[str, str] = {}
        self._request: Detail | None = None
        self._shown: str | None = None
        self._sought = ""

    @property
    def _takable(self) -> Sequence[int]:
        """The lines in sight that lead somewhere."""
        bottom = self.scroll_offset.y + self.scrollable_content_region.height
        last, every = self._layout.place(bottom - 1).line, self.document.followed
        return every[bisect_left(every, self.place.line) : bisect_right(every, last)]

    @property
    def marked(self) -> int:
        """While it is read, the line that `!` and enter take: the one chosen last, or the nearest to it."""
        takable = self._takable if self.has_focus else ()
        return min(takable, key=lambda each: abs(each - self._link), default=-1)

    def action_lines(self, rows: int) -> None:
        """Go to the next line that can be taken, if it is in sight; else scroll."""
        takable, self._link = self._takable, self.marked
        at = takable.index(self._link) + rows if self._link >= 0 else -1
        if 0 <= at < len(takable):
            self._link = takable[at]
            self.refresh()
        else:
            super().action_lines(rows)

    def action_follow(self) -> None:
        self._link = self.marked
        try:
            super().action_follow()
        except SkipAction:
            self.app.say("Nothing to open from here on.")

    def show_detail(self, detail: Detail) -> None:
        same = self._request is not None and self._request.key == detail.key
        self._request, self._sought = detail, ""
        self.border_title = Content(detail.title)
        if detail.document is not None and not (same and detail.work is not None):
            self._show(detail, self._prepared(detail.document))
        if detail.work is not None:
            self._read(detail, detail.work)

    @work(group="detail", exclusive=True, exit_on_error=False)
    async def _read(self, detail: Detail, make: Callable[[Progress], Document]) -> None:
        await asyncio.sleep(_PAUSE)
        await self.app.painted.wait()
        progress = Progress(
            lambda: self._request is not detail or not self.is_running,
            lambda document: self.call_later(self._show, detail, self._prepared(document)),
        )
        with self.app.reporting("reading what is selected", wanted=lambda: self._request is detail):
            self._show(detail, await asyncio.to_thread(lambda: self._prepared(make(progress))))

    def seek(self, words: str) -> None:
        """Go to the first line that has these words, now and when more of the detail has been read."""
        self._sought, lines = words, enumerate(self.document.lines)
        if words and (found := next((at for at, line in lines if words in line.text), -1)) >= 0:
            self._link = found
            self.reveal(found)

    def _prepared(self, document: Document) -> Layout:
        """A document with its links, laid out; for threads, as that of a megabyte takes a second."""
        return Layout(linked(document), max(1, self._text_width()))

    def _show(self, detail: Detail, layout: Layout) -> None:
        if self._request is detail:
            self.show(layout.document, keep_scroll=self._shown == detail.key, layout=layout)
            self._shown = detail.key
            self.seek(self._sought)


def linked(document: Document) -> Document:
    """The document with each line that cites sources (``L476``) linked to its first source."""
    lines = []
    for line in document.lines:
        found = None if line.link else SOURCE.search(line.text)
        lines.append(line._replace(link=ASIDE + found[1]) if found else line)
    return Document(lines)


def selected_line(pane: Pane, detail: DocumentView, selection: str) -> tuple[str, int] | str:
    """The line that `!` pins, with its number in the transcript, 0 if that is unknown; or why there is none.

    It is in the detail if that has the focus, else in the pane.
    """
    if selection:
        return " ".join(selection.split()), 0
    if detail.has_focus:
        text = detail.document.lines[at].text if (at := detail.marked) >= 0 else ""
        none = "The marked line names no source: go to one that does, or select words with the mouse."
        return parsed(text) if SOURCE.search(text) else none
    text = pane.line_of(pane.selected) if pane.selected else ""
    return parsed(text) if text else _NO_LINE if pane.selected else "There is no row to pin."


def parsed(text: str) -> tuple[str, int]:
    """A line without its leading mark and its source, which is returned separately."""
    from memtui.documents.quotes import without_source  # the first paint does without it

    mark = re.match(_MARK, text)
    text = text[mark.end() :] if mark else text
    bare = without_source(text)
    if bare == text and (quote := re.fullmatch(_QUOTE, text)):
        bare = quote[1] or quote[2] or text
    return bare, source_line(text)
