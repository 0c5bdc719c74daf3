"""Screens that are styled, laid out and painted only once when they open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.app import App
from textual.events import ScreenResume
from textual.screen import Screen


class StyledOnce(Screen[None]):
    """A screen whose widgets are styled as they are mounted, and not again before the first paint."""

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Keep Textual from restyling everything when the screen is first shown."""
        event.refresh_styles = event.refresh_styles and self.stack_updates > 0


def add_size_classes(screen: Screen[Any], app: App[Any]) -> None:
    """Add the size classes to a new screen that Textual only adds after the first paint.

    This saves a second styling, layout and paint.
    """
    width, height = app.size
    _add(screen, width, screen.HORIZONTAL_BREAKPOINTS or app.HORIZONTAL_BREAKPOINTS)
    _add(screen, height, screen.VERTICAL_BREAKPOINTS or app.VERTICAL_BREAKPOINTS)


def _add(screen: Screen[Any], length: int, breakpoints: Iterable[tuple[int, str]] | None) -> None:
    reached = [point for point in breakpoints or () if point[0] <= length]
    if reached:
        screen.add_class(max(reached)[1], update=False)
