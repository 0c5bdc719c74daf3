"""A recovery text being checked: its sections with their lines, and the verdict on a point."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from memtui.formats.lists import numbered_items
from memtui.formats.model import is_none
from memtui.formats.recovery import Recovery, RoleFile, is_unknown


class Verdict(StrEnum):
    """Verdict on a point of the checklist."""

    PASS = "pass"  # noqa: S105 - a verdict
    WARN = "warn"
    FAIL = "fail"


class Point(NamedTuple):
    """One point of the checklist."""

    name: str
    verdict: Verdict
    message: str
    """One line for a person."""
    line: int | None
    """Line of the text, 1-based; None for the text as a whole."""


class CheckedText(NamedTuple):
    """A text being checked, with line numbers."""

    recovery: Recovery
    sections: dict[str, list[tuple[int, str]]]

    def has(self, title: str) -> bool:
        """Whether the section exists, even empty."""
        return title in self.sections

    def line(self, title: str) -> int | None:
        """First line of a section with text, else the line below its heading."""
        lines = self.sections.get(title, [])
        filled = (number for number, line in lines if line.strip())
        return next(filled, lines[0][0] if lines else None)

    def items(self, title: str) -> Iterator[tuple[int, str]]:
        """The items of a section with their lines, except ``(none)``."""
        lines = self.sections.get(title, [])
        for index, item in numbered_items([line for _, line in lines]):
            if not is_none(item) and not is_unknown(item):
                yield lines[index][0], item

    def files(self, title: str) -> Iterator[tuple[int, RoleFile]]:
        """The files of a section with their lines."""
        for line, item in self.items(title):
            yield line, RoleFile(path=item)
