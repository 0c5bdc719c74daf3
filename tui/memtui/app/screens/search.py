"""Searching sessions, memories, Claude's own, captures and session states while typing."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import Input, Label

from memtui.app.base import PROMPT, RESTORES, OwnScreen, hidden, reported
from memtui.app.details.memory import recovery_lines
from memtui.app.project import ProjectModel
from memtui.app.screens.session_files import resume
from memtui.app.widgets.document import EMPTY, Document, Line, Span, line, plain, styled
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import TypedLine
from memtui.app.widgets.row_list import RowList, row
from memtui.app.widgets.wrap import without_root
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import age, local_minute, parse_iso, short_age
from memtui.store.archive import Archive
from memtui.store.search import HEADINGS, ROWS, Group, Result, Scope, not_found, with_snippet
from memtui.store.search_query import Kind, Search, parse_search
from memtui.store.session_list import NOT_RESUMED, typed_command
from memtui.transcript.line_index import Query
from memtui.transcript.messages import Role
from memtui.transcript.short_text import shortened

_NOTED = 60
_RECENT = 5  # results of each kind that are shown while nothing is typed
_MARKS = {
    Kind.MEMORY: ("M", "a memory"),
    Kind.CLAUDE: ("✦", "a memory of Claude's"),
    Kind.FILE: ("✎", "a file that was edited; before a memory: a review's memory file"),
    Kind.CAPTURE: ("C", "a capture"),
    Kind.STATE: ("S", "a session state"),
    Kind.PIN: ("!", "a pin"),
}
_WHAT = {
    "ask": ("❯", "what you asked"),
    "said": ("●", "what Claude said"),
    "command": ("$", "a command that ran"),
    "edit": ("✎", "a file that was edited"),
    "read": ("▤", "a file that was read"),
    "call": ("◇", "another tool that Claude used"),
    "result": ("⎿", "what a tool said"),
    "error": ("✗", "an error of a tool"),
    "summary": ("▼", "a compaction's summary"),
    "inserted": ("§", "what Claude Code inserted, as the text of a skill or command"),
}
SEARCH_SIGNS = dict([*_WHAT.values(), ("⑂", "by a subagent"), *_MARKS.values()])


class Heading(NamedTuple):
    """A row above results."""

    text: str
    session: str = ""  # the beginning of its id, of a session
    said: str = ""  # further notes: archived, project
    rest: str = ""  # the further rows of the session that ``→`` shows, or that all are shown
    when: datetime | None = None


def draw(found: Result | Heading, now: datetime, width: int, root: Path) -> Content:
    """A row; paths in `root` are shown as from there."""
    ago = short_age(found.when, now) if found.when else ""
    if isinstance(found, Heading):
        notes = (found.said if width >= _NOTED else "", found.rest, ago)
        lead = f" {found.session}  " if found.session and width >= _NOTED else " " if found.session else ""
        return row([lead, without_root(found.text, root)], " · ".join(filter(None, notes)), width)
    if found.kind is Kind.SESSION:
        lead = f" {'⑂' if found.agent else ' '}{_WHAT[found.what][0]} "
        return row([(lead, "$quiet"), _shown(found, width - len(lead), root)], "", width)
    name = Content(without_root(clean_line(found.title), root))
    if found.marks:  # the match matters more than the whole title
        name = Content.assemble(name.truncate(width // 3, ellipsis=True), "  ")
        name = Content.assemble(name, _shown(found, width - name.cell_length - 8, root))
    return row([(f"{_MARKS[found.kind][0]} ", "$quiet"), name], ago, width)


def rows_of(
    groups: Collection[Group], *, recent: bool, unfolded: Collection[str] = (), notes: Iterable[str] = ()
) -> Iterable[tuple[str, Result | Heading]]:
    """Rows by unique keys: what was not understood or found; a heading for each kind, then its results."""
    if any(group.results for group in groups):
        yield from ((f"# {sentence}", Heading(f"⚠ {sentence}")) for sentence in notes)
    for group in groups:
        kind, total, some = group.kind, group.total, group.results
        if recent:
            some = () if kind is Kind.SESSION else some[:_RECENT]
        if some:
            count = "recent" if recent else f"{total}" if total == len(some) else f"{len(some)} of {total:,}"
            so_far = "" if group.complete else " · not all searched yet"
            yield f"# {kind}", Heading(f"{HEADINGS[kind]}  {count}{so_far}")
            of_documents = ((each.key, each) for (each,) in some)
            yield from _sessions(group, unfolded) if kind is Kind.SESSION else of_documents


def _sessions(group: Group, unfolded: Collection[str]) -> Iterable[tuple[str, Result | Heading]]:
    """A heading for each session, and its best rows; all of an unfolded one."""
    for turns in group.results:
        best, name, title = turns[0], turns[0].name, clean_line(turns[0].title)
        rest = f"{len(turns) - ROWS}{'+' * group.more} more →" * (len(turns) > ROWS)
        if rest and name in unfolded:
            rest = f"{'the best' if group.more else 'all'} {len(turns)} lines"
        yield f"# session {name}", Heading(title, clean_line(name)[:8], best.said, rest, best.when)
        shown = turns if name in unfolded else turns[:ROWS]
        outputs_last = sorted(shown, key=lambda turn: turn.what in ("result", "error"))
        yield from ((turn.key, turn) for turn in outputs_last)


def _shown(found: Result, room: int, root: Path) -> Content:
    """The match on one line, with the matching parts marked: from where most of them are to be seen."""
    line, hits = Content(""), list[tuple[int, str]]()
    for piece, hit in found.pieces():
        if hit:
            hits.append((len(line), piece.lower()))
        text = " ".join(piece.split("\n"))
        text, style = (text, "bold $warning") if hit else (without_root(text, root), "$quiet")
        line += Content.styled(text, style)
    over = line.cell_length - room
    if not hits and found.what in ("edit", "read"):  # of a file's path, the name is what is looked for
        path = without_root(clean_line(found.text.partition("\n")[0]), root)
        is_path = line.plain.startswith(f"{path} ")  # with its blanks
        end = len(path) if is_path else line.plain.find(" ") % (len(line) + 1)
        name = line.plain.rfind("/", 0, end) + 1
        if found.what == "edit" and line[end + 1 :]:
            left = max(room // 3, room - line[name:end].cell_length - 2)
            change = line[end + 1 :].truncate(left, ellipsis=True, pad=True)
            return Content.assemble(change, "  ", line[name:end])
        start = min(over + 1, name) if over > 0 else 0
        return Content.styled("…", "$quiet") + line[start:] if start else line
    if over <= 0 or not hits:
        return line
    seen = room * 2 // 3
    first = max((at for at, _ in hits), key=lambda at: len({hit for to, hit in hits if 0 <= to - at < seen}))
    start = max(0, min(first - (room - seen), line.cell_length - room + 1))
    start = line.plain.find(" ", start, first) + 1 or start
    return Content.styled("…", "$quiet") + line[start:] if start else line


_NEAR = 80  # characters before a match that leave it in view
NARROW = "“Words in quotes”, edited: read: cmd: in: before: after: narrow it down."
HINT = f"Ask as you would ask a person. {NARROW}"


def result_document(found: Result | None, text: str, now: datetime, short: bool = False) -> Document:
    if found is None:
        return EMPTY
    query = parse_search(text)
    if found.kind is Kind.SESSION:
        return _turn(found, query, short)
    when = f" · {local_minute(found.when)} · {age(found.when, now)}" if found.when else ""
    rows = recovery_lines(clean(found.text))
    whole = Document(rows).text
    at = query.first(whole)
    first = whole.count("\n", 0, at) if at > _NEAR else 0
    said = ((f" · {found.said}" if found.said else "") + "  …" * (first > 0), "dim")
    head = styled((f"{found.kind.value} ", "label"), (found.name, "accent"), (when, "dim"), said)
    hint = [] if text.strip() else [line(HINT, "dim"), line("")]
    shown = (_marked(row, query) for row in rows[first : first + 300])
    return Document([*hint, line(found.title, "strong"), head, *shown])


def text_document(found: Result, query: Search) -> tuple[Document, int]:
    """The full text of a result with matches marked, and the number of the first matching line."""
    rows = recovery_lines(clean(found.text))
    first = next((number for number, row in enumerate(rows) if query.marks(row.text)), 0)
    return Document(_marked(row, query, "hit") for row in rows), first


def _turn(found: Result, query: Search, short: bool) -> Document:
    """The message found, and the next ones, as in the transcript; `short` leaves out what its row says."""
    lines: list[Line] = []
    for message in islice(found.messages(), 5):
        here = not lines
        what = message.role.name.lower()
        when = parse_iso(message.timestamp)
        moment = f" {local_minute(when)}" if when and not short else ""
        path = message.path if message.role is Role.EDIT else ""
        name = f"  {path.rpartition('/')[2]}" if path else ""
        text = message.text.removeprefix(f"{path}\n")
        near = _from_match(text, query) if here else shortened(message.text, 400)
        name += "  …" if here and near != text else ""
        lines.append(line(f"L{message.line}{moment}  {what}{name}", "label" if here else "dim"))
        rows = plain(message.text if near == text and not short else near).lines
        if message.role is Role.EDIT:
            roles = {"- ": "bad", "+ ": "good"}
            rows = tuple(row._replace(role=roles.get(row.text[:2], "")) for row in rows)
        lines += (_marked(row, query) for row in rows)
    return Document(lines)


def _from_match(text: str, query: Search) -> str:
    """A text from its best match on, with the beginning of the line, unless that is far."""
    at = query.first(text)
    start = text.rfind("\n", 0, at) + 1
    if at - start > _NEAR:
        return f"…{text[text.find(' ', at - _NEAR, at) + 1 or at - _NEAR :]}"
    return text[start:] if at > _NEAR else text


def _marked(row: Line, query: Search, role: str = "warn") -> Line:
    return row._replace(spans=(*row.spans, *(Span(start, end, role) for start, end in query.marks(row.text))))


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
    signs = SEARCH_SIGNS
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
        rows = rows_of(groups, recent=not text.strip(), unfolded=self._unfolded, notes=notes)
        self._found = dict(rows)
        listing = self.results
        if self._found:
            listing.empty = "…"
        elif not all(group.complete for group in groups):
            listing.empty = "The index is busy or being made; what it finds comes by itself."
        elif text.strip():
            kinds, (where, further) = ", ".join(asked.kinds), _SEARCHED[self._scope]
            nothing = f"Nothing was found for “{clean_line(text)}” {where} ({kinds}){further}."
            listing.empty = "\n\n".join([nothing, *asked.unread, NARROW])
        else:
            listing.empty = f"Nothing to search in yet.\n\n{HINT}"
        listing.set_rows(tuple(self._found))
        if first:  # of a new query, or of one whose best hit was selected while typing
            listing.action_first()
        self._show_selected()

    def _draw(self, key: str, width: int) -> Content:
        found = self._read_row(key)
        root = self.model.places.project.root
        return draw(found, self.model.clock(), width, root) if found else Content("")

    @on(RowList.Highlighted)
    @reported("reading a result", group="detail", exclusive=True)
    async def _show_selected(self) -> None:
        view = self.query_one("#hit", DocumentView)
        asked, short = (self.selected, self.query_text, self.model.clock()), self.has_class("-short")
        make = partial(result_document, *asked, short)
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

        query = parse_search(self.query_text)
        document, line = await asyncio.to_thread(text_document, found, query)
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
