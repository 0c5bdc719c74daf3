"""The command palette and the palette of themes; apart, as the first paint shows neither."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.command import Command, CommandPalette
from textual.theme import ThemeProvider
from textual.widgets import Input, OptionList

from memtui.app.base import hidden


class Palette(CommandPalette):
    """Textual's palette, with page keys that may come before its list is laid out."""

    called = "Commands"
    BINDINGS: ClassVar[list[BindingType]] = [
        hidden("pagedown", "page('down')"),
        hidden("pageup", "page('up')"),
    ]

    def on_mount(self) -> None:
        self.query_one("#--container").border_title = self.called

    def action_page(self, way: str) -> None:
        """Page in the commands.

        Textual 8.2.8: `OptionList._move_page` looks up the highlighted option among lines that are only made
        at the first paint; before that it raises a KeyError or an IndexError and ends the app.
        """
        options = self.query_one(OptionList)
        turn: Callable[[], None] = options.action_page_up if way == "up" else options.action_page_down
        with suppress(LookupError):
            turn()


class Themes(ThemeProvider):
    """All themes; the one in use and the light ones are marked."""

    async def startup(self) -> None:
        self._in_use = self.app.theme  # before any other is shown

    @property
    def commands(self) -> list[tuple[str, Callable[[], None]]]:
        return [(self._marked(name), show) for name, show in super().commands]

    def _marked(self, name: str) -> str:
        light = "" if self.app.available_themes[name].dark else " · light"
        return f"{name}{light}{' · in use' if name == self._in_use else ''}"


class ThemePalette(Palette):
    """Shows the theme that is highlighted."""

    called = "Themes"
    chosen = False

    @on(OptionList.OptionHighlighted)
    def _preview(self, event: OptionList.OptionHighlighted) -> None:
        # The first one is highlighted before anything was pressed.
        if isinstance(event.option, Command) and (event.option_index or self.query_one(Input).value):
            event.option.hit.command()

    @on(OptionList.OptionSelected)
    def _choose(self) -> None:
        self.chosen = True
