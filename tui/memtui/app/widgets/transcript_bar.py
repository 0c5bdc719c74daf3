"""A scroll bar by bytes: exact from the first moment, however little of the file has been read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ByteBar:
    """The visible part of a file."""

    top: float = 0
    """Offset of the first visible byte."""
    bottom: float = 0
    """Offset behind the last visible byte."""
    size: int = 0
    """Size of the file in bytes; 0 if there is nothing to show."""

    @property
    def percent(self) -> int:
        """The percentage of the file before the end of the visible part."""
        return 100 if self.bottom >= self.size else min(99, int(100 * self.bottom / self.size))

    def thumb(self, height: int) -> range:
        """The cells of the bar's thumb: at least one; empty if everything is visible."""
        if self.size <= 0 or height <= 0 or (self.top <= 0 and self.bottom >= self.size):
            return range(0)
        length = max(1, min(height, round(height * (self.bottom - self.top) / self.size)))
        if self.bottom >= self.size:
            return range(height - length, height)
        start = min(height - length, int(height * self.top / self.size))
        return range(start, start + length)

    def percent_at(self, cell: int, height: int) -> int:
        """The position for a click on a cell, as a percentage of the file."""
        return max(0, min(100, round(100 * cell / max(1, height - 1))))
