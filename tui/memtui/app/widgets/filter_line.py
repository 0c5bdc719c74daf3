"""The line in which a filter is typed."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label


class FilterLine(Horizontal):
    """A label and an input, shown while it is open. What is typed filters at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "drop", show=False),
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
    ]

    class Changed(Message):
        """Another text stands in the line."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """Enter: the filter stays, the line goes."""

    class Dropped(Message):
        """Escape: everything shows again."""

    class Moved(Message):
        """An arrow: the selection in the list moves while the line is open."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows

    def compose(self) -> ComposeResult:
        """Both, in one line."""
        yield Label(Content(" / "), id="filter-label")
        yield Input(id="filter", compact=True, placeholder="filter, enter keeps it, esc drops it")

    @property
    def is_open(self) -> bool:
        """Whether the line shows."""
        return self.has_class("-open")

    def open(self, text: str) -> None:
        """Show the line with the filter as it is."""
        self.add_class("-open")
        field = self.query_one(Input)
        field.value = text
        self.screen.set_focus(field)

    def close(self) -> None:
        """Hide the line."""
        self.remove_class("-open")

    def focus_is_at(self, widget: Widget) -> None:
        """Show the line only while it has the focus."""
        self.set_class(widget.parent is self, "-open")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open:
            self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Kept())

    def action_drop(self) -> None:
        """Drop the filter."""
        self.post_message(self.Dropped())

    def action_move(self, rows: int) -> None:
        """Move in the list."""
        self.post_message(self.Moved(rows))
