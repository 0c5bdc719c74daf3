"""The detail of a session: requests, end, and results, with links."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from textual import work
from textual.actions import SkipAction
from textual.worker import get_current_worker

from memtui.app.details.capture import capture_document
from memtui.app.details.memory import read_document
from memtui.app.details.session import captures_of, memories_of, session_document
from memtui.app.listings import CaptureRow
from memtui.app.project import ProjectModel
from memtui.app.screens.dialogs import ReadingScreen
from memtui.app.widgets.document import ASIDE, EMPTY
from memtui.app.widgets.document_view import DocumentView
from memtui.ground.clock import day_and_minute
from memtui.ground.project import Project, find_root
from memtui.store.memories import MemoryFiles
from memtui.store.session_list import Agent, Session, SessionTree, agents_of, session_folder, session_tree
from memtui.transcript import ReadingCancelledError
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Facts


@dataclass(frozen=True)
class Known:
    """The parts of a session read so far."""

    session: Session
    path: Path
    facts: Facts
    tree: SessionTree
    agents: list[Agent]


class SessionDetail(DocumentView):
    """Shows one session: at once the data of the list, then those of the transcript."""

    def __init__(self, model: ProjectModel, readable: Callable[[Session], Path]) -> None:
        """Make the view; `readable` returns a transcript, unpacked if necessary; it is called in a thread."""
        super().__init__(id="session")
        self._model = model
        self._readable = readable
        self._session: Session | None = None
        self._known: Known | None = None
        self._unfolded: set[str] = set()

    def show_session(self, session: Session | None) -> None:
        self._session = session
        if session is None:
            self.show(EMPTY)
            return
        if self._known is None or self._known.session.path != session.path:
            self._unfolded.clear()
            self._known = None
        self._show_known(session, keep_scroll=self._known is not None)
        if self._known is None or self._known.session.size != session.size:
            self._read(session)

    def _show_known(self, session: Session, *, keep_scroll: bool = True) -> None:
        now, known = self._model.clock(), self._known
        read = (known.facts, known.tree, known.agents) if known else ()
        document = session_document(session, now, *read, unfolded=self._unfolded)
        self.show(document, keep_scroll=keep_scroll)

    @work(group="session", exclusive=True, exit_on_error=False)
    async def _read(self, session: Session) -> None:
        await asyncio.sleep(0.1)  # until the selection rests
        worker = get_current_worker()
        reporting = self.app.reporting("reading the session", wanted=lambda: self._is_shown(session))
        with reporting, suppress(ReadingCancelledError):
            known = await asyncio.to_thread(self._look, session, lambda: worker.is_cancelled)
            if self._is_shown(session) and self._session is not None:
                first, self._known = self._known is None, known
                self._show_known(self._session, keep_scroll=not first)

    def _is_shown(self, session: Session) -> bool:
        return self._session is not None and self._session.path == session.path

    def _look(self, session: Session, cancelled: Callable[[], bool]) -> Known:
        path = self._readable(session)
        facts = read_facts(path, cancelled=cancelled)
        home = self._model.places.home
        tree = session_tree(self._project(session), home, session.session_id, facts.compactions, cancelled)
        return Known(session, path, facts, tree, agents_of(path))

    def _project(self, session: Session) -> Project:
        """The project with a session's captures: this one, unless it was started elsewhere."""
        return Project(find_root(session_folder(session.summary.folder, self._model.project.root)))

    def action_follow(self) -> None:
        if self._link < 0:
            raise SkipAction
        super().action_follow()

    def on_document_view_followed(self, event: DocumentView.Followed) -> None:
        event.stop()
        known = self._known
        kind, _, name = event.link.removeprefix(ASIDE).partition(":")
        if known is None:
            return
        if kind == "fold" and self._session is not None:
            self._unfolded ^= {name}
            self._show_known(self._session)
        elif kind == "line":
            self.app.open_transcript(known.path, int(name))
        elif kind == "agent":
            self.app.open_transcript(Path(name))
        elif kind == "capture":
            found = next(each for each in captures_of(known.tree) if each.entry.name == name)
            row = CaptureRow(found.entry, found.capture)
            document = capture_document(row, self._model.clock(), facts=None)
            title = f"Capture {day_and_minute(found.capture.timestamp)}"
            self.app.push_screen(ReadingScreen(title, document))
        elif kind == "memory":
            path = next(each.path for each in memories_of(known.tree) if each.path.name == name)
            with self.app.reporting("reading the memory"):
                store = MemoryFiles(self._project(known.session), self._model.places.home)
                memory = store.load(path)
                document = read_document(memory, self._model.clock())
                self.app.push_screen(ReadingScreen(f"Memory {memory.head.id}", document))
