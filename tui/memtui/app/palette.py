"""The command palette and the palette of themes; apart, as the first paint shows neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType
from textual.command import Command, CommandPalette, DiscoveryHit, Hits
from textual.system_commands import SystemCommandsProvider
from textual.theme import ThemeProvider
from textual.widgets import Input, OptionList
from textual.worker import Worker

from memtui.app.base import hidden
from memtui.app.widgets.row_list import RowList

_CHOOSING = ("enter", "up", "down", "pageup", "pagedown")


class Palette(CommandPalette):
    """Textual's palette, with keys that may come before its list is that of what is typed."""

    called = "Commands"
    chosen = False
    BINDINGS: ClassVar[list[BindingType]] = [
        hidden("enter", "choose", priority=True),
        hidden("pagedown", "page('down')"),
        hidden("pageup", "page('up')"),
    ]
    _sought: tuple[str, Worker[Any] | None] = ("", None)

    def on_mount(self) -> None:
        self.query_one("#--container").border_title = self.called

    def _gather_commands(self, search_value: str) -> Worker[Any]:
        worker = super()._gather_commands(search_value)
        self._sought = search_value, worker
        return worker

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.worker.is_finished:
            self.post_message(RowList.Arrived())

    @property
    def early_keys(self) -> Sequence[str]:
        """The keys that wait for the list."""
        sought, worker = self._sought
        listed = worker and worker.is_finished and sought == self.query_one(Input).value.strip()
        return () if listed else _CHOOSING

    async def action_choose(self) -> None:
        """Run the highlighted command; Textual does some messages later, when the next keys have come in."""
        option = self.query_one(OptionList).highlighted_option
        if isinstance(option, Command):
            self.chosen = True
            self.app.delay_update()
            await self.dismiss()
            self.app.call_later(option.hit.command)

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
        themes = self.app.available_themes
        commands = sorted(super().commands, key=lambda each: themes[each[0]].ansi)
        return [(self._marked(name), show) for name, show in commands]

    def _marked(self, name: str) -> str:
        theme = self.app.available_themes[name]
        kind = " · the terminal's own colours" if theme.ansi else "" if theme.dark else " · light"
        return f"{name}{kind}{' · in use' if name == self._in_use else ''}"


class Commands(SystemCommandsProvider):
    """The commands in their own order, which begins with what has the focus, not by the alphabet."""

    async def discover(self) -> Hits:
        for name, does, run, _ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(name, run, help=does)


class ThemePalette(Palette):
    """Shows the theme that is highlighted."""

    called = "Themes"

    def on_mount(self) -> None:
        # Textual 8.2.8 styles every screen anew but a palette.
        self.app.theme_changed_signal.subscribe(self, lambda _: self.app.stylesheet.update(self))

    @on(OptionList.OptionHighlighted)
    def _preview(self, event: OptionList.OptionHighlighted) -> None:
        # The first one is highlighted before anything was pressed.
        if isinstance(event.option, Command) and (event.option_index or self.query_one(Input).value):
            event.option.hit.command()

    @on(OptionList.OptionSelected)
    def _choose(self) -> None:
        self.chosen = True
