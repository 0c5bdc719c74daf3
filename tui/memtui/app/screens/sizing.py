"""The classes of a window's size on a screen that is about to be opened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.app import App
from textual.screen import Screen


def add_size_classes(screen: Screen[Any], app: App[Any]) -> None:
    """Add to a new screen the classes that Textual adds after its first paint, as on every resize.

    What is there from the start saves styling everything, laying it out and painting it again.
    """
    width, height = app.size
    _add(screen, width, screen.HORIZONTAL_BREAKPOINTS or app.HORIZONTAL_BREAKPOINTS)
    _add(screen, height, screen.VERTICAL_BREAKPOINTS or app.VERTICAL_BREAKPOINTS)


def _add(screen: Screen[Any], length: int, breakpoints: Iterable[tuple[int, str]] | None) -> None:
    reached = [point for point in breakpoints or () if point[0] <= length]
    if reached:
        screen.add_class(max(reached)[1], update=False)
