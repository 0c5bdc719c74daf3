"""The sessions screen: all conversations of the project, or of all projects, to read, resume or fork."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.worker import get_current_worker

from memtui.app.base import FOLD_SIGNS, hidden, reported
from memtui.app.project import ProjectModel
from memtui.app.screens.list_screen import ListScreen
from memtui.app.screens.session_detail import SOON, SessionDetail
from memtui.app.screens.session_files import export_sessions, resume
from memtui.app.widgets.document import Document, Line, line
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import FILTER_HINT, InputLine
from memtui.app.widgets.row_list import RowList
from memtui.flows.forgetting import Traces, forget, traces_of
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute
from memtui.ground.files import FileProblem
from memtui.ground.project import Project, find_root, is_project
from memtui.ground.text import counted
from memtui.secrets.secrets import masked
from memtui.store.archive import Archive
from memtui.store.session_list import Resumable, Session, SessionList, size_text, unnamed
from memtui.store.transcripts import first_cwd
from memtui.transcript.short_text import one_line

_SEVERAL = "This folder is no project: enter opens the project of the selected session, q quits."
_NONE = "Claude Code has no session here. A shows those of all projects."
_NONE_ANYWHERE = "No session yet: start Claude Code in the folder of a project, and memtui beside it."
_LEAD, _PROJECT, _END = 13, 12, 8
"""Cells of the first columns and the last."""


class Column(NamedTuple):
    """A column between the name and the days left."""

    name: str
    cells: int
    text: Callable[[Session], str]


COLUMNS = (
    Column("branch", 10, lambda each: clean_line(each.summary.branch)),
    Column("compacted", 9, lambda each: str(each.summary.compactions or "")),
    Column("tokens", 6, lambda each: f"{round(each.summary.tokens / 1000)}k" if each.summary.tokens else ""),
    Column("turns", 5, lambda each: str(each.summary.turns or "")),
    Column("size", 8, lambda each: size_text(each.size)),
)
"""The last ones are left out where there is no room."""


def matches(session: Session, words: str) -> bool:
    summary = session.summary
    names = (session.name, summary.first_ask, session.session_id, summary.branch, summary.folder)
    text = " ".join((*names, *summary.files)).casefold()
    return all(word in text for word in words.casefold().split())


def filled(sessions: Collection[Session]) -> list[Column]:
    """The columns with something in them, that of branches if there are several."""
    said = {column: {column.text(each) for each in sessions} - {""} for column in COLUMNS}
    return [column for column, texts in said.items() if len(texts) > (column is COLUMNS[0])]


def columns_in(width: int, columns: Sequence[Column]) -> list[Column]:
    """The first of these columns, as many as fit."""
    room, shown = width - _LEAD - _END - 30, list[Column]()  # the least width of the name
    for each in columns:
        room -= each.cells + 1
        if room < 0:
            break
        shown.append(each)
    return shown


def heading(width: int, shown: Sequence[Column], *, project: bool) -> Content:
    left = f"{'when':<{_LEAD}}{'project'.ljust(_PROJECT + 2) if project else ''}session"
    end = "".join(f" {_aligned(each, each.name)}" for each in shown) + f"{'left':>{_END}}"
    return Content.styled(left + " " * max(1, width - len(left) - len(end)) + end, "$quiet")


def row(session: Session, width: int, shown: Sequence[Column], *, where: str = "") -> Content:
    name = one_line(clean_line(masked(session.name))) or unnamed(session)
    lead = f"{day_and_minute(session.written):<{_LEAD}}"
    agents = f" +{session.agents}" if session.agents else ""
    cells = Content("".join(f" {_aligned(each, each.text(session))}" for each in shown))
    room = max(4, width - len(lead) - len(agents) - cells.cell_length - _END)
    named = Content.assemble((f"{where}  " if where else "", "$accent"), name)
    named = named.truncate(room, ellipsis=True, pad=True)
    end = cells.stylize("$quiet")
    return Content.assemble((lead, "$quiet"), named, (agents, "$quiet"), end, _days_left(session))


def _aligned(column: Column, text: str) -> str:
    """A value or column name at its width; of a branch the end is kept."""
    if column is not COLUMNS[0]:
        return f"{text:>{column.cells}}"
    short = text if cell_len(text) <= column.cells else text.rpartition("/")[2]
    return Content(short).truncate(column.cells, ellipsis=True, pad=True).plain


def _days_left(session: Session) -> tuple[str, str]:
    """The days left, red if few and without a copy; ✓ marks a whole copy of memtui's, ✗ an incomplete one."""
    if session.days_left is None:
        return (f"{'✗':>{_END}}", "bold $error") if session.incomplete else (f"{'kept':>{_END}}", "$success")
    mark = "✗" if session.incomplete else "✓" if session.archived else " "
    soon = session.days_left < SOON and not session.archived
    return f"{f'{session.days_left} d{mark}':>{_END}}", "bold $error" if soon else "$quiet"


