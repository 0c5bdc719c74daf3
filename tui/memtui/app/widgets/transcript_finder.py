"""Finding text in the current transcript: the next hit at once, and a running count of hits."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from textual.worker import get_current_worker

from memtui.app.widgets.transcript_lines import render
from memtui.app.widgets.transcript_source import Wanted
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.transcript.blocks import Block, Key
from memtui.transcript.finding import Hit, Query, hits_in, lines_backward, lines_forward


class Start(NamedTuple):
    """The position from which finding continues."""

    key: Key
    """The block; only its offset counts if nothing was found yet."""
    number: float
    """Index of its hit at the place, or between two hits: 0.5 is after the first."""
    end: int
    """Offset behind the block's line."""


def rows_of(block: Block) -> list[str]:
    """All rows that a block may show."""
    return [line.text for line in render(block, unfolded=True)]


def find(
    path: Path,
    start: Start,
    step: int,
    query: Query,
    shown: Callable[[Block], bool],
    cancelled: Callable[[], bool],
) -> Hit | None:
    """The next hit after a place, or before it (`step` -1); wraps around at the end of the file.

    Raises:
        OSError: the file cannot be read.
    """

    def rows(block: Block) -> list[str]:
        return rows_of(block) if shown(block) else []

    here = (start.key, start.number)
    if step > 0:
        for hits in lines_forward(path, start.key[0], query, rows, cancelled):
            if found := next((hit for hit in hits if tuple(hit) > here), None):
                return found
        return next((hits[0] for hits in lines_forward(path, 0, query, rows, cancelled, start.end)), None)
    for hits in lines_backward(path, start.end, query, rows, cancelled):
        if found := next((hit for hit in reversed(hits) if tuple(hit) < here), None):
            return found
    size = path.stat().st_size
    rest = lines_backward(path, size, query, rows, cancelled, start.key[0])
    return next((hits[-1] for hits in rest), None)


class Tally:
    """Counts the hits of one query, line by line from the beginning; others may read meanwhile."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.complete = False
        self._offsets = array("Q")
        self._totals = array("Q", [0])

    def count(self, path: Path, shown: Callable[[Block], bool], cancelled: Callable[[], bool]) -> None:
        """Count the hits in the whole file.

        Raises:
            OSError: the file cannot be read.
        """

        def rows(block: Block) -> list[str]:
            return rows_of(block) if shown(block) else []

        for hits in lines_forward(path, 0, self.query, rows, cancelled):
            self._totals.append(self._totals[-1] + len(hits))
            self._offsets.append(hits[0].key[0])
        self.complete = not cancelled()

    @property
    def total(self) -> int:
        """Number of hits counted so far."""
        return self._totals[-1]

    def place_of(self, hit: Hit, before: int) -> int:
        """The number of a hit (1-based), with `before` hits earlier in its line; 0 if not counted yet."""
        at = bisect_left(self._offsets, hit.key[0])
        if at < len(self._offsets) and self._offsets[at] == hit.key[0]:
            return self._totals[at] + before + 1
        return 0


class Finder:
    """Finds text in the transcript of a view, in threads, and moves the view to hits."""

    def __init__(self, view: TranscriptView) -> None:
        self._view = view
        self._tally: Tally | None = None
        self._hit: Hit | None = None
        self._missing = False
        self._origin: Wanted | None = None

    @property
    def text(self) -> str:
        """The text to find."""
        return self._view.window.query.text

    @property
    def place(self) -> str:
        """``3 of 17``, as far as known."""
        if not self.text:
            return ""
        if self._missing:
            return "not found"
        tally, hit = self._tally, self._hit
        if tally is None or hit is None:
            return "…"
        at = tally.place_of(hit, self._before(hit))
        total = f"{tally.total:,}{'' if tally.complete else '…'}"
        return f"{at:,} of {total}" if at else "…"

    def _before(self, hit: Hit) -> int:
        """Number of hits of the same transcript line in earlier blocks."""
        query = self._view.window.query
        blocks = (
            each for each in self._view.window.blocks if each.key[0] == hit.key[0] and each.key < hit.key
        )
        return hit.number + sum(1 for block in blocks for row in rows_of(block) if query.is_in(row))

    def begin(self) -> None:
        """Remember the position where the search begins."""
        block = self._view.current
        self._origin = Wanted("offset", block.key[0], block.key) if block else None

    def type(self, text: str) -> None:
        """Find the text typed so far, from where the search began."""
        self.look_for(text)
        origin = self._origin
        if text and origin is not None and origin.key is not None:
            self._find(Start(origin.key, -1, origin.key[0]), 1)

    def show_here(self, text: str) -> None:
        """Mark a text, and show it in the current line if it is there."""
        self.look_for(text)
        current, query = self._view.current, self._view.window.query
        here = [each for each in self._view.window.blocks if current and each.key[0] == current.key[0]]
        if text and (hits := hits_in(here, query, rows_of)):
            self._found(query, hits[0])

    def look_for(self, text: str) -> None:
        """Mark a text, and count its occurrences."""
        self._hit, self._missing, self._tally = None, False, None
        self._view.look_for(Query(text))
        self._view.workers.cancel_group(self._view, "transcript-find")
        self._view.workers.cancel_group(self._view, "transcript-count")

    def drop(self) -> None:
        """End the search, and return to where it began."""
        self.look_for("")
        if self._origin is not None:
            self._view.go(self._origin)

    def again(self, step: int) -> None:
        """Go to the next hit, or to the previous one."""
        block, line = self._view.current, self._view.cursor_line
        if not self.text or block is None:
            return
        window = self._view.window
        number: float = window.hit_number(block.key, line)
        if not window.query.is_in(window.document.lines[line].text):
            number -= 0.5
        self._find(Start(block.key, number, block.end), step)

    def _find(self, start: Start, step: int) -> None:
        self._run(partial(self._search, start, step, self._view.window.query), "transcript-find")

    def _run(self, work: Callable[[], None], group: str) -> None:
        self._view.run_worker(work, thread=True, exclusive=True, group=group, exit_on_error=False)

    def _search(self, start: Start, step: int, query: Query) -> None:
        worker, source = get_current_worker(), self._view.source
        with suppress(OSError):
            hit = find(source.path, start, step, query, source.is_shown, lambda: worker.is_cancelled)
            if not worker.is_cancelled:
                self._view.call_later(self._found, query, hit)

    def _found(self, query: Query, hit: Hit | None) -> None:
        if query is not self._view.window.query:
            return
        self._hit, self._missing = hit, hit is None
        if hit is not None:
            self._view.go(Wanted("offset", hit.key[0], hit.key, unfold=True, hit=hit.number))
            if self._tally is None:
                self._tally = Tally(query)
                self._run(partial(self._count, self._tally), "transcript-count")
        self._view.post_message(self._view.Moved())

    def _count(self, tally: Tally) -> None:
        worker, source = get_current_worker(), self._view.source
        with suppress(OSError):
            tally.count(source.path, source.is_shown, source.pausing(lambda: worker.is_cancelled))
        self._view.call_later(self._view.post_message, self._view.Moved())
