"""Opening the search, and going to its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.app.actions.memories import MemoryActions
from memtui.app.actions.place import Place, Windows
from memtui.app.keys.commands import PaneId
from memtui.app.panes.pending import PendingPane
from memtui.app.panes.state import StatePane
from memtui.app.widgets.document import from_markdown
from memtui.ground.clean import clean_line

if TYPE_CHECKING:
    from memtui.store.search import Result


class SearchActions:
    """Shows search results in their panes."""

    def __init__(
        self, place: Place, windows: Windows, memories: MemoryActions, captures: PendingPane, state: StatePane
    ) -> None:
        self._place = place
        self._host = place.host
        self._windows = windows
        self._memories = memories
        self._captures = captures
        self._state = state
        self._last_query = ""

    def search(self) -> None:
        """Search; the last query is preset, and typing replaces it."""
        self._windows.search(self._last_query, self._state.view.transcript, self._closed)

    def _closed(self, query: str, found: Result | None) -> None:
        self._last_query = query
        if found is not None:
            self._open(found)

    def _open(self, found: Result) -> None:
        """Go to a result in its pane, and read it."""
        from memtui.store.search import Kind

        if found.kind is Kind.MEMORY:
            self._memories.read(f"{found.name}.md")
        elif found.kind is Kind.FILE:
            self._memories.read(found.name)
        elif found.kind is Kind.CAPTURE:
            self._read_capture(found.name)
        else:
            self._read_state(found)

    def _read_capture(self, name: str) -> None:
        self._place.make_current(PaneId.PENDING)
        if self._captures.reveal(name):
            self._place.read_selected()
        else:
            self._host.say(f"{clean_line(name)} no longer exists.", warn=True)

    def _read_state(self, found: Result) -> None:
        view = self._state.view
        if view.session_id == found.name and not view.drafted:
            self._place.make_current(PaneId.STATE)
            self._place.read_selected()
            return
        title = f"Session state of {clean_line(found.name)[:8]}, {clean_line(found.said)}"
        self._windows.read(title, from_markdown(found.text))
