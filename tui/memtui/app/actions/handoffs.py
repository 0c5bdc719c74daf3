"""Handing the current session over to another agent."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from memtui.app.actions.place import Place
from memtui.app.model.project_model import Browser
from memtui.app.panes.state import StatePane
from memtui.ground.clean import clean_line

if TYPE_CHECKING:
    from memtui.flows.handoff import Made

_NO_SESSION = "There is no session to hand over."


class HandoffActions:
    """Writes the handoff into an agent's file, copies it, or removes it again."""

    def __init__(self, place: Place, browser: Browser, pane: StatePane) -> None:
        self._host = place.host
        self._browser = browser
        self._pane = pane

    def write(self, agent: str) -> None:
        """Write the handoff into the file of an agent: ``codex`` or ``gemini``."""
        self._host.start(partial(self._write, agent), group="handoff")

    def copy(self) -> None:
        """Copy the handoff."""
        self._host.start(self._copy, group="handoff")

    def end(self) -> None:
        """Remove the handoff from the agents' files."""
        self._host.start(self._end, group="handoff")

    async def _made(self) -> Made | None:
        from memtui.flows.handoff import make_handoff

        session = self._pane.view.session_id
        if not session:
            self._host.say(_NO_SESSION, warn=True)
            return None
        places, clock = self._browser.places, self._browser.clock
        return await asyncio.to_thread(lambda: make_handoff(places, clock, session=session))

    async def _write(self, agent: str) -> None:
        from memtui.flows.handoff import FILES, put_into

        root, changes = self._browser.project.root, self._browser.changes
        with self._host.reporting("handing the session over"):
            if (made := await self._made()) is None:
                return
            path = root / FILES[agent]

            def put() -> str:
                with changes.of_files(f"handed the session over in {path.name}", [path]):
                    return put_into(path, root, made.text, agent=agent)

            note = await asyncio.to_thread(put)
            short = clean_line(made.session_id)[:8]
            self._host.say(
                f"The handoff of session {short} is in {path.name}. {note or 'u removes it again.'}",
                warn=bool(note),
            )

    async def _copy(self) -> None:
        with self._host.reporting("handing the session over"):
            if (made := await self._made()) is not None:
                short = clean_line(made.session_id)[:8]
                self._host.copy_text(made.text, name=f"the handoff of session {short}")

    async def _end(self) -> None:
        with self._host.reporting("removing the handoff"):
            taken = await asyncio.to_thread(self._take_out)
            where = " and ".join(taken)
            self._host.say(
                f"Removed the handoff from {where}. u restores it." if taken else "No file holds a handoff."
            )

    def _take_out(self) -> list[str]:
        from memtui.flows.handoff import FILES, take_out

        root, changes = self._browser.project.root, self._browser.changes
        with changes.of_files("removed the handoff", [root / name for name in FILES.values()]):
            return [name for name in FILES.values() if take_out(root / name, root)]
