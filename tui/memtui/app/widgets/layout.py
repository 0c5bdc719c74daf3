"""The layout of a document's lines on a screen of a given width."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from memtui.app.widgets.document import Document
from memtui.app.widgets.wrap import Piece, wrap

_CHECK_EVERY = 256
_LINES_BELOW, _CHARS_BELOW = 400, 48 * 1024
_LINES_ABOVE, _CHARS_ABOVE = 200, 16 * 1024


class Place(NamedTuple):
    """A place in a document that is independent of the width: a line and a character of it."""

    line: int
    char: int = 0


class Layout:
    """The screen rows of the lines `first` to `stop` of a document.

    A layout of only a part of the document is used until the full one is made.
    """

    __slots__ = ("_pieces", "_tops", "document", "first", "stop", "width")

    def __init__(
        self,
        document: Document,
        width: int,
        *,
        first: int = 0,
        stop: int | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Wrap the lines; `cancelled` is polled, and makes the result useless."""
        self.document = document
        self.width = width
        self.first = max(0, first)
        self.stop = len(document) if stop is None else min(stop, len(document))
        self._tops = [0]
        self._pieces: dict[int, tuple[Piece, ...]] = {}
        self._wrap_all(cancelled)

    def _wrap_all(self, cancelled: Callable[[], bool] | None) -> None:
        tops, width, top = self._tops, self.width, 0
        for number in range(self.first, self.stop):
            text, role, _, hang, _ = self.document.lines[number]
            if role == "rule" or (len(text) <= width and text.isascii()):
                top += 1
            else:
                pieces = wrap(text, width, hang)
                if pieces != ((0, len(text)),):
                    self._pieces[number] = pieces
                top += len(pieces)
            tops.append(top)
            if cancelled is not None and number % _CHECK_EVERY == 0 and cancelled():
                self.stop = number + 1
                return

    @property
    def rows(self) -> int:
        return self._tops[-1]

    @property
    def complete(self) -> bool:
        return self.first == 0 and self.stop == len(self.document)

    def row(self, row: int) -> tuple[int, int, Piece]:
        """The line number at a screen row, the index of its piece there, and the piece.

        Raises:
            IndexError: There is no such row.
        """
        if not 0 <= row < self.rows:
            raise IndexError(row)
        at = bisect_right(self._tops, row) - 1
        number = self.first + at
        pieces = self.pieces(number)
        index = row - self._tops[at]
        return number, index, pieces[index]

    def pieces(self, number: int) -> tuple[Piece, ...]:
        return self._pieces.get(number) or (Piece(0, len(self.document.lines[number].text)),)

    def place(self, row: int) -> Place:
        if not self.rows:
            return Place(self.first)
        number, _, piece = self.row(min(max(0, row), self.rows - 1))
        return Place(number, piece.start)

    def row_of(self, place: Place) -> int:
        """The screen row that shows `place`, or the nearest."""
        if not self.rows or place.line < self.first:
            return 0
        if place.line >= self.stop:
            return self.rows
        starts = [piece.start for piece in self.pieces(place.line)]
        return self._tops[place.line - self.first] + max(0, bisect_right(starts, place.char) - 1)


def part_around(document: Document, line: int, width: int) -> Layout:
    """The layout of some lines around one, fast for documents of any length."""
    lines = document.lines
    first = stop = min(line, len(lines))
    room = _CHARS_ABOVE
    while first > max(0, line - _LINES_ABOVE) and room > 0:
        first -= 1
        room -= len(lines[first].text)
    room = _CHARS_BELOW
    while stop < min(len(lines), line + _LINES_BELOW) and room > 0:
        room -= len(lines[stop].text)
        stop += 1
    return Layout(document, width, first=first, stop=stop)
