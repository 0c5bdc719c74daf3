"""The data of a transcript view: one file with its index, read page by page in threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Literal

from memtui.app.widgets.transcript_pages import PAGE, Page, Pages, Shows
from memtui.transcript.blocks import Block, Key
from memtui.transcript.line_index import LineIndex
from memtui.transcript.line_offsets import line_offset, line_start
from memtui.transcript.session_head import SessionHead, session_head

_MOMENTS, _MOMENT = 20, 0.05
"""Number and length in seconds of the waits of counting for a page; in between it can be cancelled."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """A page to read, and its use."""

    kind: Literal["first", "last", "before", "after", "offset", "line", "percent"]
    at: int = 0
    """A byte offset, a line number, or a percentage of the file, by `kind`."""
    key: Key | None = None
    """The block to go to; by default the first one at the offset."""
    unfold: bool = False
    """Whether to unfold the block."""
    hit: int = -1
    """The index of the block's hit to go to."""


class Source:
    """One transcript. Its methods read the file and belong in a thread; each may raise OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.index = LineIndex()
        self.head = SessionHead()
        self.shows = Shows.ALL
        self.size = 0
        """The file's size in bytes when it was last checked."""
        self.calm = Event()
        """Set while no page is being read: counting waits for that, as threads take turns."""
        self.calm.set()

    def read(self, wanted: Wanted, span: tuple[int, int], cancelled: Callable[[], bool]) -> tuple[Page, int]:
        """A page, and the requested byte offset.

        Args:
            wanted: which page.
            span: the range of held bytes.
            cancelled: asked now and then.
        """
        pages = Pages(self.path, self.index, self.shows)
        self.size = self.path.stat().st_size
        if wanted.kind == "last":
            return pages.last(cancelled), self.size
        if wanted.kind == "first":
            return pages.first(cancelled), 0
        if wanted.kind == "before":
            return pages.before(span[0], cancelled), span[0]
        if wanted.kind == "after":
            if self.size < span[1]:  # the file was cut or replaced
                return Page(span[1], 0, (), last=True), 0
            return pages.after(span[1], cancelled), span[1]
        offset = self._offset(wanted)
        return pages.around(offset, cancelled), offset

    def _offset(self, wanted: Wanted) -> int:
        if wanted.kind == "line":
            return line_offset(self.path, wanted.at, self.index)
        if wanted.kind == "percent":
            return line_start(self.path, self.size * wanted.at // 100, self.size)
        return wanted.at

    @property
    def is_shown(self) -> Callable[[Block], bool]:
        """A function that tells whether a block is visible."""
        return Pages(self.path, self.index, self.shows).is_shown

    def pausing(self, cancelled: Callable[[], bool]) -> Callable[[], bool]:
        """A `cancelled` callback that first waits for a page being read, for a second at most."""

        def asked() -> bool:
            for _ in range(_MOMENTS):
                if cancelled() or self.calm.wait(_MOMENT):
                    break
            return cancelled()

        return asked

    def read_head(self) -> None:
        """Read the times of the session's beginning and end, and its model."""
        size = self.path.stat().st_size
        self.head = session_head(self.path, line_start(self.path, size - PAGE, size))

    def has_changed(self) -> bool:
        """Whether the file's size has changed since it was last read; cheap."""
        try:
            size = self.path.stat().st_size
        except OSError:
            return False
        changed, self.size = size != self.size, size
        return changed or size != self.index.end
