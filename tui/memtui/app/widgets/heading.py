"""A line above a list with the names of its columns."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.widget import Widget


class Heading(Widget):
    """Draws the names of the columns for the current width."""

    DEFAULT_CSS = "Heading { height: 1; }"

    def __init__(self, draw: Callable[[], Content]) -> None:
        super().__init__()
        self._draw = draw

    def render(self) -> Content:
        return self._draw()
