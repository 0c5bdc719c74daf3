"""The layout of a document's lines on a screen of a given width."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from memtui.app.widgets.document import Document
from memtui.app.widgets.wrap import Piece, wrap


class Place(NamedTuple):
    """A place in a document that is independent of the width: a line and a character of it."""

    line: int
    char: int = 0


class Layout:
    """The screen rows of a document's lines."""

    def __init__(self, document: Document, width: int) -> None:
        self.document = document
        self.width = width
        self._tops = tops = [0]
        self._pieces: dict[int, tuple[Piece, ...]] = {}
        """Those of the lines that are not shown as one whole piece."""
        top = 0
        for number, (text, role, _, hang, _) in enumerate(document.lines):
            if role == "rule" or (len(text) <= width and text.isascii()):
                top += 1
            else:
                pieces = wrap(text, width, hang)
                if pieces != ((0, len(text)),):
                    self._pieces[number] = pieces
                top += len(pieces)
            tops.append(top)

    @property
    def rows(self) -> int:
        return self._tops[-1]

    def row(self, row: int) -> tuple[int, int, Piece]:
        """The line number at a screen row, the index of its piece there, and the piece.

        Raises:
            IndexError: There is no such row.
        """
        if not 0 <= row < self.rows:
            raise IndexError(row)
        number = bisect_right(self._tops, row) - 1
        index = row - self._tops[number]
        return number, index, self._pieces_of(number)[index]

    def _pieces_of(self, number: int) -> tuple[Piece, ...]:
        return self._pieces.get(number) or (Piece(0, len(self.document.lines[number].text)),)

    def place(self, row: int) -> Place:
        if not self.rows:
            return Place(0)
        number, _, piece = self.row(min(max(0, row), self.rows - 1))
        return Place(number, piece.start)

    def row_of(self, place: Place) -> int:
        """The screen row that shows `place`, or the nearest."""
        if place.line >= len(self.document):
            return self.rows
        starts = [piece.start for piece in self._pieces_of(place.line)]
        return self._tops[place.line] + max(0, bisect_right(starts, place.char) - 1)
