"""The sessions screen: every conversation of the project, or of all, to be read, resumed and forked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import get_current_worker

from memtui.app.details.session_rows import (
    Column,
    heading,
    matches,
    ordered,
    row,
    session_detail,
)
from memtui.app.keys.screen_commands import SESSIONS
from memtui.app.model.browser import Browser
from memtui.app.screens.resuming import resume_session
from memtui.app.screens.transcript import read_transcript
from memtui.app.widgets.document import EMPTY
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.input_line import FILTER_HINT, InputLine
from memtui.app.widgets.key_bar import KeyBar
from memtui.app.widgets.row_list import RowList
from memtui.files import FileProblem
from memtui.reading.facts import read_facts
from memtui.store.archive import Archive
from memtui.store.session_list import Session, SessionList

if TYPE_CHECKING:
    from memtui.app.host import HostApp

_PAUSE = 0.1
"""Seconds the selection must rest before a transcript is read for the detail."""
_LARGE = 64 << 20
"""Bytes from which a transcript is not read for the detail: enter opens it at once."""
_NONE = "Claude Code has no session here. A shows those of all projects."


class Heading(Widget):
    """The names of the columns."""

    def __init__(self, draw: Callable[[], Content]) -> None:
        super().__init__()
        self._draw = draw

    def render(self) -> Content:
        """Draw them for the width of now."""
        return self._draw()


class SessionsScreen(Screen[None]):
    """The list, newest first, and what the selected session was about."""

    CSS_PATH = "../styles/sessions.tcss"

    if TYPE_CHECKING:
        app: HostApp

    AUTO_FOCUS = "#sessions"
    TABLE = SESSIONS
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(self, browser: Browser) -> None:
        super().__init__()
        self._browser = browser
        places = browser.places
        self._list = SessionList(places.project, places.home, places.claude, browser.clock)
        self._archive = Archive(places.home, browser.clock)
        self._sessions: dict[str, Session] = {}
        self._everywhere = False
        self._column = Column.WHEN
        self._filter = ""
        self._shown: Path | None = None
        """The session of which the detail shows all there is."""

    def compose(self) -> ComposeResult:
        """The list under the names of its columns, the detail beside or below it, the keys."""
        with Horizontal(id="sessions-body"):
            with Vertical(id="listed"):
                yield Heading(self._heading)
                yield RowList(self._draw, empty="…", id="sessions")
            yield DocumentView(id="session")
        yield InputLine("filter", FILTER_HINT)
        yield KeyBar()

    def on_mount(self) -> None:
        """List what is there, then read on."""
        self._load()

    def on_descendant_focus(self) -> None:
        """The keys at the bottom are those of where the focus is."""
        detail = self.focused is self.query_one("#session")
        self.query_one(KeyBar).keys = self.TABLE.bar("session" if detail else "sessions")

    # -- the list -------------------------------------------------------------------------------------------

    @property
    def listing(self) -> RowList:
        """The rows."""
        return self.query_one("#sessions", RowList)

    @property
    def selected(self) -> Session | None:
        """The selected session."""
        return self._sessions.get(self.listing.selected or "")

    @work(group="sessions", exclusive=True, exit_on_error=False)
    async def _load(self) -> None:
        """List the sessions at once, and complete them one after the other."""
        worker = get_current_worker()
        with self.app.reporting("listing the sessions"):
            everywhere = self._everywhere
            found = await asyncio.to_thread(lambda: self._list.entries(everywhere=everywhere))
            self._sessions = {str(each.path): each for each in found}
            self._show()
            for number, each in enumerate(found):
                try:
                    done = await asyncio.to_thread(self._list.completed, each, lambda: worker.is_cancelled)
                except (OSError, FileProblem):  # deleted meanwhile, or a broken copy
                    self._sessions.pop(str(each.path), None)
                    continue
                self._sessions[str(each.path)] = done
                if number % 20 == 0:
                    self._show()
            self._show()
            await asyncio.to_thread(self._list.remember)

    def _show(self) -> None:
        """Put the rows in order; the selection stays with its session."""
        wanted = [each for each in self._sessions.values() if matches(each, self._filter)]
        self.listing.empty = f"Nothing here matches “{self._filter}”." if self._filter else _NONE
        self.listing.set_rows([str(each.path) for each in ordered(wanted, self._column)])
        self.listing.refresh_rows()
        self._show_title(len(wanted))
        self._show_detail()

    def _show_title(self, shown: int) -> None:
        total = len(self._sessions)
        count = f'{shown}/{total} · "{self._filter}" ✕' if self._filter else f"{total}"
        where = "of all projects" if self._everywhere else ""
        parts = [("Sessions ", ""), (count, "$accent"), (f" {where}" if where else "", "$quiet")]
        self.query_one("#listed").border_title = Content.assemble(*parts)
        self.query_one(Heading).refresh()

    def _heading(self) -> Content:
        width = self.listing.room
        return Content.assemble(" ", heading(width, self._column, project=self._everywhere))

    def _draw(self, key: str, width: int) -> Content:
        session = self._sessions.get(key)
        return row(session, width, project=self._everywhere) if session else Content("")

    # -- the detail -----------------------------------------------------------------------------------------

    @on(RowList.Highlighted)
    def _show_detail(self) -> None:
        session = self.selected
        if session is None:
            self.query_one("#session", DocumentView).show(EMPTY)
            return
        self._detail(session)

    @work(group="session", exclusive=True, exit_on_error=False)
    async def _detail(self, session: Session) -> None:
        view, now = self.query_one("#session", DocumentView), self._browser.clock()
        if self._shown != session.path:
            view.show(session_detail(session, None, now))
        await asyncio.sleep(_PAUSE)
        with self.app.reporting("reading the session", wanted=lambda: self.selected is session):
            path = await asyncio.to_thread(self._readable, session)
            facts = await asyncio.to_thread(read_facts, path) if session.size < _LARGE else None
            current = self._sessions.get(str(session.path), session)
            view.show(session_detail(current, facts, now), keep_scroll=self._shown == session.path)
            self._shown = session.path

    # -- keys -----------------------------------------------------------------------------------------------

    @on(RowList.Opened)
    def action_read(self) -> None:
        """Read the session, if need be unpacked from the archive."""
        session = self.selected
        if session is None:
            self.app.say("Nothing is selected.", severity="warning")
            return
        with self.app.reporting("unpacking the session"):
            read_transcript(self.app, self._readable(session))

    def _readable(self, session: Session) -> Path:
        return self._archive.readable(session.kept) if session.kept else session.path

    def action_resume(self, fork: bool = False) -> None:
        """Suspend the app for Claude Code, which resumes the session or a copy of it."""
        session = self.selected
        if session is None:
            self.app.say("Nothing is selected.", severity="warning")
            return
        if session.kept is not None:
            with self.app.reporting("restoring the session"):
                self._archive.restore(session.kept)
        root = self._browser.project.root
        resume_session(self.app, session.session_id, session.summary.folder, root, fork=fork)
        self._load()

    def action_everywhere(self) -> None:
        """Show the sessions of all projects, or of this one."""
        self._everywhere = not self._everywhere
        self._load()

    def action_sort(self, step: int) -> None:
        """Sort by another column."""
        columns = list(Column)
        self._column = columns[(columns.index(self._column) + step) % len(columns)]
        self._show()

    def action_copy(self) -> None:
        """Copy the session's id."""
        if (session := self.selected) is not None:
            self.app.copy_text(session.session_id)

    def action_filter(self) -> None:
        """Open the filter."""
        self.query_one(InputLine).open(self._filter)

    @on(InputLine.Changed)
    def _filtered(self, event: InputLine.Changed) -> None:
        self._filter = event.text.strip()
        self._show()

    @on(InputLine.Kept)
    def _kept(self) -> None:
        self.listing.focus()
        self.query_one(InputLine).close()

    @on(InputLine.Dropped)
    def _dropped(self) -> None:
        self._filter = ""
        self._kept()
        self._show()

    @on(InputLine.Moved)
    def _moved(self, event: InputLine.Moved) -> None:
        self.listing.action_move(event.rows)

    def action_switch(self) -> None:
        """Go from the list to the detail, or back."""
        detail = self.query_one("#session", DocumentView)
        self.set_focus(detail if self.focused is self.listing else self.listing)

    def action_back(self) -> None:
        """Drop the filter, then leave."""
        if self.focused is not self.listing:
            self.listing.focus()
        elif self._filter:
            self._dropped()
        else:
            self.dismiss()

    @on(KeyBar.Pressed)
    async def _key_pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)
