"""Undoing the last change, of this run or an earlier one, and redoing it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from memtui.app.actions.place import Place, Windows
from memtui.app.model.project_model import Browser
from memtui.ground.clock import age, parse_iso
from memtui.ground.files import FileLocked, FileProblem, FileUnwritable

if TYPE_CHECKING:
    from memtui.app.panes.pane import Pane
    from memtui.store.history import Recorded

_TARGETS = ("commands", "compacts", "memories", "pins", "userpins", "branch")
_NOTHING = "Nothing to undo in this project."
_NOTHING_UNDONE = "Nothing to redo."
_NOT_NEXT = "Nothing to redo; L lists what was undone before."


class Undos:
    """Undoes the user's changes in this project, the last one first."""

    def __init__(self, place: Place, browser: Browser, panes: Iterable[Pane], windows: Windows) -> None:
        self._host = place.host
        self._browser = browser
        self._windows = windows
        self._panes = tuple(panes)
        self._one_by_one = asyncio.Lock()
        self._refused: set[str] = set()
        """Changes that cannot be undone in this run; the next undo skips them."""

    def undo(self, then: Callable[[], object] | None = None) -> None:
        """Undo the last change; `then` is called afterwards."""
        self._host.start(partial(self._revert, undone=False, then=then), group="undo")

    def redo(self, then: Callable[[], object] | None = None) -> None:
        """Redo the last undone change; `then` is called afterwards."""
        self._host.start(partial(self._revert, undone=True, then=then), group="undo")

    def show(self) -> None:
        """Show the changes made by memtui."""
        self._windows.changes(self._look_again)

    def _look_again(self) -> None:
        self._browser.aftermaths.forget()  # a pin may have appeared or disappeared
        for pane in self._panes:
            pane.resync()
        self._host.hint(*_TARGETS)

    async def _revert(self, *, undone: bool, then: Callable[[], object] | None = None) -> None:
        async with self._one_by_one:
            with self._host.reporting("redoing" if undone else "undoing"):
                history = await asyncio.to_thread(lambda: self._browser.history)
                change = await asyncio.to_thread(partial(history.last, undone=undone, passing=self._refused))
                if change is None:
                    before = undone and await asyncio.to_thread(history.has_undone)
                    nothing = _NOTHING_UNDONE if undone else _NOTHING
                    self._host.say(_NOT_NEXT if before else nothing, warn=True)
                    return
                try:
                    await asyncio.to_thread(partial(history.revert, change.change.id, undone=undone))
                except FileProblem as problem:
                    if not isinstance(problem, (FileLocked, FileUnwritable)):  # those can be retried
                        self._refused.add(change.change.id)
                    raise
                for pane in self._panes:
                    pane.await_back(PurePath(file[0]).name for file in change.change.files)
                self._look_again()
                if then is not None:
                    then()
                self._host.say(f"{'Redone' if undone else 'Undone'}: {self._named(change)}.")

    def _named(self, change: Recorded) -> str:
        """A change's name in a message; with its age, if it is older than an hour."""
        moment, now = parse_iso(change.change.at), self._browser.clock()
        long_ago = moment is not None and (now - moment).total_seconds() >= _HOUR
        return f"{change.change.what}{f' ({age(moment, now)})' if moment and long_ago else ''}"


_HOUR = 3600
