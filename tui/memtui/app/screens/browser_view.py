"""The browser as it is seen: four panes, the detail of what is selected, kept equal to the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import DescendantFocus
from textual.message import Message
from textual.screen import Screen

from memtui.app.browser import Browser
from memtui.app.commands import PANE_TITLES, PaneId, footer_commands
from memtui.app.live import Live, Liveness, Mark
from memtui.app.panes.commands import CommandsPane
from memtui.app.panes.memories import MemoriesPane
from memtui.app.panes.pane import Detail, Pane, Progress
from memtui.app.panes.pending import PendingPane
from memtui.app.panes.state import StatePane
from memtui.app.views import (
    BranchView,
    CapturesView,
    CommandsView,
    DraftWanted,
    HealthView,
    MemoriesView,
    PaneView,
    StateView,
    View,
)
from memtui.app.widgets.document import Document
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.key_bar import KeyBar
from memtui.app.widgets.row_list import RowList
from memtui.app.widgets.status_bar import StatusBar, live_mark
from memtui.app.widgets.tab_strip import Tab, TabStrip
from memtui.failures import explain

if TYPE_CHECKING:
    from memtui.app.host import HostApp

_PAUSE = 0.06
"""Seconds the selection must rest before something slow is read for it."""
_AGE_STEP = 20.0
"""Seconds between redraws that let ages move on."""


class Published(Message):
    """The background made a newer view of something."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view


class Progressed(Message):
    """A slow detail is this far."""

    def __init__(self, detail: Detail, share: float) -> None:
        super().__init__()
        self.detail = detail
        self.share = share

    def can_replace(self, message: Message) -> bool:
        """Only the last one counts."""
        return isinstance(message, Progressed)


class SoFar(Message):
    """A slow detail has something to show already."""

    def __init__(self, detail: Detail, document: Document) -> None:
        super().__init__()
        self.detail = detail
        self.document = document


class Marked(Message):
    """The live mark changed."""

    def __init__(self, liveness: Liveness) -> None:
        super().__init__()
        self.liveness = liveness


