"""Going back in the browser: leaving the detail, marks, the filter, the zoom."""

from __future__ import annotations

from textual.screen import Screen

from memtui.app.actions.place import Place
from memtui.app.screens.browser_actions import BrowserActions
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.split import Split


class GoingBack:
    """The actions of esc and z."""

    def __init__(
        self,
        screen: Screen[None],
        place: Place,
        split: Split,
        detail: DocumentView,
        actions: BrowserActions,
    ) -> None:
        self._screen = screen
        self._place = place
        self._split = split
        self._detail = detail
        self._actions = actions

    def back(self) -> None:
        """Cancel a pending question, or leave what was entered last."""
        if self._actions.sessions.model.cancel():
            return
        pane = self._place.pane
        if self._split.reading or self._screen.focused is self._detail:
            if not self._actions.memories.follow_back():
                self._split.reading = False
                self._screen.set_focus(pane)
        elif pane.marked:
            self._actions.marking.clear()
        elif pane.filter_text:
            self._actions.filtering.set("")
        elif self._screen.has_class("-zoomed"):
            self.zoom()
        else:
            self._place.host.say("Nothing to go back from. q quits.")

    def zoom(self) -> None:
        """Toggle the full window for the pane, or for the detail if it has the focus."""
        if self._screen.focused is self._detail and not self._screen.has_class("-zoomed"):
            self._split.reading = True
        self._screen.toggle_class("-zoomed")
        self._split.fit()
