"""What the actions of the browser have in common: saying what happened, copying, taking back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import work

from memtui.app.browser import Browser
from memtui.app.panes.pane import Subject
from memtui.app.screens.browser_view import BrowserView
from memtui.files import FileLocked, FileProblem, FileUnwritable

if TYPE_CHECKING:
    from memtui.store.undo import Undo


class Actions(BrowserView):
    """The view, and what every action of it needs."""

    def __init__(self, browser: Browser, *, note: str = "") -> None:
        super().__init__(browser, note=note)
        self.undos: list[Undo] = []

    def say(self, text: str, *, warn: bool = False) -> None:
        """Tell the person what happened, in one line."""
        self.app.say(text, severity="warning" if warn else "information")

    @property
    def subject(self) -> Subject:
        """What the selected row stands for."""
        return self.pane.subject(self.pane.selected)

    def read_selected(self) -> None:
        """Read the detail of what is selected: in a narrow window it takes the place of the panes."""
        self.show_detail()
        self.add_class("-reading")
        self.set_focus(self.detail_view)

    @work(group="undo", exit_on_error=False)
    async def do_undo(self) -> None:
        """Take back the last change of this run."""
        if not self.undos:
            self.say("Nothing to undo in this run of memtui.", warn=True)
            return
        undo = self.undos.pop()
        with self.app.reporting("undoing"):
            try:
                await asyncio.to_thread(undo.run)
            except BaseException as error:
                if not isinstance(error, FileProblem) or isinstance(error, (FileLocked, FileUnwritable)):
                    self.undos.append(undo)  # u can be tried again
                raise
            for pane in self.panes.values():
                pane.resync()
            for name in ("commands", "compacts", "memories"):
                self.live.hint(name)
            self.say(f"Undone: {undo.label}.")
