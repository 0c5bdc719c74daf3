"""Shows a transcript of any size: opens at its end at once, reads on both ways, follows what is added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from memtui.app.widgets.document import Document, Line, concat, line
from memtui.app.widgets.document_view import AT_ONCE, DocumentView
from memtui.app.widgets.transcript_lines import join
from memtui.app.widgets.transcript_pages import PAGE, Page, last_page, page_after, page_at_line, page_before

End = Literal["first", "last", "before", "after", "line"]
"""Which page is read: the one at an end of the file, the next in a direction, or the one at a line."""

_KEPT = AT_ONCE * 7 // 8
"""Characters that are kept; pages far from what is read are dropped."""


class TranscriptView(DocumentView):
    """A transcript, of which only some pages around what is read are held.

    The owner calls `open` once and `poll` when the file may have grown. Files are read in threads only.
    """

    class PageRead(Message):
        """A thread has read a page, or failed to."""

        def __init__(self, path: Path, end: End, page: Page | None, problem: str = "") -> None:
            super().__init__()
            self.path = path
            self.end = end
            self.page = page
            self.problem = problem

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 - Textual's name
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._path: Path | None = None
        self._number = 0
        self._pages: list[Page] = []
        self._reading: End | None = None
        self._following = False

    @property
    def path(self) -> Path | None:
        """The transcript that is shown."""
        return self._path

    @property
    def at_start(self) -> bool:
        """Whether the beginning of the file is among what is held."""
        return bool(self._pages) and self._pages[0].start == 0

    @property
    def at_end(self) -> bool:
        """Whether the end of the file, as last read, is among what is held."""
        return bool(self._pages) and self._pages[-1].last

    @property
    def span(self) -> tuple[int, int]:
        """The bytes of the file that are held."""
        return (self._pages[0].start, self._pages[-1].end) if self._pages else (0, 0)

    def open(self, path: Path, number: int = 0) -> None:
        """Show a transcript at line `number` (1-based), or at its end."""
        self._path = path
        self._number = number
        self._pages = []
        self._following = False
        self.show(Document())
        if self.is_mounted:
            self._begin()

    def on_mount(self) -> None:
        """Read what was opened before there was an app."""
        self._begin()

    def _begin(self) -> None:
        self._read("line" if self._number else "last")

    def poll(self) -> None:
        """Read what was added, if the end of the file is held; cheap when nothing was."""
        if self._reading is None and self.at_end:
            self._read("after")

    def _read(self, end: End) -> None:
        if self._path is None:
            return
        self._reading = end
        start, stop = self.span
        self._read_page(self._path, end, self._number if end == "line" else start, stop)

    @work(thread=True, exclusive=True, group="transcript", exit_on_error=False)
    def _read_page(self, path: Path, end: End, start: int, stop: int) -> None:
        worker = get_current_worker()
        try:
            size = path.stat().st_size
            page = _page(path, end, start, stop, size, lambda: worker.is_cancelled)
            read = self.PageRead(path, end, page)
        except OSError as problem:
            read = self.PageRead(path, end, None, problem.strerror or type(problem).__name__)
        if not worker.is_cancelled:
            self.post_message(read)

    def on_transcript_view_page_read(self, event: PageRead) -> None:
        """Put the page where it belongs, without moving what is in sight."""
        event.stop()
        if event.path != self._path or event.end != self._reading:
            return
        self._reading = None
        if event.page is None:
            self._fail(event.path, event.problem)
            return
        if event.end == "before":
            self._prepend(event.page)
        elif event.end == "after":
            self._append(event.page)
        else:
            self._jump_to(event.page, at_end=event.end == "last")
        self._note_place()
        self.call_after_refresh(self._read_on)

    def _fail(self, path: Path, problem: str) -> None:
        if not self._pages:
            self.show(concat(line(f"{path.name} cannot be read: {problem}", "bad")))

    def _jump_to(self, page: Page, *, at_end: bool) -> None:
        self._pages = [page]
        self._following = at_end
        self.show(self._made())
        if at_end:
            super().action_last()

    def _prepend(self, page: Page) -> None:
        before = len(self._made())
        self._pages.insert(0, page)
        shift = len(self._made()) - before
        while self._too_much() and len(self._pages) > 3:
            self._pages.pop()
        self.show(self._made(), keep_scroll=True, shift=shift)

    def _append(self, page: Page) -> None:
        if page.end < page.start:  # the file has been cut or replaced
            self._read("last")
            return
        last = self._pages[-1]
        if page.end == page.start and page.last == last.last:
            return
        follow = self._following
        before = len(self._made())
        shift = 0
        # Three pages are kept whatever their size, so that reading on one way cannot undo the other.
        while self._too_much() and len(self._pages) > 2:
            self._pages.pop(0)
            shift = len(self._made()) - before
        if last.end - last.start < PAGE or page.end == page.start:
            self._pages[-1] = last + page
        else:
            self._pages.append(page)
        self.show(self._made(), keep_scroll=True, shift=shift)
        if follow:
            super().action_last()
            self._following = True

    def _too_much(self) -> bool:
        return sum(len(each[0]) for page in self._pages for each in page.lines) > _KEPT

    def _made(self) -> Document:
        """The pages as one document, without blank lines at its ends."""
        lines: list[Line] = join(page.lines for page in self._pages)
        first, stop = 0, len(lines)
        if self.at_start and lines and lines[0] == Line(""):
            first = 1
        if self.at_end and stop > first and lines[-1] == Line(""):
            stop -= 1
        return Document(lines[first:stop])

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Read on before the user comes to an end of what is held."""
        super().watch_scroll_y(old_value, new_value)
        if self._pages and round(old_value) != round(new_value):
            self._note_place()
            self._read_on()

    def _note_place(self) -> None:
        # Not only `at_end`: what was added at once may be more than a page.
        self._following = self._below() <= 0 and (self.at_end or self._following)

    def _resized(self) -> None:
        follow = self._following
        super()._resized()
        if follow:
            super().action_last()

    def _below(self) -> int:
        """Rows that are left below those in sight."""
        return self._layout.rows - self.scroll_offset.y - self.scrollable_content_region.height

    def _read_on(self) -> None:
        if self._reading is not None or not self._pages or not self.is_mounted:
            return
        near = 2 * self.scrollable_content_region.height
        if not self.at_start and self.scroll_offset.y < near:
            self._read("before")
        elif not self.at_end and self._below() < near:
            self._read("after")

    def action_first(self) -> None:
        """Go to the beginning of the file."""
        if self.at_start:
            super().action_first()
        else:
            self._read("first")

    def action_last(self) -> None:
        """Go to the end of the file."""
        if self.at_end:
            super().action_last()
        else:
            self._read("last")


def _page(path: Path, end: End, start: int, stop: int, size: int, cancelled: Callable[[], bool]) -> Page:
    if end == "last":
        return last_page(path, cancelled)
    if end == "first":
        return page_after(path, 0, cancelled)
    if end == "line":
        return page_at_line(path, start, cancelled)
    if end == "before":
        return page_before(path, start, cancelled)
    if size < stop:
        return Page(stop, 0, (), last=True)
    return page_after(path, stop, cancelled)
