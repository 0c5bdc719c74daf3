"""The command palette."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.widgets import OptionList


class Palette(CommandPalette):
    """Textual's palette, with page keys that may come before its list is laid out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page('down')", show=False),
        Binding("pageup", "page('up')", show=False),
    ]

    def action_page(self, way: str) -> None:
        """Page in the commands.

        Textual 8.2.8: `OptionList._move_page` looks up the highlighted option among lines that are only made
        at the first paint; before that it raises a KeyError or an IndexError and ends the app.
        """
        options = self.query_one(OptionList)
        turn: Callable[[], None] = options.action_page_up if way == "up" else options.action_page_down
        with suppress(LookupError):
            turn()
