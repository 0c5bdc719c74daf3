"""Textual's input, with a fault worked around, and a line for filters."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.keys import format_key
from textual.widget import Widget
from textual.widgets import Input, Label


class TypedLine(Input):
    """An input of one line that takes a slash for text, too."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text: of `slash`, Textual 8.2.8 does not know the character."""
        shown = format_key(key)
        return super().check_consume_key(key, character) or (len(shown) == 1 and shown.isascii())


FILTER_HINT = "filter, enter keeps it, esc drops it"
FIND_HINT = "find, enter keeps it, esc goes back"


class InputLine(Horizontal):
    """A slash and an input, visible while open. Its text is in effect as it is typed.

    Enter leaves it with the text in effect, escape without.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)", "drop", tooltip="give up the text"),
        Binding("enter", "leave(True)", show=False, priority=True),
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
    ]

    DEFAULT_CSS = """
    InputLine {
        height: 1; display: none; background: $panel;
        &.-open { display: block; }
        & > .label { width: auto; color: $accent; }
        & > Input { border: none; height: 1; padding: 0; background: $panel; width: 1fr; }
    }
    """

    def __init__(self, name: str, hint: str) -> None:
        """Make the line, closed, as ``<name>-line``; the input is `name`, and has the hint while empty."""
        super().__init__(id=f"{name}-line")
        self._input = TypedLine(id=name, compact=True, placeholder=hint)
        self.back: Widget | None = None
        """The list that the arrow keys move while one types; it gets the focus when the line closes."""

    def compose(self) -> ComposeResult:
        yield Label(Content(" / "), classes="label")
        yield self._input

    def open(self, text: str, back: Widget, *, select: bool = False) -> None:
        """Show the line with a text, which is no change, and focus it."""
        self.add_class("-open")
        with self.prevent(Input.Changed):
            self._input.value = text
        if select:
            self._input.action_select_all()
        self.back = back
        self.screen.set_focus(self._input)

    async def action_move(self, rows: int) -> None:
        if self.back:
            await self.back.run_action(f"move({rows})")

    def action_leave(self, keep: bool) -> None:
        """Close the line, and give the focus back now: it may be typed on."""
        self.remove_class("-open")
        self.screen.set_focus(self.back)
        if not keep:
            self._input.value = ""

    def focus_is_at(self, widget: Widget) -> None:
        """Hide the line when another widget gets the focus, show it when its input does."""
        self.set_class(widget.parent is self, "-open")
