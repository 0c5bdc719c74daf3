"""Taking back what was done in this run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from memtui.app.actions.place import Place
from memtui.files import FileLocked, FileProblem, FileUnwritable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memtui.app.panes.pane import Pane
    from memtui.store.undo import Undo


class Undos:
    """The changes of this run that can be taken back, the last one first."""

    def __init__(self, place: Place, panes: Iterable[Pane]) -> None:
        self._host = place.host
        self._panes = tuple(panes)
        self._undos: list[Undo] = []

    def remember(self, undo: Undo) -> None:
        """Make this the change that is taken back next."""
        self._undos.append(undo)

    def undo(self) -> None:
        """Take back the last change."""
        self._host.start(self._undo, group="undo")

    async def _undo(self) -> None:
        if not self._undos:
            self._host.say("Nothing to undo in this run of memtui.", warn=True)
            return
        undo = self._undos.pop()
        with self._host.reporting("undoing"):
            try:
                await asyncio.to_thread(undo.run)
            except BaseException as error:
                if not isinstance(error, FileProblem) or isinstance(error, (FileLocked, FileUnwritable)):
                    self._undos.append(undo)  # u can be tried again
                raise
            for pane in self._panes:
                pane.resync()
            self._host.hint("commands", "compacts", "memories")
            self._host.say(f"Undone: {undo.label}.")
