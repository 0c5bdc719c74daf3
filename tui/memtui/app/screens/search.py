"""Searching sessions, memories, Claude's own, captures and session states while typing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import Input, Label

from memtui.app.base import PROMPT, RESTORES, OwnScreen, hidden, reported
from memtui.app.details import search
from memtui.app.details.search import Heading
from memtui.app.project import ProjectModel
from memtui.app.screens.session_files import resume
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import TypedLine
from memtui.app.widgets.row_list import RowList
from memtui.ground.clean import clean_line
from memtui.store.archive import Archive
from memtui.store.search import Group, Result, Scope, not_found, with_snippet
from memtui.store.search_query import Kind, parse_search
from memtui.store.session_list import NOT_RESUMED, typed_command
from memtui.transcript.line_index import Query

_PAUSE = 0.12
_MORE = "show more lines of the session"
_SEARCHED = {
    Scope.SESSION: ("in this session", "; tab searches this project"),
    Scope.PROJECT: ("in this project", "; tab searches all projects"),
    Scope.EVERYWHERE: ("in any project", ""),
}
"""Where nothing was found, and where else it may be."""


class SearchInput(TypedLine):
    """A search line: every change searches at once; the arrows move in the results."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "open", key_display="enter", tooltip="open what is selected"),
        Binding("right", "cursor_right", "more", tooltip=_MORE),
        hidden("down", "screen.move(1)"),
        hidden("up", "screen.move(-1)"),
        hidden("pagedown", "screen.page(1.0)"),
        hidden("pageup", "screen.page(-1.0)"),
    ]

    def action_cursor_right(self, select: bool = False) -> None:
        """At the end of the line, show more lines of the session."""
        if self.cursor_at_end and not select and isinstance(self.screen, SearchScreen):
            self.screen.action_unfold(True)
        else:
            super().action_cursor_right(select)


