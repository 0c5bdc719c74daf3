"""Two widgets side by side, with a movable border."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual import events
from textual.containers import Horizontal
from textual.message import Message

_LEAST = 24
_ALONE = ("-narrow", "-zoomed")
"""Classes of a screen in which one side has the whole window, or they are stacked."""
_READING = "-reading"


class Split(Horizontal):
    """Holds two widgets, and lets the mouse drag the border between them.

    Until it is moved, the style sheet gives both their widths.
    """

    @dataclass
    class Moved(Message):
        """The border was dropped at this column, counted from the left edge of both."""

        columns: int

    def __init__(self, *, columns: int = 0, **options: Any) -> None:
        """Make the container; `columns` is the width of the left side, 0 that of the style sheet."""
        super().__init__(**options)
        self._columns = columns
        self._dragging = False

    def on_mount(self) -> None:
        self.fit()

    def on_resize(self) -> None:
        self.fit()

    @property
    def _is_shared(self) -> bool:
        return not any(self.screen.has_class(name) for name in _ALONE)

    @property
    def reading(self) -> bool:
        """Whether the right side is read; where the two do not share the window, it has all of it."""
        return self.screen.has_class(_READING)

    @reading.setter
    def reading(self, reading: bool) -> None:
        if reading != self.reading:
            self.screen.set_class(reading, _READING, update=False)
            if not self._is_shared:
                self.app.stylesheet.update_nodes(self.children)  # not the whole screen: see the style sheet

    def fit(self) -> None:
        left = self.children[0].styles
        if not self._columns or not self._is_shared:
            for rule in ("width", "min_width", "max_width"):
                left.clear_rule(rule)
        elif self.size.width:
            columns = self._within(self._columns)
            left.width = left.min_width = left.max_width = columns

    def _within(self, columns: int) -> int:
        return max(_LEAST, min(columns, self.size.width - _LEAST))

    def _is_border(self, event: events.MouseEvent) -> bool:
        left, right = (child.region for child in self.children[:2])
        beside = left.height and right.height and left.right == right.x
        return bool(beside) and right.x - 1 <= event.screen_x <= right.x

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Grab the border: the last column of the left side, or the first of the right."""
        if event.button == 1 and self._is_border(event):
            self._dragging = True
            self.capture_mouse()
            self.screen.clear_selection()
            event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._columns = self._within(int(event.screen_x) - self.region.x)
            self.fit()
            event.stop()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()
            event.stop()
            if self._columns:
                self.post_message(self.Moved(self._columns))
