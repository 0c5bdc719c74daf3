"""Searching memories, captures and session states as one types."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Label

from memtui.app.keys.screen_commands import SEARCH
from memtui.app.model.browser import Browser
from memtui.app.model.searching import Group, Kind, Result, Searcher
from memtui.app.model.views import CaptureRow
from memtui.app.panes.pane import row
from memtui.app.widgets.document import EMPTY, Document, line, styled
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.key_bar import KeyBar
from memtui.app.widgets.row_list import RowList
from memtui.clean import clean_line
from memtui.clock import age, local_minute, short_age, short_time
from memtui.store.base import NOT_ALL_SEARCHED

if TYPE_CHECKING:
    from memtui.app.host import HostApp
    from memtui.store.listing import Entry

_PAUSE = 0.08
"""Seconds that typing must rest before a search begins."""
_WIDE = 100
"""Columns from which a row has room for the place where the query stands."""
_TITLE = 46
_RECENT = {Kind.MEMORY: 8, Kind.FILE: 3, Kind.CAPTURE: 5, Kind.STATE: 3}
"""How many of each kind show before anything is typed."""
_HEADINGS = {
    Kind.MEMORY: "Memories",
    Kind.FILE: "Memory files of reviews",
    Kind.CAPTURE: "Captures",
    Kind.STATE: "Session states",
}
_MARKS = {Kind.MEMORY: "M", Kind.FILE: "✎", Kind.CAPTURE: "C", Kind.STATE: "S"}
_SO_FAR = " · not all searched yet"
_HINT = "All words have to be there, anywhere; “several words” in quotes stand together."


class SearchInput(Input):
    """What is typed searches at once; the arrows move in the results meanwhile."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "screen.move(1)", show=False),
        Binding("up", "screen.move(-1)", show=False),
        Binding("pagedown", "screen.page(1.0)", show=False),
        Binding("pageup", "screen.page(-1.0)", show=False),
    ]