class SearchScreen(OwnScreen[Result | None]):
    """A search line, its results below it, and the selected match."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (130, "-broad")]  # noqa: RUF012 - see the app

    AUTO_FOCUS = "#query"
    results = getters.query_one("#results", RowList)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "unfold(True)", "more", tooltip=_MORE),
        hidden("left", "unfold(False)", "fewer", tooltip="hide them"),
        Binding("tab", "scope", "where", tooltip="search in this session, this project, everywhere"),
        Binding("shift+tab", "switch", "results", tooltip="go to the results, or back"),
        Binding("y", "copy('{id}')", "copy id", id="copy_id", tooltip="copy the Recovery ID"),
        Binding("Y", f"copy('{PROMPT}')", "copy prompt", id="copy_prompt", tooltip=RESTORES),
        hidden("o", "show", "in its pane", tooltip="go to it in its pane"),
        Binding("R", "resume", "resume", id="resume", tooltip="resume this session in Claude Code"),
        hidden("F", "resume(True)", "fork", tooltip="resume a copy of the session"),
        hidden("s,/", "type", "type", tooltip="go back to the line"),
        Binding("escape,q", "dismiss", "leave", tooltip="back to where you were"),
    ]
    signs = search.SEARCH_SIGNS
    about = (
        "Ask as you would ask a person. “Words in quotes” have to be there; edited:PART, read:PART, "
        "file:PART and cmd:PART find turns that touched a file or ran a command; in:sessions (memories, "
        "claude, files, captures, states, pins), project:NAME, before:2026-03 and after:7d "
        "narrow it down."
    )

    def __init__(self, model: ProjectModel, *, query: str = "", session: Path | None = None) -> None:
        """Make the screen with an initial query; `session` is the transcript that is "this session"."""
        super().__init__()
        self.model, self.query_text, self._session = model, query, session
        self._scope = Scope.PROJECT
        self._groups: tuple[Group, ...] = ()
        self._unfolded: set[str] = set()
        self._found: dict[str, Result | Heading] = {}

    def compose(self) -> ComposeResult:
        with Horizontal(id="search-line"):
            yield Label(Content(" search "), id="search-label")
            yield SearchInput(
                self.query_text,
                id="query",
                compact=True,
                select_on_focus=False,
                placeholder="a question, or words   edited: read: cmd: in: after:",
            )
            yield Label(Content(f" │ {self._scope} "), id="search-scope")
        with Container(id="found"):
            is_heading = lambda key: isinstance(self._found.get(key), Heading)  # noqa: E731
            yield RowList(self._draw, is_header=is_heading, empty="…", id="results")
            yield DocumentView(id="hit")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#hit").can_focus = False
        self.query_one("#query", SearchInput).action_select_all()  # typing replaces it
        self._search(self.query_text)

    @property
    def every_sign(self) -> bool:
        """Whether help explains all signs: before a question few are to be seen."""
        return not self.query_text.strip()

    @property
    def selected(self) -> Result | None:
        found = self._read_row(self.results.selected or "")
        return found if isinstance(found, Result) else None

    def _read_row(self, key: str) -> Result | Heading | None:
        """What a row shows; its text is read when it is first seen."""
        found = self._found.get(key)
        if isinstance(found, Result) and found.kind is Kind.SESSION and not found.snippet:
            found = self._found[key] = with_snippet(found, parse_search(self.query_text))
        return found

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self.query_text:
            self.query_text = event.value
            self._search(event.value)

    @work(group="search", exclusive=True, exit_on_error=False)
    async def _search(self, text: str, *, again: bool = False) -> None:
        """Search for a text, `again` if the index was not complete; outdated results are dropped."""
        scope = self._scope

        def stale() -> bool:
            return not self.is_running or text != self.query_text or scope is not self._scope

        await asyncio.sleep(1.5 if again else _PAUSE)
        self.query_one("#search-line").add_class("-busy")
        groups: list[Group] = []
        with self.app.reporting("searching", wanted=lambda: not stale()):
            wanted = parse_search(text, typing=True)
            searcher = self.model.searcher
            searcher.interrupt()
            find = partial(searcher.search, wanted, scope, self._session, rows=self.size.height)
            groups = await asyncio.to_thread(find)
        if not stale():
            self._show(text, groups, first=not again)
            self.query_one("#search-line").remove_class("-busy")
            if groups and not groups[0].complete:
                self._search(text, again=True)

    def _show(self, text: str, groups: Iterable[Group], *, first: bool = False) -> None:
        hits = (key for key, found in self._found.items() if isinstance(found, Result))
        first = first or (isinstance(self.focused, Input) and self.results.selected == next(hits, None))
        groups = self._groups = tuple(groups)
        asked = parse_search(text)
        notes = filter(None, (*asked.unread, not_found(groups)))
        rows = search.rows_of(groups, recent=not text.strip(), unfolded=self._unfolded, notes=notes)
        self._found = dict(rows)
        listing = self.results
        if self._found:
            listing.empty = "…"
        elif not all(group.complete for group in groups):
            listing.empty = "The index is busy or being made; what it finds comes by itself."
        elif text.strip():
            kinds, (where, further) = ", ".join(asked.kinds), _SEARCHED[self._scope]
            nothing = f"Nothing was found for “{clean_line(text)}” {where} ({kinds}){further}."
            listing.empty = "\n\n".join([nothing, *asked.unread, search.NARROW])
        else:
            listing.empty = f"Nothing to search in yet.\n\n{search.HINT}"
        listing.set_rows(tuple(self._found))
        if first:  # of a new query, or of one whose best hit was selected while typing
            listing.action_first()
        self._show_selected()

    def _draw(self, key: str, width: int) -> Content:
        found = self._read_row(key)
        root = self.model.places.project.root
        return search.draw(found, self.model.clock(), width, root) if found else Content("")

    @on(RowList.Highlighted)
    @reported("reading a result", group="detail", exclusive=True)
    async def _show_selected(self) -> None:
        view = self.query_one("#hit", DocumentView)
        asked, short = (self.selected, self.query_text, self.model.clock()), self.has_class("-short")
        make = partial(search.result_document, *asked, short)
        view.show(await asyncio.to_thread(make))

    def action_unfold(self, open_it: bool) -> None:
        if (found := self.selected) is None or found.kind is not Kind.SESSION:
            self.app.warn("Only a session has further lines to show.")
            return
        if (found.name in self._unfolded) is open_it:
            self.app.say("Its further lines are shown." if open_it else "Its further lines are hidden.")
            return
        (self._unfolded.add if open_it else self._unfolded.discard)(found.name)
        self._show(self.query_text, self._groups)

    def action_move(self, rows: int) -> None:
        self.results.action_move(rows)

    def action_page(self, pages: float) -> None:
        self.results.action_page(pages)

    def action_switch(self) -> None:
        self.set_focus(self.results if self.focused is not self.results else self.query_one("#query"))

    def action_type(self) -> None:
        self.set_focus(self.query_one("#query"))

    @on(events.Click, "#search-scope")
    def action_scope(self) -> None:
        scopes = [scope for scope in Scope if scope is not Scope.SESSION or self._session]
        self._scope = scopes[(scopes.index(self._scope) + 1) % len(scopes)]
        self.query_one("#search-scope", Label).update(Content(f" │ {self._scope} "))
        self._search(self.query_text)

    def action_copy(self, form: str) -> None:
        found = self.selected
        if found is None:
            self.app.warn("Nothing is selected.")
        elif found.kind is Kind.MEMORY and form == PROMPT:
            self.app.copy_restoring(found.name)
        elif text := _known_by(found, form):
            self.app.copy_text(text)
        else:
            self.app.warn(f"{NOT_RESUMED}.")

    @on(Input.Submitted, "#query")
    @on(RowList.Opened)
    def action_open(self) -> None:
        found = self.selected
        if found is None:
            self.app.warn("Nothing is selected.")
        elif found.kind is Kind.PIN and found.path is None:
            self.app.warn("The session that this pin comes from is not here.")
        elif found.path is not None:  # over the results, which stay
            self._read(found, found.path)
        else:
            self._read_text(found)

    def action_show(self) -> None:
        """Go to the selected result in its pane, where it can be acted on."""
        found = self.selected
        if found is None or found.kind in (Kind.SESSION, Kind.PIN):
            self.app.warn("Only memories, captures and session states have a row in a pane.")
        elif found.project and found.kind is not Kind.STATE:
            self.app.warn(f"This {found.kind.value} belongs to {clean_line(found.project)}.")
        else:
            self.dismiss(found)

    @reported("reading a result", group="read", exclusive=True)
    async def _read_text(self, found: Result) -> None:
        from memtui.app.screens.dialogs import ReadingScreen

        asked = parse_search(self.query_text)
        document, line = await asyncio.to_thread(search.text_document, found, asked)
        title = f"{found.kind.value.capitalize()} {clean_line(found.name)}"
        self.app.push_screen(ReadingScreen(title, document, at=line))

    @reported("opening a transcript", group="read", exclusive=True)
    async def _read(self, found: Result, path: Path) -> None:
        if found.file.stem:  # it is packed
            path = await asyncio.to_thread(Archive(self.model.places.home).readable_at, path)
        marks = parse_search(self.query_text).marks(found.text)
        words = dict.fromkeys(found.text[start:end].lower() for start, end in marks)
        # Of several forms of a word the shortest, which is in the others.
        forms = [each for each in words if not any(each != word and each.startswith(word) for word in words)]
        forms = [each for each in forms if "\n" not in each]
        find = Query(self.query_text.lower() if forms else "", tuple(forms))
        self.app.open_transcript(path, found.line, find=find)

    def action_resume(self, fork: bool = False) -> None:
        if (found := self.selected) is None or found.kind is not Kind.SESSION or found.path is None:
            self.app.warn("Only a session can be resumed.")
        else:
            resume(self, found.path, fork=fork)


def _known_by(found: Result, form: str) -> str:
    """The text to copy for a result: its name, or a command with it; "" if Claude Code cannot resume it."""
    if form == "{id}":
        return found.title if found.kind is Kind.PIN else found.name
    if found.kind in (Kind.SESSION, Kind.STATE):
        return typed_command(found.name, "")
    if found.kind is Kind.CAPTURE:
        return f"memtui review {found.name}"
    return form.format(id=found.name) if found.kind is Kind.MEMORY else found.title
