"""The line in which one types what is looked for."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label


class FindLine(Horizontal):
    """A label, an input, and where one is among the hits; shown while it is open."""

    DEFAULT_CSS = """
    FindLine { height: 1; display: none; background: $panel; dock: bottom; margin-bottom: 1; }
    FindLine.-open { display: block; }
    FindLine > #find-label { width: auto; color: $accent; }
    FindLine > #find-place { width: auto; min-width: 4; color: $foreground 60%; }
    FindLine > #find { border: none; height: 1; padding: 0; background: $panel; width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "drop", show=False)]

    class Changed(Message):
        """Another text stands in the line."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """Enter: the hits stay marked, the line goes."""

    class Dropped(Message):
        """Escape: back to where the search began."""

    def compose(self) -> ComposeResult:
        """All three, in one line."""
        yield Label(Content(" / "), id="find-label")
        yield Input(id="find", compact=True, placeholder="find, enter keeps it, esc goes back")
        yield Label(Content(""), id="find-place")

    @property
    def is_open(self) -> bool:
        """Whether the line shows."""
        return self.has_class("-open")

    def open(self, text: str) -> None:
        """Show the line with a text, to be replaced by what is typed."""
        self.add_class("-open")
        field = self.query_one(Input)
        with self.prevent(Input.Changed):
            field.value = text
        field.action_select_all()
        self.screen.set_focus(field)

    def close(self) -> None:
        """Hide the line."""
        self.remove_class("-open")

    def show_place(self, text: str) -> None:
        """Say where one is among the hits."""
        self.query_one("#find-place", Label).update(Content(f" {text} " if text else ""))

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
        """Leave the search."""
        self.post_message(self.Dropped())