class SearchScreen(Screen[Result | None]):
    """A line to type in, what it finds below it, and the place that was found."""

    CSS_PATH = "../styles/search.tcss"

    if TYPE_CHECKING:
        app: HostApp

    TABLE = SEARCH
    AUTO_FOCUS = "#query"
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(
        self, browser: Browser, captures: Iterable[CaptureRow], files: Iterable[Entry], *, query: str = ""
    ) -> None:
        """Make the screen.

        Args:
            browser: what to search in.
            captures: the captures as they are listed.
            files: the memory files of reviews as they are listed.
            query: what to search for at first.
        """
        super().__init__()
        self.browser = browser
        self.query_text = query
        self._captures = tuple(captures)
        self._files = tuple(files)
        self._searcher = Searcher(browser)
        self._found: dict[str, Result | str] = {}
        self._gone = False

    def compose(self) -> ComposeResult:
        """The line, the results, the place found, the keys."""
        with Horizontal(id="search-line"):
            yield Label(Content(" search "), id="search-label")
            yield SearchInput(
                self.query_text,
                id="query",
                compact=True,
                select_on_focus=False,
                placeholder="memories, captures, session states",
            )
        yield RowList(
            self._draw, is_header=lambda key: isinstance(self._found.get(key), str), empty="…", id="results"
        )
        yield DocumentView(id="hit")
        yield KeyBar()

    def on_mount(self) -> None:
        """Search for what was searched last, or show what is recent."""
        self.query_one("#hit").can_focus = False
        self.query_one("#query", SearchInput).action_select_all()  # what is typed now begins anew
        self._search(self.query_text)

    def on_unmount(self) -> None:
        """Searching ends when nobody waits for it."""
        self._gone = True

    @property
    def results(self) -> RowList:
        """What was found."""
        return self.query_one("#results", RowList)

    @property
    def selected(self) -> Result | None:
        """What the keys act on."""
        found = self._found.get(self.results.selected or "")
        return found if isinstance(found, Result) else None

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self.query_text:
            self.query_text = event.value
            self._search(event.value)

    @work(group="search", exclusive=True, exit_on_error=False)
    async def _search(self, text: str) -> None:
        """Search for a text: memories first, then the rest; what is found too late is dropped."""

        def stale() -> bool:
            return self._gone or text != self.query_text

        await asyncio.sleep(_PAUSE)
        self.query_one("#search-line").add_class("-busy")
        groups: list[Group] = []
        with self.app.reporting("searching", wanted=lambda: not stale()):
            for look in (
                lambda: self._searcher.memories(text),
                lambda: self._searcher.files(text, self._files, stale),
                lambda: self._searcher.captures(text, self._captures, stale),
                lambda: self._searcher.states(text, stale),
            ):
                groups.append(await asyncio.to_thread(look))
                if stale():
                    return
                self._show(text, groups, first=len(groups) == 1)
        if not stale():
            self._show(text, groups, done=True)
            self.query_one("#search-line").remove_class("-busy")

    def _show(self, text: str, groups: Iterable[Group], *, first: bool = False, done: bool = False) -> None:
        groups = tuple(groups)
        self._found = dict(_rows(groups, recent=not text.strip()))
        listing = self.results
        if self._found or not done:
            listing.empty = "…"
        elif text.strip():
            hint = _HINT if all(group.complete for group in groups) else NOT_ALL_SEARCHED
            listing.empty = f"Nothing matches “{clean_line(text)}”.\n\n{hint}"
        else:
            listing.empty = f"Nothing to search in yet.\n\n{_HINT}"
        listing.set_rows(tuple(self._found))
        listing.refresh_rows()
        if first:  # of another query: its best hit is what one wants
            listing.action_first()
        self._show_selected()

    def _draw(self, key: str, width: int) -> Content:
        found = self._found.get(key)
        if not isinstance(found, Result):
            return Content(found or "")
        now = self.browser.clock()
        title, when = clean_line(found.title), found.when
        if width < _WIDE:
            ago = short_age(when, now) if when else ""
            return row([(f"{_MARKS[found.kind]} ", "$quiet"), title], ago, width)
        time = f"{short_time(when, now):<8}" if when else " " * 8
        lead = f"{found.name:<22}" if found.kind is Kind.MEMORY else f"{found.kind.value:<22}"
        name = Content(title).truncate(_TITLE, ellipsis=True, pad=True)
        pieces = [
            Content.styled(" ".join(piece.split("\n")), "bold $warning" if hit else "$quiet")
            for piece, hit in found.pieces()
        ]
        return row([(time, "$quiet"), (lead, "$accent"), name, "  ", *pieces], "", width)

    @on(RowList.Highlighted)
    def _moved(self) -> None:
        self._show_selected()

    def _show_selected(self) -> None:
        found = self.selected
        self.query_one("#hit", DocumentView).show(self._document(found) if found else EMPTY)

    def _document(self, found: Result) -> Document:
        when = (
            f" · {local_minute(found.when)} · {age(found.when, self.browser.clock())}" if found.when else ""
        )
        head = styled(
            (f"{found.kind.value} ", "label"),
            (found.name, "accent"),
            (when, "dim"),
            (f" · {found.said}" if found.said else "", "dim"),
        )
        parts = [(piece, "warn" if hit else "") for piece, hit in found.pieces()]
        place = styled(*parts) if self.query_text.strip() else line(_HINT, "dim")
        return Document([line(found.title, "strong"), place, head])

    def on_descendant_focus(self) -> None:
        """The keys at the bottom are those of where the focus is."""
        typing = self.focused is not self.results
        self.query_one(KeyBar).keys = self.TABLE.bar("query" if typing else "results")

    @on(KeyBar.Pressed)
    async def _key_pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)

    def action_move(self, rows: int) -> None:
        """Move in the results while typing."""
        self.results.action_move(rows)

    def action_page(self, pages: float) -> None:
        """Page in the results while typing."""
        self.results.action_page(pages)

    def action_switch(self) -> None:
        """Go from the line to the results, or back."""
        self.set_focus(self.results if self.focused is not self.results else self.query_one("#query"))

    def action_type(self) -> None:
        """Go back to the line."""
        self.set_focus(self.query_one("#query"))

    def action_copy(self, form: str) -> None:
        """Copy the Recovery ID of the selected memory, or the words that restore it."""
        found = self.selected
        if found is None:
            self.app.say("Nothing is selected.", severity="warning")
        elif found.kind is not Kind.MEMORY:
            self.app.say(f"A {found.kind.value} has no Recovery ID.", severity="warning")
        else:
            self.app.copy_text(form.format(id=found.name))

    @on(Input.Submitted, "#query")
    @on(RowList.Opened)
    def action_open(self) -> None:
        """Open what is selected."""
        if self.selected is None:
            self.app.say("Nothing is selected.", severity="warning")
        else:
            self.dismiss(self.selected)

    def action_leave(self) -> None:
        """Go back to where one was."""
        self.dismiss(None)


def _rows(groups: Iterable[Group], *, recent: bool) -> Iterable[tuple[str, Result | str]]:
    """Rows by unique keys: a heading for each kind, then what was found of it."""
    groups = tuple(groups)
    anything = any(group.results for group in groups)
    for kind, results, total, complete in groups:
        some = results[: _RECENT[kind]] if recent else results
        if some or (anything and not complete):
            told = "recent" if recent else f"{total}" if total == len(some) else f"{len(some)} of {total:,}"
            yield f"# {kind}", f"{_HEADINGS[kind]}  {told}{'' if complete else _SO_FAR}"
            yield from ((result.key, result) for result in some)
