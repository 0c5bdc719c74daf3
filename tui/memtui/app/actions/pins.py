"""Pinning lines that no compaction may lose; removing and moving pins."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.app.actions.place import Place
from memtui.app.model.project_model import Browser
from memtui.app.panes.commands import CommandsPane
from memtui.ground.clean import clean_line

if TYPE_CHECKING:
    from memtui.formats.pins import Pin
    from memtui.lost.pin_fates import PinRow
    from memtui.lost.pins import Pinned

_SHOWN = 40
"""Maximum length of a pin in a message."""


class PinActions:
    """Pins a line of any screen; removes and moves pins."""

    def __init__(self, place: Place, browser: Browser) -> None:
        self._place = place
        self._host = place.host
        self._browser = browser

    @property
    def offers(self) -> frozenset[str]:
        """The actions that are possible now."""
        pane = self._place.pane
        waits = isinstance(pane, CommandsPane) and pane.unconfirmed is not None
        return frozenset({"pin_line"} if waits or pane.line_of(pane.selected) else ())

    def pin_line(self) -> None:
        """Pin the selected line of the pane or the detail, or say why there is none."""
        from memtui.app.actions.selected_line import selected_line

        place = self._place
        if isinstance(place.pane, CommandsPane) and (row := place.pane.unconfirmed):
            self._host.start(partial(self._confirm, row.pin.text), group="update")
            return
        found = selected_line(place.pane, place.detail_view, place.get_selected_text() or "")
        if isinstance(found, str):
            self._host.say(found, warn=True)
        else:
            pane = place.pane
            self.pin(found.text, pane.subject(pane.selected).transcript, found.line)

    def pin(self, text: str, transcript: Path | None, line: int) -> None:
        """Pin a line.

        Args:
            text: its text.
            transcript: its source; None if unknown.
            line: the transcript's line; 0 if unknown.
        """
        self._host.start(partial(self._pin, text, transcript, line), group="update")

    async def _pin(self, text: str, transcript: Path | None, line: int) -> None:
        from memtui.formats.pins import Pin

        with self._host.reporting("pinning"):
            if transcript is not None and not await asyncio.to_thread(self._is_own, transcript):
                self._host.say("Only lines of this project's sessions can be pinned here.", warn=True)
                return
            session = transcript.stem if transcript is not None else ""
            # A subagent's transcript has line numbers of its own.
            known = session != "" and not session.startswith("agent-")
            pin = Pin(text, session[:8] if known else "", line if known else 0)
            words = await asyncio.to_thread(self._add, pin)
            self._changed()
            back = "u takes it back."
            if await asyncio.to_thread(self._browser.lacks_hooks):
                says = f"Pinned “{words}”, but no summary gets it: the hooks are not installed (i). {back}"
                self._host.say(says, warn=True)
            else:
                self._host.say(f"Pinned “{words}”: it goes into every summary from now on; {back}")

    async def _confirm(self, text: str) -> None:
        with self._host.reporting("confirming the pin"):
            await asyncio.to_thread(self._browser.pins.confirm, [text])
            self._changed()
            self._host.say(f"Confirmed “{_short(text)}”: it goes into every summary from now on.")

    def remove(self, row: PinRow) -> None:
        """Remove a pin."""
        self._host.start(partial(self._remove, row), group="update")

    async def _remove(self, row: PinRow) -> None:
        with self._host.reporting("removing the pin"):
            await asyncio.to_thread(self._take_away, row)
            self._changed()
            self._host.say(f"Removed the pin “{_short(row.pin.text)}”. u brings it back.")

    def move(self, row: PinRow, step: int) -> None:
        """Move a pin down (1) or up (-1) among the pins of its file."""
        self._host.start(partial(self._move, row, step), group="update")

    async def _move(self, row: PinRow, step: int) -> None:
        from memtui.lost.pins import Pinned

        with self._host.reporting("moving the pin"):
            pinned = Pinned(row.pin, row.everywhere, row.confirmed)
            if await asyncio.to_thread(self._shift, pinned, step):
                self._changed()
            else:
                self._host.say(f"This pin is the {'last' if step > 0 else 'first'} one of its file.")

    def _add(self, pin: Pin) -> str:
        pins, changes = self._browser.pins, self._browser.changes
        with changes.of_files(f"pinned “{_short(pin.text)}”", [pins.path(everywhere=False)]):
            return _short(pins.add(pin).text)

    def _take_away(self, row: PinRow) -> None:
        what = f"removed the pin “{_short(row.pin.text)}”"
        with self._browser.changes.of_files(what, [row.file]):
            self._browser.pins.remove(row.pin.text, everywhere=row.everywhere)

    def _shift(self, pinned: Pinned, step: int) -> bool:
        pins = self._browser.pins
        what = f"moved the pin “{_short(pinned.pin.text)}” {'down' if step > 0 else 'up'}"
        with self._browser.changes.of_files(what, [pins.path(everywhere=pinned.everywhere)]):
            return pins.move(pinned, step)

    def _changed(self) -> None:
        self._browser.aftermaths.forget()
        self._host.hint("pins", "userpins")

    def _is_own(self, transcript: Path) -> bool:
        """Whether a transcript belongs to a session of the project, archived or not, or to its subagents."""
        from memtui.store.archive import Archive

        own = self._browser.transcripts.folders()
        if any(transcript.is_relative_to(folder) for folder in own):
            return True
        names = {folder.name for folder in (*own, self._browser.transcripts.folder())}
        kept = Archive(self._browser.places.home, self._browser.clock).entries()
        parts = {transcript.stem, *transcript.parts}
        return any(each.folder in names and each.session_id in parts for each in kept)


def _short(text: str) -> str:
    text = clean_line(text)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"
