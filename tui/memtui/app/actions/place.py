"""The parts of the browser screen that actions use, besides the host: its windows and current pane."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memtui.app.host import Host
from memtui.app.keys.commands import PaneId
from memtui.app.model.views import CaptureRow, PaneView
from memtui.app.widgets.document import Document

if TYPE_CHECKING:
    from memtui.app.panes.pane import Pane
    from memtui.app.widgets.document_view import DocumentView
    from memtui.flows.review import Reviewed
    from memtui.store.search import Result


class Place(Protocol):
    """The browser screen, as its actions see it."""

    host: Host

    @property
    def pane(self) -> Pane:
        """The current pane."""

    painted: asyncio.Event
    """Set after the first paint; slow imports wait for it."""

    def make_current(self, pane_id: PaneId) -> None:
        """Make a pane the current one."""

    def apply(self, view: PaneView) -> None:
        """Show a newer view in its pane."""

    def show_detail(self) -> None:
        """Show the selected item of the current pane in the detail."""

    def read_selected(self) -> None:
        """Go to the detail of the selected item."""

    detail_view: DocumentView
    """The detail of the selected row."""

    def get_selected_text(self) -> str | None:
        """The text selected with the mouse."""

    def offer_keys(self) -> None:
        """Update the key bar for the current focus."""

    def update_tabs(self) -> None:
        """Update the panes' counts in the strip of a short window."""


class Windows(Protocol):
    """The screens that an action can open."""

    async def confirm(
        self, question: str, *, yes: str, no: str, document: Document | None = None, safe: bool = False
    ) -> bool:
        """Ask a yes-no question; `safe`: yes loses nothing, so enter means yes. Only in a worker."""

    async def ask(self, question: str, *, value: str, hint: str) -> str | None:
        """Ask for one line; None if cancelled. Only in a worker."""

    def review(self, row: CaptureRow, done: Callable[[Reviewed | None], None]) -> None:
        """Review a capture."""

    def compact(self, done: Callable[[str | None], None]) -> None:
        """Compact the current session."""

    def search(
        self,
        query: str,
        session: Path | None,
        done: Callable[[str, Result | None], None],
    ) -> None:
        """Search; `done` receives the last query and the chosen result."""

    def stored(self, memory_id: str) -> None:
        """Show a new Recovery ID."""

    def choose(self, question: str, choices: Sequence[tuple[str, Callable[[], None]]]) -> None:
        """Let one of several be chosen, as in the command palette; names are clean."""

    def versions(self, session_id: str) -> None:
        """Show the versions of a session state."""

    def memory_versions(self, memory_id: str) -> None:
        """Show the versions of a memory."""

    def aftermath(self, transcript: Path, since: datetime | None, done: Callable[[], None]) -> None:
        """Show the aftermath of a compaction."""

    def transcript(self, path: Path, line: int = 0) -> None:
        """Show a transcript at a line (1-based), or at its end."""

    def sessions(self) -> None:
        """Show every session."""

    def read(self, title: str, document: Document) -> None:
        """Show a document."""

    def edit(self, path: Path) -> str:
        """Open a file in the editor; returns "" or an error message."""
