"""Opening the search, and what it has found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.app.browser import Browser
from memtui.app.commands import PaneId
from memtui.app.panes.pending import PendingPane
from memtui.app.panes.state import StatePane
from memtui.app.screens.memory_actions import MemoryActions
from memtui.clean import clean_line

if TYPE_CHECKING:
    from memtui.app.searching import Result


class SearchActions(MemoryActions):
    """The search, and going to what it finds."""

    def __init__(self, browser: Browser, *, note: str = "") -> None:
        super().__init__(browser, note=note)
        self._last_query = ""

    def do_search(self) -> None:
        """Search; the last query is there again, and the first key typed replaces it."""
        from memtui.app.screens.search import SearchScreen

        captures = self.panes[PaneId.PENDING]
        assert isinstance(captures, PendingPane)
        screen = SearchScreen(
            self.browser, captures.view.rows.values(), self.memories.files(), query=self._last_query
        )

        def closed(found: Result | None) -> None:
            self._last_query = screen.query_text
            if found is not None:
                self._open(found)

        self.app.push_screen(screen, closed)

    def _open(self, found: Result) -> None:
        """Go to what was found, in its pane, and read it."""
        from memtui.app.searching import Kind

        if found.kind is Kind.MEMORY:
            self.read_memory(f"{found.name}.md")
        elif found.kind is Kind.FILE:
            self.read_memory(found.name)
        elif found.kind is Kind.CAPTURE:
            self._read_capture(found.name)
        else:
            self._read_state(found)

    def _read_capture(self, name: str) -> None:
        pane = self.panes[PaneId.PENDING]
        assert isinstance(pane, PendingPane)
        self.make_current(PaneId.PENDING)
        if not pane.reveal(name):
            self.say(f"{clean_line(name)} is not there any more.", warn=True)
            return
        self.read_selected()

    def _read_state(self, found: Result) -> None:
        pane = self.panes[PaneId.STATE]
        assert isinstance(pane, StatePane)
        if pane.view.session_id == found.name and not pane.view.drafted:
            self.make_current(PaneId.STATE)
            self.read_selected()
            return
        from memtui.app.screens.reading import ReadingScreen
        from memtui.app.widgets.document import from_markdown

        title = f"Session state of {clean_line(found.name)[:8]}, {clean_line(found.said)}"
        self.app.push_screen(ReadingScreen(title, from_markdown(found.text)))
