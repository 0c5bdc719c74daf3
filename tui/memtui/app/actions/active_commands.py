"""Clearing active commands, and removing and moving pins."""

from __future__ import annotations

import asyncio
from functools import partial

from memtui.app.actions.pins import PinActions
from memtui.app.actions.place import Place, Windows
from memtui.app.model.changes import Change
from memtui.app.model.project_model import Browser
from memtui.app.panes.commands import CommandsPane
from memtui.ground.clean import clean_line


class CommandActions:
    """Deactivates one active command, or all of them; passes pins on to `PinActions`."""

    def __init__(
        self, place: Place, browser: Browser, pane: CommandsPane, windows: Windows, pins: PinActions
    ) -> None:
        self._host = place.host
        self._browser = browser
        self._pane = pane
        self._windows = windows
        self._pins = pins

    def clear(self) -> None:
        """Deactivate the selected command, or remove the selected pin."""
        command, pin = self._pane.command(self._pane.selected), self._pane.pin(self._pane.selected)
        if pin is not None:
            self._pins.remove(pin)
        elif command is None:
            self._host.say("No active command and no pin is selected.", warn=True)
        else:
            self._host.start(partial(self._clear, command.name), group="clear")

    def move_pin(self, step: int) -> None:
        """Move the selected pin down or up in its file."""
        pin = self._pane.pin(self._pane.selected)
        if pin is None:
            self._host.say("No pin is selected: active commands have no order.", warn=True)
        else:
            self._pins.move(pin, step)

    def clear_all(self) -> None:
        """Deactivate all commands, after confirmation."""
        self._host.start(self._clear_all, group="clear-all", exclusive=True)

    async def _clear_all(self) -> None:
        number = len(self._pane.command_keys)
        if not number:
            self._host.say("No command is active.", warn=True)
            return
        question = "Clear the active command?" if number == 1 else f"Clear all {number} active commands?"
        if await self._windows.confirm(question, yes="Clear", no="Keep"):
            self._host.start(partial(self._clear, None), group="clear")

    async def _clear(self, name: str | None) -> None:
        with self._host.reporting("clearing"):
            names = None if name is None else frozenset((name,))
            gone = await asyncio.to_thread(self._browser.commands.remove, names)
            self._host.hint("commands")
            what = "all commands" if name is None else f"/{clean_line(name).removeprefix('/')}"
            commands = self._browser.commands
            undo = partial(commands.put_back, gone)
            redo = partial(commands.remove, frozenset(each.name for each in gone))
            self._browser.changes.add(
                Change(f"cleared {what}", undo, redo, tuple(each.name for each in gone))
            )
            self._host.say(f"Cleared {what}. u brings it back.")
