"""Undoing the last change of this run, and redoing it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from memtui.app.actions.place import Place
from memtui.app.model.project_model import Browser

if TYPE_CHECKING:
    from memtui.app.panes.pane import Pane

_TARGETS = ("commands", "compacts", "memories", "pins", "userpins", "branch")


class Undos:
    """Undoes the changes of this run, the last one first."""

    def __init__(self, place: Place, browser: Browser, panes: Iterable[Pane]) -> None:
        self._host = place.host
        self._browser = browser
        self._panes = tuple(panes)
        self._one_by_one = asyncio.Lock()

    def undo(self, then: Callable[[], object] | None = None) -> None:
        """Undo the last change; `then` is called afterwards."""
        self._host.start(partial(self._revert, undone=False, then=then), group="undo")

    def redo(self, then: Callable[[], object] | None = None) -> None:
        """Redo the last undone change; `then` is called afterwards."""
        self._host.start(partial(self._revert, undone=True, then=then), group="undo")

    async def _revert(self, *, undone: bool, then: Callable[[], object] | None = None) -> None:
        changes = self._browser.changes
        async with self._one_by_one:
            with self._host.reporting("redoing" if undone else "undoing"):
                change = await asyncio.to_thread(changes.redo if undone else changes.undo)
                if change is None:
                    nothing = (
                        "Nothing to redo."
                        if undone
                        else "Nothing to undo: memtui undoes changes of this run."
                    )
                    self._host.say(nothing, warn=True)
                    return
                self._browser.aftermaths.forget()  # a pin may have appeared or disappeared
                for pane in self._panes:
                    pane.await_back(change.names)
                    pane.resync()
                self._host.hint(*_TARGETS)
                if then is not None:
                    then()
                self._host.say(f"{'Redone' if undone else 'Undone'}: {change.what}.")
