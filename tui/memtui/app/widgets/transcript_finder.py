"""Finding text in the current transcript, and going round in the hits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from contextlib import suppress
from dataclasses import replace

from textual.worker import get_current_worker

from memtui.app.widgets.transcript_lines import render
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.transcript.blocks import Block
from memtui.transcript.line_index import Hit, Query, best_hit, find

_MOST = 50_000
"""Hits after which a search ends: 10 MB of memory."""


def rows_of(block: Block) -> list[str]:
    return [line.text for line in render(block, unfolded=True)]


class Finder:
    """Finds text in the transcript of a view, in a thread, and moves the view to hits."""

    def __init__(self, view: TranscriptView) -> None:
        self._view = view
        self._origin: Block | None = None
        self._reset()

    def _reset(self) -> None:
        self._hits: list[Hit] = []
        """Those in the lines before `_end`, which is as far as was looked; they come in order."""
        self._end = 0
        self._complete = False
        self._hit: Hit | None = None
        self._wanted: tuple[tuple[tuple[int, int], float], int] | None = None
        """The place from which a hit is awaited: the next (1), the previous (-1) or the nearest (0)."""

    @property
    def text(self) -> str:
        return self._view.window.query.text

    @property
    def place(self) -> str:
        """``3 of 17``, as far as known."""
        if not self.text or not self._end:  # only the line that was opened is marked
            return ""
        hits = self._hits
        if not self._complete:
            return f"{len(hits):,}…" if hits else "…"
        if not hits:
            return "not found"
        more = "+" if len(hits) >= _MOST else ""
        at = f"{bisect_left(hits, self._hit) + 1:,} of " if self._hit is not None else ""
        return f"{at}{len(hits):,}{more}"

    def begin(self) -> None:
        self._origin = self._view.current

    def type(self, text: str) -> None:
        """Find the text typed so far: next from where the search began, else the last one before."""
        self.look_for(text)
        if text and self._origin is not None:
            self._go((self._origin.key, -1), 0)
        elif self._origin is not None:
            self._view.go(self._view.window.index.at(self._origin.key[0]), self._origin.key)

    def show_here(self, query: Query) -> None:
        """Mark words in the current line alone, and show the row with most of them; `again` looks further."""
        current, window = self._view.current, self._view.window
        here = [each for each in window.blocks if current and each.key[0] == current.key[0]]
        if best := best_hit(here, query, rows_of):
            self._view.look_for(query, here[0].key[0])
            self._show(best)

    def look_for(self, text: str) -> None:
        if text == self.text:  # the line was opened on it
            return
        self._reset()
        self._view.workers.cancel_group(self._view, "transcript-find")
        self._view.look_for(Query(text))
        if text:
            self._search()

    def again(self, step: int) -> None:
        block, line, window = self._view.current, self._view.cursor.line, self._view.window
        if self.text and block is not None:
            if not self._end:  # a question has common words: one of them stands in every message
                self._look_for_lines_with(len(window.query.words) // 2 + 1)
            elif self._complete and self._end < len(window.index):
                self._search()
            on_hit = window.query.is_in(window.document.lines[line].text)
            self._go((block.key, window.hits_before(line) - (0 if on_hit else 0.5)), step)

    def _look_for_lines_with(self, words: int) -> None:
        self._view.look_for(replace(self._view.window.query, least=words))
        self._search()

    def _search(self) -> None:
        view, window, query, first = self._view, self._view.window, self._view.window.query, self._end
        self._complete, self._end = False, len(window.index)
        stop, number = self._end, len(self._hits)

        def rows(block: Block) -> list[str]:
            return rows_of(block) if window.is_shown(block) else []

        def work() -> None:
            worker, left = get_current_worker(), _MOST - number
            with suppress(OSError):
                for hits in find(view.path, window.index, query, first, stop, rows):
                    if worker.is_cancelled:
                        return
                    if hits:
                        view.call_later(self._found, query, hits)
                    left -= len(hits)
                    if left <= 0:
                        break
            view.call_later(self._found, query, [], complete=True)

        view.run_worker(work, thread=True, exclusive=True, group="transcript-find", exit_on_error=False)

    def _found(self, query: Query, hits: list[Hit], *, complete: bool = False) -> None:
        if query is self._view.window.query:
            self._hits += hits
            self._complete = complete
            if complete and not self._hits and query.least > 1:
                self._end = 0
                self._look_for_lines_with(1)
            else:
                self._proceed()

    def _go(self, here: tuple[tuple[int, int], float], step: int) -> None:
        self._wanted = (here, step)
        self._proceed()

    def _proceed(self) -> None:
        if self._wanted is not None:
            here, step = self._wanted
            hits = self._hits
            at = bisect_left(hits, here) - 1 if step < 0 else bisect_right(hits, here)
            known = (self._complete and bool(hits)) or (step >= 0 and at < len(hits))
            if known:
                if step and not 0 <= at < len(hits):
                    self._view.app.say(f"No hit {'after' if step > 0 else 'before'} this one: round again.")
                self._show(hits[at % len(hits) if step else min(at, len(hits) - 1)])
            if known or self._complete:
                self._wanted = None
        self._view.post_message(self._view.Moved())

    def _show(self, hit: Hit) -> None:
        self._hit = hit
        self._view.go(self._view.window.index.at(hit.key[0]), hit.key, unfold=True, hit=hit.number)
        self._view.post_message(self._view.Moved())
