"""The main screen: four panes and the detail of the selected row, kept in step with the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from inspect import isawaitable
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.events import DescendantFocus

from memtui.app.host import Host
from memtui.app.keys.commands import PANE_TITLES, Command, PaneId, bindings, elsewhere, footer_commands
from memtui.app.model.first_views import first_views
from memtui.app.model.project_model import Browser
from memtui.app.model.views import PaneView
from memtui.app.panes.detail import DetailReader
from memtui.app.panes.pane import Pane
from memtui.app.panes.stack import PaneStack
from memtui.app.panes.state import StatePane
from memtui.app.screens.browser_actions import BrowserActions, Panes
from memtui.app.screens.browser_updates import Feed, Kept, Published
from memtui.app.screens.going_back import GoingBack
from memtui.app.screens.single_layout import StyledOnce
from memtui.app.screens.update_dispatch import Arrivals
from memtui.app.screens.windows import ScreenWindows
from memtui.app.settings import DEFAULTS, Preferences, save_split
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.input_line import FILTER_HINT, InputLine
from memtui.app.widgets.key_bar import KeyBar
from memtui.app.widgets.row_list import RowList
from memtui.app.widgets.split import Split
from memtui.app.widgets.status_bar import StatusBar
from memtui.app.widgets.tab_strip import Tab, TabStrip

_AGE_STEP = 20.0
"""Seconds between redraws that update ages."""


class BrowserScreen(StyledOnce):
    """Composes the panes and the detail, moves the focus, and maps actions to their handlers."""

    AUTO_FOCUS = "#pending"

    def __init__(
        self,
        browser: Browser,
        commands: Sequence[Command],
        *,
        note: str = "",
        settings: Preferences = DEFAULTS,
    ) -> None:
        """Make the screen.

        Args:
            browser: the project's model.
            commands: the commands, with the user's own keys.
            note: a remark about this run, for the status line.
            settings: the user's settings.
        """
        super().__init__()
        self._bindings = BindingsMap.merge([BindingsMap(bindings(commands)), self._bindings])
        self._commands = {command.action: command for command in commands}
        self.browser = browser
        self.note = note
        self._settings = settings
        self.panes_by_kind = panes = Panes.of(browser)
        self.panes: dict[PaneId, Pane] = panes.by_id()
        self.current_id = PaneId.PENDING
        self.pane.add_class("-current", update=False)
        self.painted = asyncio.Event()
        self.feed = Feed(self, browser, settings.warn)
        self.host: Host = self.feed.host
        self.detail_view = DocumentView(id="detail")
        self.split = Split(id="body", columns=settings.columns)
        self.detail = DetailReader(self.host, self.detail_view, self.painted)
        windows = ScreenWindows(self, browser)
        self.actions = BrowserActions(
            self, browser, panes, windows, lambda: self.feed.health, self.feed.show_remotes
        )
        ring = (lambda: self.app.bell()) if settings.bell else None
        self.arrivals = Arrivals(self, self.feed, panes, self.actions, ring)
        going = GoingBack(self, self, self.split, self.detail_view, self.actions)
        self.handlers: dict[str, Callable[[], Any]] = {
            **self.actions.handlers(),
            "open": self.read_selected,
            "back": going.back,
            "filter": self._open_filter,
            "zoom": going.zoom,
            "help": lambda: windows.help(self.current_id, commands),
        }

    def compose(self) -> ComposeResult:
        """Few widgets on purpose: the first paint waits for each, and a restyle visits all of them."""
        yield StatusBar()
        yield TabStrip(id="tabs")
        with self.split:
            with PaneStack(id="panes"):
                yield from self.panes.values()
            yield self.detail_view
        yield KeyBar()

    def on_mount(self) -> None:
        """Start watching the disk; everything after this comes as messages."""
        self.feed.show_project(self.note)
        for pane in self.panes.values():
            pane.show_rows()
        for view in first_views(self.browser.places):
            self.on_published(Published(view))
        self.make_current(PaneId.PENDING)
        self.call_after_refresh(self._painted)
        self.set_interval(_AGE_STEP, self.arrivals.let_time_pass)

    def _painted(self) -> None:
        """After the first paint, models and stores may be imported."""
        self.painted.set()
        self.feed.start()
        self.actions.sharing.start(self._settings.sync_seconds)

    def on_unmount(self) -> None:
        """Stop everything that could keep the program from ending."""
        self.actions.sharing.stop()
        self.actions.sessions.model.cancel()
        self.detail.stop()
        self.feed.stop()

    def on_published(self, message: Published) -> None:
        """Show a newer view from the background."""
        self.arrivals.take(message.view)

    def on_kept(self, message: Kept) -> None:
        """Report a background update of a session, or its failure."""
        self.actions.sessions.kept(message.problem)

    def apply(self, view: PaneView) -> None:
        """Show a newer view in its pane."""
        self.arrivals.show(view)

    @property
    def pane(self) -> Pane:
        """The pane that keys act on: the one focused last."""
        return self.panes[self.current_id]

    def make_current(self, pane_id: PaneId) -> None:
        """Make a pane the current one, with or without the focus."""
        self.current_id = pane_id
        for other in self.panes.values():
            other.set_class(other.pane_id is pane_id, "-current")
        self.offer_keys()
        self.update_tabs()
        self.show_detail()

    def focus_pane(self, pane_id: PaneId) -> None:
        """Go to a pane."""
        self.split.reading = False
        self.make_current(pane_id)
        self.set_focus(self.pane)

    def show_detail(self) -> None:
        """Show the selected row; of the fullest pane if the current one is empty."""
        pane = self.pane if self.split.reading else _with_rows(self.pane, self.panes.values())
        self.detail.show(pane.detail(pane.selected))

    def read_selected(self) -> None:
        """Read the detail of the selected row: in a narrow window it replaces the panes."""
        self.show_detail()
        self.split.reading = True
        self.set_focus(self.detail_view)

    def offer_keys(self) -> None:
        """Show the keys that do something for the current focus."""
        reading = self.focused is self.detail_view
        offered = footer_commands(
            self.current_id, reading=reading, offers=self.actions.offers, commands=self._commands.values()
        )
        self.query_one(KeyBar).keys = tuple(command.in_key_bar for command in offered)

    def update_tabs(self) -> None:
        """Update the strip of the short layout, which replaces the borders."""
        self.query_one(TabStrip).tabs = tuple(_tab(pane, self.pane) for pane in self.panes.values())

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Make the focused pane the current one; focusing the detail means reading it."""
        for line in self.query(InputLine):
            line.focus_is_at(event.widget)
        if isinstance(event.widget, Pane):
            self.split.reading = False
        elif event.widget is self.detail_view:
            self.split.reading = True
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

    @on(RowList.Opened)
    def _opened(self) -> None:
        self.call_later(self.run_action, "screen.run('open')")

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted) -> None:
        if message.row_list is self.pane:
            self.show_detail()

    @on(RowList.Window)
    def _rows_in_sight(self, message: RowList.Window) -> None:
        self.actions.look_at(message.row_list, message.keys)

    @on(DocumentView.Followed, "#detail")
    def _followed(self, message: DocumentView.Followed) -> None:
        self.actions.follow(message.link)

    async def action_run(self, sharing: str) -> None:
        """Run the command that works in this pane, or say in which pane one works.

        `sharing` has the actions of one key, separated by spaces, as Textual passes an action a fixed number
        of arguments.
        """
        actions = sharing.split()
        works = [action for action in actions if self.current_id in self._commands[action].panes]
        action = (works or actions)[0]
        command = self._commands[action]
        if self.current_id not in command.panes:
            self.host.say(elsewhere(command), warn=True)
        elif isawaitable(doing := self.handlers[action]()):
            await doing

    def action_pane(self, pane: str) -> None:
        """Go to a pane by its name."""
        self.focus_pane(PaneId(pane))

    def action_next_pane(self, step: int) -> None:
        """Go to the next pane, or the previous one."""
        order = list(self.panes)
        self.focus_pane(order[(order.index(self.current_id) + step) % len(order)])

    def action_split(self, step: int) -> None:
        """Move the border between the panes and the detail."""
        if not self.split.move(step):
            self.host.say("One pane has the whole width here: there is no border to move.")

    @on(Split.Moved)
    def _split_moved(self, message: Split.Moved) -> None:
        with self.host.reporting("keeping the width of the panes"):
            save_split(self.browser.places.home, message.columns)

    async def _open_filter(self) -> None:
        """Open the filter line. Awaited, so that the next keys go into it."""
        if not self.query(InputLine):
            await self.mount(InputLine("filter", FILTER_HINT), before=self.query_one(KeyBar))
        self.query_one(InputLine).open(self.pane.filter_text)

    @on(InputLine.Changed)
    def _filter_changed(self, message: InputLine.Changed) -> None:
        self.actions.filtering.set(message.text)

    @on(StatePane.SessionsWanted)
    def _sessions_wanted(self) -> None:
        self.actions.sessions.open_list()

    @on(Pane.FilterCleared)
    def _filter_cleared(self, message: Pane.FilterCleared) -> None:
        self.actions.filtering.clear(message.pane)

    @on(InputLine.Kept)
    @on(InputLine.Dropped)
    def _filter_left(self, message: InputLine.Kept | InputLine.Dropped) -> None:
        if isinstance(message, InputLine.Dropped):
            self.actions.filtering.set("")
        self.query_one(InputLine).close()
        self.set_focus(self.pane)

    @on(InputLine.Moved)
    def _filter_moved(self, message: InputLine.Moved) -> None:
        self.pane.action_move(message.rows)


def _tab(pane: Pane, current: Pane) -> Tab:
    return Tab(str(pane.number), PANE_TITLES[pane.pane_id], pane.count_in_strip(), pane is current)


def _with_rows(current: Pane, panes: Iterable[Pane]) -> Pane:
    """The current pane, or the fullest one if it is empty."""
    if current.rows or current.filter_text:
        return current
    fullest = max(panes, key=lambda pane: len(pane.rows))
    return fullest if fullest.rows else current
