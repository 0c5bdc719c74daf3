"""The screen of changes made by memtui, newest first, which can be viewed and undone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from memtui.app.details.changes import change_document
from memtui.app.keys.list_commands import CHANGES
from memtui.app.model.project_model import Browser
from memtui.app.panes.pane import row
from memtui.app.screens.document import ReadingScreen
from memtui.app.stylesheets import stylesheet
from memtui.app.widgets.key_bar import KeyBar
from memtui.app.widgets.row_list import RowList
from memtui.ground.clean import clean_line
from memtui.ground.clock import parse_iso, short_age
from memtui.store.history import Recorded

if TYPE_CHECKING:
    from memtui.app.host import HostApp

_NONE = "memtui has changed nothing here yet. A shows the changes of all projects."
_NONE_ANYWHERE = "memtui has changed nothing yet."
_LOOK = 2.0
"""Seconds between checks for changes of other processes."""


class ChangesScreen(Screen[None]):
    """The list of changes."""

    DEFAULT_CSS = stylesheet("changes")
    SCOPED_CSS = False

    if TYPE_CHECKING:
        app: HostApp

    AUTO_FOCUS = "#log"
    TABLE = CHANGES
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(self, browser: Browser) -> None:
        super().__init__()
        self.browser = browser
        self._history = browser.history
        self._all: list[Recorded] = []
        self._changes: dict[str, Recorded] = {}
        self._everywhere = False
        self._one_by_one = asyncio.Lock()

    def compose(self) -> ComposeResult:
        """The list and its keys."""
        yield RowList(self._draw, empty="…", id="log")
        yield KeyBar()

    def on_mount(self) -> None:
        """Read the log, and keep checking it."""
        self.query_one(KeyBar).keys = self.TABLE.bar()
        self._look()
        self.set_interval(_LOOK, self._look)

    @property
    def listing(self) -> RowList:
        """The changes."""
        return self.query_one("#log", RowList)

    @work(group="log", exit_on_error=False)
    async def _look(self) -> None:
        with self.app.reporting("reading the log of changes"):
            found = await asyncio.to_thread(self._history.all)
            if found != self._all or not self._changes:
                self._all = found
                self._show_rows()

    def _show_rows(self) -> None:
        project = str(self.browser.project.root)
        shown = [each for each in self._all if self._everywhere or each.change.project == project]
        self._changes = {each.change.id: each for each in shown}
        self.listing.empty = self._none
        self.listing.set_rows(tuple(self._changes))
        self.listing.refresh_rows()
        where = "all projects" if self._everywhere else clean_line(self.browser.project.name)
        self.listing.border_title = Content(f"Changes in {where} {len(shown)}")

    def _draw(self, key: str, width: int) -> Content:
        found = self._changes.get(key)
        if found is None:
            return Content("")
        moment = parse_iso(found.change.at)
        left = [
            ("undone " if found.undone else "", "$quiet"),
            (clean_line(found.change.what), "$quiet" if found.undone else ""),
            ("  cannot be undone" if found.change.final else "", "$text-warning"),
            (f"  by {clean_line(found.by)}", "$quiet"),
        ]
        return row(left, short_age(moment, self.browser.clock()) if moment else "", width)

    @property
    def _none(self) -> str:
        """Why the list is empty."""
        return _NONE_ANYWHERE if self._everywhere else _NONE

    @property
    def selected(self) -> Recorded | None:
        """The selected change; None, after a message, without one."""
        found = self._changes.get(self.listing.selected or "")
        if found is None:
            self.app.say(self._none, severity="warning")
        return found

    def action_undo(self) -> None:
        """Undo the selected change."""
        self._revert(undone=False)

    def action_redo(self) -> None:
        """Redo the selected change."""
        self._revert(undone=True)

    @work(group="undo", exit_on_error=False)
    async def _revert(self, *, undone: bool) -> None:
        found = self.selected
        if found is None:
            return
        if found.undone is not undone:
            self.app.say(
                "That is not undone: u undoes it." if undone else "That is undone already: ctrl+r redoes it.",
                severity="warning",
            )
            return
        async with self._one_by_one:
            with self.app.reporting("redoing" if undone else "undoing"):
                await asyncio.to_thread(lambda: self._history.revert(found.change.id, undone=undone))
                self.app.say(f"{'Redone' if undone else 'Undone'}: {found.change.what}.")
        self._look()

    @on(RowList.Opened)
    @work(group="open", exclusive=True, exit_on_error=False)
    async def action_open(self) -> None:
        """Read the selected change with its files."""
        found = self.selected
        if found is None:
            return
        with self.app.reporting("reading the files of a change"):
            contents = await asyncio.to_thread(self._history.contents, found)
            document = change_document(found, contents, self.browser.clock())
            self.app.push_screen(ReadingScreen(clean_line(found.change.what), document))

    def action_everywhere(self) -> None:
        """Toggle between the changes of all projects and of this one."""
        self._everywhere = not self._everywhere
        self._show_rows()

    @on(KeyBar.Pressed)
    async def _key_pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)
