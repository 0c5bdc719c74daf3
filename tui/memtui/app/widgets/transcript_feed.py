"""Reads a transcript for a view, in threads: one page at a time, and the index in parallel."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from threading import Thread
from typing import Protocol

from textual.widget import Widget
from textual.worker import get_current_worker

from memtui.app.widgets.transcript_pages import Page, Shows
from memtui.app.widgets.transcript_source import Source, Wanted
from memtui.app.widgets.transcript_window import Window
from memtui.transcript.line_index import never

_PATIENCE = 0.05
"""Seconds for which the first paint waits for the first page."""


def in_advance(source: Source, wanted: Wanted) -> Future[tuple[Page, int]]:
    """Start reading the first page before the screen is built."""
    reading: Future[tuple[Page, int]] = Future()

    def read() -> None:
        try:
            reading.set_result(source.read(wanted, (0, 0), never))
        except OSError as problem:
            reading.set_exception(problem)

    Thread(target=read, name="transcript", daemon=True).start()
    return reading


class Reader(Protocol):
    """The receiver of pages; its methods are called on the app's own thread."""

    def arrived(self, wanted: Wanted, page: Page, offset: int) -> None:
        """Take the page requested last."""

    def failed(self, problem: str) -> None:
        """Show why a page cannot be read."""

    def indexed(self) -> None:
        """Take that the index has come to the file's end."""

    def replaced(self) -> None:
        """Take that the file is shorter than before: nothing that is held counts any more."""


class Feed:
    """Reads one page at a time; a later request replaces it."""

    def __init__(self, widget: Widget, reader: Reader, source: Source, window: Window, first: Wanted) -> None:
        """Begin to read the first page, also before there is a screen to show it.

        Args:
            widget: runs the work.
            reader: receives pages.
            source: the transcript.
            window: what the reader holds of it.
            first: the first page.
        """
        self.source = source
        self._window = window
        self._first: tuple[Wanted, Future[tuple[Page, int]]] | None = (first, in_advance(source, first))
        self._once_there: list[Callable[[], object]] = []
        self._widget = widget
        self._reader = reader
        self._wanted: Wanted | None = None
        self._once_indexed: Callable[[], object] | None = None
        self._stopped = False

    @property
    def is_reading(self) -> bool:
        """Whether a page is being read."""
        return self._wanted is not None

    @property
    def is_jumping(self) -> bool:
        """Whether that page will replace all held ones."""
        jumps = self._wanted is not None and self._wanted.kind not in ("before", "after")
        return jumps or self._first is not None

    def stop(self) -> None:
        """Deliver nothing from now on: another feed takes its place."""
        self._wanted, self._first, self._once_indexed, self._stopped = None, None, None, True
        self._once_there.clear()
        self.source.calm.set()

    def read(self, wanted: Wanted) -> None:
        """Read a page."""
        self._wanted = wanted
        self.source.calm.clear()
        self._run(partial(self._read, wanted, self._window.span), "transcript")

    def take_first(self) -> None:
        """Take the first page, once; at once if it is ready or will be in a moment."""
        if self._first is None:
            return
        (wanted, reading), self._first = self._first, None
        wait([reading], _PATIENCE)
        if reading.done() and reading.exception() is None:
            self._reader.arrived(wanted, *reading.result())
            self._act_there()
        else:
            self.read(wanted)

    def poll(self) -> None:
        """Read what was added, if the end of the file is held; cheap when nothing was."""
        if self.is_reading or not self.source.has_changed():
            return
        if self.source.index.complete:
            self._run(self._index, "transcript-index")
        if self.source.shows is not Shows.ASKS:
            self._read_end()

    def read_on(self, *, before: bool, after: bool) -> None:
        """Read the page before what is held, or else the one behind it, unless the file ends there."""
        if self.is_reading or not self._window.pages:
            return
        if before and not self._window.at_start:
            self.read(Wanted("before"))
        elif after and not self._window.at_end:
            self.read(Wanted("after"))

    def _read_end(self) -> None:
        """Read what follows, if the end of the file, as last read, is held."""
        if self._window.at_end:
            self.read(Wanted("after"))

    def begin_index(self) -> None:
        """Count lines, turns and compactions, unless that has begun."""
        if self.source.index.end == 0:
            self._run(self._index, "transcript-index")

    def when_indexed(self, act: Callable[[], object]) -> None:
        """Act now, or as soon as the turns and compactions are indexed."""
        if self.source.index.complete:
            act()
        else:
            self._once_indexed = act

    def when_there(self, act: Callable[[], object]) -> None:
        """Act now, or after a running jump: the keys after a jump are meant for its target."""
        if self.is_jumping:
            self._once_there.append(act)
        else:
            act()

    def _act_there(self) -> None:
        waiting, self._once_there = self._once_there, []
        for act in waiting:
            self.when_there(act)  # one of them may itself be a jump

    def _run(self, work: Callable[[], None], group: str) -> None:
        self._widget.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False)

    def _read(self, wanted: Wanted, span: tuple[int, int]) -> None:
        worker = get_current_worker()
        try:
            page, offset = self.source.read(wanted, span, lambda: worker.is_cancelled)
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            self._widget.call_later(self._failed, wanted, f"{self.source.path.name} cannot be read: {why}")
            return
        if not worker.is_cancelled:
            self._widget.call_later(self._arrived, wanted, page, offset)

    def _arrived(self, wanted: Wanted, page: Page, offset: int) -> None:
        if wanted is self._wanted:
            self._wanted = None
            self._widget.call_after_refresh(self._settle)
            if page.end < page.start:
                self._reader.replaced()
                return
            self._reader.arrived(wanted, page, offset)
            self._act_there()

    def _failed(self, wanted: Wanted, problem: str) -> None:
        if wanted is self._wanted:
            self._wanted = None
            self._settle()
            self._once_there.clear()
            self._reader.failed(problem)

    def _settle(self) -> None:
        """Resume counting, unless the next page is being read."""
        if self._wanted is None:
            self.source.calm.set()

    def _index(self) -> None:
        worker = get_current_worker()
        try:
            self.source.read_head()
            cancelled = self.source.pausing(lambda: worker.is_cancelled)
            sound = self.source.index.extend(self.source.path, cancelled)
        except OSError:
            return
        if not worker.is_cancelled:
            self._widget.call_later(self._indexed, sound)

    def _indexed(self, sound: bool) -> None:
        if self._stopped:
            return
        waiting, self._once_indexed = self._once_indexed, None
        if not sound:
            self._reader.replaced()
            return
        if waiting is not None:
            waiting()
        self._reader.indexed()
        if self.source.shows is Shows.ASKS:
            self._read_end()
