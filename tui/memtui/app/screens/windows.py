"""Opens the other screens, importing them only then, which keeps the first paint fast."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from memtui.app.keys.commands import Command, PaneId
from memtui.app.model.project_model import Browser
from memtui.app.model.views import CaptureRow
from memtui.app.widgets.document import Document

if TYPE_CHECKING:
    from memtui.flows.review import Reviewed
    from memtui.store.search import Result


class ScreenWindows:
    """Opens screens over the browser; see `memtui.app.actions.place.Windows`."""

    def __init__(self, screen: Screen[None], browser: Browser) -> None:
        self._screen = screen
        self._browser = browser

    async def confirm(
        self, question: str, *, yes: str, no: str, document: Document | None = None, safe: bool = False
    ) -> bool:
        """Ask a yes-no question; `safe`: yes loses nothing, so enter means yes. Only in a worker."""
        from memtui.app.screens.confirm import ConfirmScreen

        asked = ConfirmScreen(question, yes=yes, no=no, document=document, safe=safe)
        return await self._screen.app.push_screen_wait(asked)

    async def ask(self, question: str, *, value: str, hint: str) -> str | None:
        """Ask for one line; None if cancelled. Only in a worker."""
        from memtui.app.screens.line_prompt import AskScreen

        return await self._screen.app.push_screen_wait(AskScreen(question, value=value, hint=hint))

    def review(self, row: CaptureRow, done: Callable[[Reviewed | None], None]) -> None:
        """Review a capture."""
        from memtui.app.screens.review import ReviewScreen

        self._screen.app.push_screen(ReviewScreen(self._browser, row), done)

    def compact(self, done: Callable[[str | None], None]) -> None:
        """Compact the current session."""
        from memtui.app.screens.compact import CompactScreen

        self._screen.app.push_screen(CompactScreen(self._browser), done)

    def search(
        self,
        query: str,
        session: Path | None,
        done: Callable[[str, Result | None], None],
    ) -> None:
        """Search; `done` receives the last query and the chosen result."""
        from memtui.app.screens.search import SearchScreen

        screen = SearchScreen(self._browser, query=query, session=session)
        self._screen.app.push_screen(screen, lambda found: done(screen.query_text, found))

    def stored(self, memory_id: str) -> None:
        """Show a new Recovery ID."""
        from memtui.app.screens.new_recovery_id import StoredScreen

        self._screen.app.push_screen(StoredScreen(memory_id))

    def choose(self, question: str, choices: Sequence[tuple[str, Callable[[], None]]]) -> None:
        """Let one of several be chosen, as in the command palette; names are clean."""
        self._screen.app.search_commands(choices, placeholder=question)

    def versions(self, session_id: str) -> None:
        """Show the versions of a session state."""
        from memtui.app.details.versions import Versions
        from memtui.app.screens.versions import VersionsScreen

        versions = Versions(self._browser.states, session_id)
        self._screen.app.push_screen(VersionsScreen(session_id[:8], versions, self._browser.clock))

    def memory_versions(self, memory_id: str) -> None:
        """Show the versions of a memory."""
        from memtui.app.details.memory_versions import MemoryVersions
        from memtui.app.model.sharing import Exchange
        from memtui.app.screens.versions import VersionsScreen

        clock = self._browser.clock
        exchange = Exchange(self._browser.places.home, clock)
        versions = MemoryVersions(lambda: exchange.versions(memory_id))
        self._screen.app.push_screen(VersionsScreen(memory_id, versions, clock))

    def aftermath(self, transcript: Path, since: datetime | None, done: Callable[[], None]) -> None:
        """Show the aftermath of a compaction."""
        from memtui.app.screens.aftermath import AftermathScreen

        self._screen.app.push_screen(AftermathScreen(self._browser, transcript, since), lambda _: done())

    def transcript(self, path: Path, line: int = 0) -> None:
        """Show a transcript at a line (1-based), or at its end."""
        from memtui.app.screens.transcript import read_transcript

        read_transcript(self._screen.app, path, line)

    def sessions(self) -> None:
        """Show every session."""
        from memtui.app.screens.sessions import SessionsScreen

        self._screen.app.push_screen(SessionsScreen(self._browser))

    def read(self, title: str, document: Document) -> None:
        """Show a document."""
        from memtui.app.screens.document import ReadingScreen

        self._screen.app.push_screen(ReadingScreen(title, document))

    def help(self, pane: PaneId, commands: Iterable[Command]) -> None:
        """Show the keys of a pane."""
        from memtui.app.screens.help import pane_help

        self._screen.app.push_screen(pane_help(pane, commands))

    def edit(self, path: Path) -> str:
        """Open a file in the editor; returns "" or an error message."""
        from memtui.app.editor import edit_file

        return edit_file(self._screen.app, Path(path))