class Heading(Widget):
    """The names of the columns, drawn for the current width."""

    DEFAULT_CSS = "Heading { height: 1; }"

    def render(self) -> Content:
        screen = self.screen
        assert isinstance(screen, SessionsScreen)
        width = screen.listing.room
        return " " + heading(width, columns_in(width, screen.filled), project=screen.everywhere)


class SessionsScreen(ListScreen[None]):
    """The list, newest first, and the detail of the selected session."""

    AUTO_FOCUS = "#sessions"
    detail = getters.query_one(SessionDetail)
    BINDINGS: ClassVar[list[BindingType]] = [
        hidden("enter", "read", "read", tooltip="read the session"),
        hidden("o", "transcript", "transcript", id="transcript", tooltip="the transcript of this row"),
        hidden("l", "lost", "lost", id="lost", tooltip="what this compaction lost, to give it back"),
        Binding("R", "resume", "resume", id="resume", tooltip="resume this session in Claude Code"),
        hidden("F", "resume(True)", "fork", tooltip="resume a copy of the session"),
        Binding("/", "filter", "filter", id="filter", tooltip="filter here, or find, as you type"),
        Binding("A", "everywhere", "all", id="all", tooltip="show everything, or the usual part"),
        Binding("space", "mark", "tick", id="tick", tooltip="tick this row, or untick it"),
        Binding("y", "copy", "copy id", id="copy_id", tooltip="copy the session's id"),
        Binding("E", "export", "export", id="export", tooltip="export as a page, secrets masked"),
        Binding("D", "forget", "forget", id="trash", tooltip="forget memtui's data of this session (asks)"),
        hidden("tab", "switch", "detail", tooltip="go from the list to the detail"),
        Binding("escape", "back", "back", id="back", tooltip="leave; first the detail, ticks, filter"),
        Binding("q", "leave", "quit", id="quit", tooltip="back; quit where the app began here"),
        hidden("S", "sessions", "sessions", id="sessions", tooltip="back, as esc"),
    ]
    signs: ClassVar[Mapping[str, str]] = {
        "▼": "a compaction",
        "✓": "memtui keeps a copy",
        "✗": "memtui's copy is incomplete",
        **FOLD_SIGNS,
        "└": "belongs to the one above it",
        "●": "a capture or memory of no compaction",
        "❯": "what you asked",
    }
    about = "The conversations with Claude Code, the newest first, and how many days it keeps each."

    def __init__(self, model: ProjectModel, *, choosing: bool = False) -> None:
        """Make the screen; where one is `choosing`, enter opens the project of a session of any project."""
        super().__init__()
        self._model, self._choosing = model, choosing
        self._list = SessionList(model.places, model.clock)
        self._archive = Archive(model.places.home)
        self.sessions: dict[str, Session] = {}
        self.everywhere = choosing
        self.elsewhere = _SEVERAL if choosing else ""  # said of keys of other screens
        self.filled = filled(())

    @property
    def idle_keys(self) -> frozenset[str]:
        return frozenset(["back" if self._choosing else "leave"])

    def compose(self) -> ComposeResult:
        with Horizontal(id="sessions-body"):
            with Vertical(id="listed"):
                yield Heading()
                yield RowList(self._draw, empty="Reading …", box=lambda _: 1, id="sessions")
            yield SessionDetail(self._model, self._readable)
        yield InputLine("filter", FILTER_HINT)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.listing.unread = True
        self._load()

    def on_descendant_focus(self) -> None:
        """Where there is room for one only, show the list or the detail."""
        detail = self.focused is self.detail
        self.set_class(detail, "-reading", update=self.has_class("-short"))  # it changes no other layout

    @property
    def selected(self) -> Session | None:
        return self.sessions.get(self.listing.selected or "")

    def _chosen(self) -> list[Session]:
        """The ticked sessions, else the selected one; if there is none, that is said."""
        marked = [key for key in self.listing.rows if key in self.listing.marked]
        picked = [] if marked else [self._picked()]
        return [each for each in (*map(self.sessions.get, marked), *picked) if each is not None]

    @reported("listing the sessions", group="sessions", exclusive=True)
    async def _load(self) -> None:
        """List the sessions at once, and complete them one after the other."""
        worker = get_current_worker()
        everywhere, self.listing.unread = self.everywhere, True
        try:
            found = await asyncio.to_thread(lambda: self._list.entries(everywhere=everywhere))
        finally:
            self.listing.unread = False
        if self._choosing and found and not self.sessions:
            self.app.say(_SEVERAL)
        self.sessions = {str(each.path): each for each in found}
        self.show_filtered()
        for number, each in enumerate(found):
            try:
                done = await asyncio.to_thread(self._list.completed, each, lambda: worker.is_cancelled)
            except (OSError, FileProblem):  # deleted meanwhile, or a broken copy
                self.sessions.pop(str(each.path), None)
                continue
            self.sessions[str(each.path)] = done
            if number % 20 == 0:
                self.show_filtered()
        self.show_filtered()
        await asyncio.to_thread(self._list.remember)

    def show_filtered(self) -> None:
        typed, none = self.words, _NONE_ANYWHERE if self.everywhere else _NONE
        self.listing.empty = f"Nothing here matches “{typed}”." if typed else none
        self.listing.marked &= self.sessions.keys()
        self.filled = filled(self.sessions.values())
        found = [each for each in self.sessions.values() if matches(each, typed)]
        found.sort(key=lambda each: each.written, reverse=True)
        self.listing.set_rows([str(each.path) for each in found])
        self._show_title()
        self._show_detail()

    def _show_title(self) -> None:
        total, marked = len(self.sessions), len(self.listing.marked)
        count = f'{len(self.listing.rows)}/{total} · "{self.words}" ✕' if self.words else f"{total}"
        count += f" · {marked} marked" if marked else ""
        where = " of all projects" if self.everywhere else ""
        title = Content.assemble("Sessions ", (count, "$accent"), (where, "$quiet"))
        self.query_one("#listed").border_title = title
        self.query_one(Heading).refresh()

    def _draw(self, key: str, width: int) -> Content:
        if (session := self.sessions.get(key)) is None:
            return Content("")
        where = clean_line(session.ran_in(self._model.project.root))
        if self.everywhere:
            folder = Content(clean_line(Path(session.summary.folder).name))
            where = folder.truncate(_PROJECT, ellipsis=True, pad=True).plain
        return row(session, width, columns_in(width, self.filled), where=where)

    @on(RowList.Highlighted)
    def _show_detail(self) -> None:
        self.detail.show_session(self.selected)

    @on(RowList.Opened)
    def action_read(self) -> None:
        if not self._choosing:
            self.action_transcript()
        elif session := self._picked():
            self._open(session, choosing=True)

    def action_transcript(self) -> None:
        if (session := self._picked()) and session.kept is None:
            self.app.open_transcript(session.path)
        elif session:
            self._open(session, choosing=False)

    def action_lost(self) -> None:
        if self._choosing:
            self.app.warn(_SEVERAL)
        elif (session := self._picked()) and session.kept:
            self.app.warn("Only the archive has this session, so nothing can be given back: enter reads it.")
        elif session and (session.summary.compactions or session.summary.end != session.size):
            self.app.open_lost(session.path, None)  # of a session that is still being read, it says the rest
        elif session:
            self.app.warn("This session was not compacted, so nothing of it is lost.")

    @reported("opening the session", group="unpacking", exclusive=True)
    async def _open(self, session: Session, *, choosing: bool) -> None:
        folder = session.summary.folder
        if choosing and not folder:  # the list does not know it yet
            folder = str(await asyncio.to_thread(first_cwd, session.path) or "")
        where = Path(folder or "/")
        root = find_root(where) if where.is_dir() else where
        if choosing and root.is_dir() and is_project(root):
            self.app.next_project = Project(root)
            self.app.exit()
        else:
            self.app.open_transcript(await asyncio.to_thread(self._readable, session))

    def _picked(self) -> Session | None:
        """The selected session; if there is none, that is said."""
        if self.selected is None:
            self.app.warn("Nothing is selected.")
        return self.selected

    def _readable(self, session: Session) -> Path:
        return self._archive.readable(session.kept) if session.kept else session.path

    def action_resume(self, fork: bool = False) -> None:
        if session := self._picked():
            known = Resumable(session.session_id, session.summary.folder, session.kept)
            resume(self, session.path, known, fork=fork)
            self._load()

    def action_mark(self) -> None:
        self._mark()
        self.listing.action_move(1)

    @on(RowList.BoxClicked)
    def _mark(self) -> None:
        if session := self._picked():
            self.listing.marked ^= {str(session.path)}
            self.listing.refresh_rows()
            self._show_title()

    @work(group="session-files", exit_on_error=False)
    async def action_export(self) -> None:
        if chosen := self._chosen():
            await export_sessions(self, [each.path for each in chosen], self._archive.readable_at)

    @reported("forgetting sessions", group="session-files")
    async def action_forget(self) -> None:
        sessions = self._chosen()
        if not sessions:
            return
        places = self._model.places
        found = [await asyncio.to_thread(traces_of, places, each.session_id) for each in sessions]
        traces = [each for each in found if not each.is_empty]
        if not traces:
            self.app.say(f"memtui has no data of {_this(len(sessions))}.")
            return
        question = f"Forget memtui's data of {_this(len(traces))}? It cannot be undone."
        if not await self.app.confirmed(question, yes="Forget", no="Keep", document=_question(traces)):
            return
        failed = [problem for each in traces for problem in await asyncio.to_thread(forget, places, each)]
        self._load()
        if failed:
            raise FileProblem(places.home.data, f"still holds parts: {failed[0]}")
        self.app.say(f"{counted(len(traces), 'session')} forgotten.")

    def action_copy(self) -> None:
        if ids := [each.session_id for each in self._chosen()]:
            self.app.copy_text("\n".join(ids), name=f"{len(ids)} ids" if len(ids) > 1 else "")

    def action_everywhere(self) -> None:
        self.everywhere = not self.everywhere
        self.listing.hold(self.listing.index > 0)
        self._load()

    def action_back(self) -> None:
        if self.focused is self.listing and self.listing.marked:
            self.listing.marked = frozenset()
            self.show_filtered()
        elif self._choosing and self._is_plain:
            self.app.say(_SEVERAL)
        else:
            super().action_back()

    @property
    def _is_plain(self) -> bool:
        """Whether nothing was entered that one could go back from."""
        return self.focused is self.listing and not (self.listing.marked or self.words)

    def action_sessions(self) -> None:
        if self._choosing:
            self.app.say(_SEVERAL)
        else:
            self.action_back()

    def action_leave(self) -> None:
        if self._choosing and self._is_plain:
            self.app.exit()
        else:
            self.action_back()


def _question(traces: Sequence[Traces]) -> Document:
    lines: list[Line] = []
    for each in traces:
        lines.append(line(f"Of session {each.session_id} memtui deletes:", "strong"))
        for kept in each.copies:
            only = "" if kept.is_live else ", the only copy"
            text = f"  the archived transcript, {size_text(kept.size)}{only}"
            lines.append(line(text, "bad" if only else ""))
        lines += [line(f"  {path}") for path in each.paths]
        lines += [line("  the search index of all sessions, made anew by a search")] if each.indexed else []
    lines += [Line(""), line("What stays:", "strong")]
    stays = dict.fromkeys(phrase for each in traces for phrase in each.stays)
    return Document([*lines, *(line(f"  {phrase}", hang=2) for phrase in stays)])


def _this(sessions: int) -> str:
    return "this session" if sessions == 1 else f"these {sessions} sessions"