class BrowserView(Screen[None]):
    """The panes and the detail, kept up to date; what the keys do is added by `BrowserScreen`."""

    if TYPE_CHECKING:
        app: HostApp

    AUTO_FOCUS = "#pending"

    def __init__(self, browser: Browser, *, note: str = "") -> None:
        super().__init__()
        self.browser = browser
        self.note = note
        self.panes: dict[PaneId, Pane] = {
            PaneId.PENDING: PendingPane(browser),
            PaneId.MEMORIES: MemoriesPane(browser),
            PaneId.COMMANDS: CommandsPane(browser),
            PaneId.STATE: StatePane(browser),
        }
        self.current_id = PaneId.PENDING
        self.pane.add_class("-current", update=False)
        self.live = Live(
            browser.targets,
            self._compare,
            lambda mark: self.tell(Marked(mark)),
            self._explain_failure,
            lambda: browser.unfinished,
        )
        self.health: HealthView | None = None
        self.wanted: Detail | None = None
        self._shown: str | None = None
        self._first_paint = asyncio.Event()

    # -- building -------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Few widgets on purpose: the first paint waits for each, and a restyle visits all of them."""
        yield StatusBar()
        yield TabStrip(id="tabs")
        with Horizontal(id="body"):
            with Vertical(id="panes"):
                yield from self.panes.values()
            yield DocumentView(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start looking at the disk; everything after this comes as messages."""
        bar = self.query_one(StatusBar)
        bar.project = self.browser.project.name
        bar.note = self.note
        for pane in self.panes.values():
            pane.show_rows()
        for view in self.browser.glance():
            self.on_published(Published(view))
        self.make_current(PaneId.PENDING)
        self.call_after_refresh(self._painted)
        self.set_interval(_AGE_STEP, self._let_time_pass)

    def _painted(self) -> None:
        """The first paint is out: now the models and stores may take their time to be imported."""
        self._first_paint.set()
        self.live.start()

    def on_unmount(self) -> None:
        """Nothing may keep the program from ending."""
        self.wanted = None
        self.browser.stop()
        self.live.stop(timeout=0.5)

    # -- what comes from the background ---------------------------------------------------------------------

    def _compare(self, names: frozenset[str]) -> None:
        self.browser.compare(names, lambda view: self.tell(Published(view)))

    def _explain_failure(self, error: Exception) -> str:
        return explain(self.app.log_file, "looking at the disk", error)

    def tell(self, message: Message) -> None:
        """Post from another thread; the screen may be gone by now, and then nobody needs to know."""
        if self.is_attached:
            self.post_message(message)

    def on_marked(self, message: Marked) -> None:
        """Show the live mark."""
        self.query_one(StatusBar).liveness = message.liveness
        self.query_one(TabStrip).mark = live_mark(message.liveness).truncate(12, ellipsis=True)
        if message.liveness.mark is Mark.LOST and self.has_class("-short"):
            # There is no room for the reason in the strip of tabs.
            self.app.say(f"Not up to date: {message.liveness.reason}", severity="warning")

    def on_published(self, message: Published) -> None:
        """Hand a view to whom it concerns."""
        view = message.view
        if isinstance(view, BranchView):
            self.query_one(StatusBar).branch = view.branch
        elif isinstance(view, HealthView):
            self.health = view
            self._tell_health()
            self.offer_keys()
        elif not isinstance(view, DraftWanted):
            self.apply(view)

    def apply(self, view: PaneView) -> None:
        """Show a newer view in its pane."""
        pane = self.panes[_PANE_OF[type(view)]]
        pane.apply(view)
        if isinstance(pane, MemoriesPane):
            self._read_unread(pane, pane.in_sight)
        self.update_tabs()
        if pane is self.pane:
            self.show_detail()

    def _tell_health(self) -> None:
        from memtui.app.health import told

        if self.health is not None:
            self.query_one(StatusBar).health = told(self.health, self.browser.clock())

    def _let_time_pass(self) -> None:
        self._tell_health()
        for pane in self.panes.values():
            pane.refresh_rows()

    # -- panes ----------------------------------------------------------------------------------------------

    @property
    def pane(self) -> Pane:
        """The pane that keys act on: the one focused last."""
        return self.panes[self.current_id]

    def make_current(self, pane_id: PaneId) -> None:
        """Make a pane the current one, whether or not it has the focus."""
        self.current_id = pane_id
        for other in self.panes.values():
            other.set_class(other.pane_id is pane_id, "-current")
        self.offer_keys()
        self.update_tabs()
        self.show_detail()

    @property
    def offers(self) -> frozenset[str]:
        """The actions that have something to do now, of those that do not always."""
        view = self.health
        backfill = view is not None and bool(view.missing)
        install = view is not None and not view.installed
        return frozenset(name for name, has in (("backfill", backfill), ("install", install)) if has)

    def offer_keys(self) -> None:
        """Let the key bar show what can be done where the focus is."""
        reading = self.focused is self.detail_view
        offered = footer_commands(self.current_id, reading=reading, offers=self.offers)
        self.query_one(KeyBar).keys = tuple(
            (command.shown, command.label, command.binding_action) for command in offered
        )

    def focus_pane(self, pane_id: PaneId) -> None:
        """Go to a pane."""
        self.remove_class("-reading")
        self.make_current(pane_id)
        self.set_focus(self.pane)

    def update_tabs(self) -> None:
        """The strip of the short layout says what the borders say."""
        self.query_one(TabStrip).tabs = tuple(
            Tab(str(pane.number), PANE_TITLES[pane_id], pane.told_briefly(), pane_id is self.current_id)
            for pane_id, pane in self.panes.items()
        )

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Clicking or tabbing into a pane makes it the current one; into the detail is reading it."""
        if isinstance(event.widget, Pane):
            self.remove_class("-reading")
        elif event.widget is self.detail_view:
            self.add_class("-reading")
        if isinstance(event.widget, Pane) and event.widget is not self.pane:
            self.make_current(event.widget.pane_id)
        else:
            self.offer_keys()

    @on(TabStrip.Chosen)
    def _tab_chosen(self, message: TabStrip.Chosen) -> None:
        self.focus_pane(list(self.panes)[message.index])

    @on(KeyBar.Pressed)
    async def _key_pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)

    # -- detail ---------------------------------------------------------------------------------------------

    @property
    def detail_view(self) -> DocumentView:
        """Where the selected item is shown."""
        return self.query_one("#detail", DocumentView)

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted) -> None:
        if message.row_list is self.pane:
            self.show_detail()

    @on(RowList.Opened)
    def _opened(self, message: RowList.Opened) -> None:
        self.call_later(self.run_action, "screen.run('open')")

    def show_detail(self) -> None:
        """Show the selected item: at once what is known, later what has to be read."""
        detail = self.pane.detail(self.pane.selected)
        same = self.wanted is not None and self.wanted.key == detail.key
        self.wanted = detail
        self.detail_view.border_title = Content(detail.title)
        if detail.document is not None and not (same and detail.work is not None):
            self._show(detail, detail.document)
        if detail.work is not None:
            self._make_detail(detail, detail.work)
        else:
            self.detail_view.border_subtitle = ""

    @work(group="detail", exclusive=True, exit_on_error=False)
    async def _make_detail(self, detail: Detail, make: Callable[[Progress], Document]) -> None:
        await asyncio.sleep(_PAUSE)
        await self._first_paint.wait()

        def tell(share: float) -> None:
            self.tell(Progressed(detail, share))

        progress = Progress(
            tell, lambda: self.wanted is not detail, lambda document: self.tell(SoFar(detail, document))
        )
        with self.app.reporting("reading what is selected", wanted=lambda: self.wanted is detail):
            document = await asyncio.to_thread(make, progress)
            if self.wanted is detail:
                self.detail_view.border_subtitle = ""
                self._show(detail, document)

    def _show(self, detail: Detail, document: Document) -> None:
        """Show a document: at its top, unless it is a newer one of the item that is shown already."""
        self.detail_view.show(document, keep_scroll=self._shown == detail.key)
        self._shown = detail.key

    def on_so_far(self, message: SoFar) -> None:
        """Show what is known of a slow detail."""
        if self.wanted is message.detail:
            self._show(message.detail, message.document)

    def on_progressed(self, message: Progressed) -> None:
        """Show how far a slow detail is."""
        if self.wanted is message.detail and message.share < 1:
            self.detail_view.border_subtitle = Content(f"reading the transcript {message.share:.0%}")

    @on(RowList.Window)
    def _rows_in_sight(self, message: RowList.Window) -> None:
        pane = message.row_list
        if isinstance(pane, MemoriesPane):
            self._read_unread(pane, message.keys)

    def _read_unread(self, pane: MemoriesPane, keys: Iterable[str]) -> None:
        if unread := pane.unread(keys):
            self._read_heads(pane, unread)

    @work(group="heads", exclusive=True, exit_on_error=False)
    async def _read_heads(self, pane: MemoriesPane, keys: list[str]) -> None:
        await self._first_paint.wait()
        with self.app.reporting("reading memories"):
            if await asyncio.to_thread(pane.read_heads, keys):
                pane.refresh_rows()


_PANE_OF: dict[type, PaneId] = {
    CapturesView: PaneId.PENDING,
    MemoriesView: PaneId.MEMORIES,
    CommandsView: PaneId.COMMANDS,
    StateView: PaneId.STATE,
}
