"""The line in which a filter is typed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Label


class FilterInput(Input):
    """What is typed filters at once; the arrows move in the list meanwhile."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.drop_filter", show=False),
        Binding("down", "screen.filter_move(1)", show=False),
        Binding("up", "screen.filter_move(-1)", show=False),
    ]


class FilterLine(Horizontal):
    """A label and the input."""

    def compose(self) -> ComposeResult:
        """Both, in one line."""
        yield Label(Content(" / "), id="filter-label")
        yield FilterInput(id="filter", compact=True, placeholder="filter, enter keeps it, esc drops it")
