"""The handlers of the command table's actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from memtui.app.actions.active_commands import CommandActions
from memtui.app.actions.aftermaths import AftermathActions
from memtui.app.actions.captures import CaptureActions
from memtui.app.actions.drafts import Drafts
from memtui.app.actions.filtering import Filtering
from memtui.app.actions.handoffs import HandoffActions
from memtui.app.actions.marking import Marking
from memtui.app.actions.memories import MemoryActions
from memtui.app.actions.pins import PinActions
from memtui.app.actions.place import Place, Windows
from memtui.app.actions.search import SearchActions
from memtui.app.actions.selected import SelectedActions
from memtui.app.actions.sessions import SessionActions
from memtui.app.actions.sharing import SharingActions
from memtui.app.actions.undos import Undos
from memtui.app.keys.commands import PaneId
from memtui.app.model.project_model import Browser
from memtui.app.model.sharing import Exchange, RemoteState
from memtui.app.model.views import HealthView
from memtui.app.panes.commands import CommandsPane
from memtui.app.panes.memories import MemoriesPane
from memtui.app.panes.pane import Pane
from memtui.app.panes.pending import PendingPane
from memtui.app.panes.state import StatePane
from memtui.app.widgets.row_list import RowList
from memtui.ground.named import NamedTuple


class Panes(NamedTuple):
    """The four panes."""

    pending: PendingPane
    memories: MemoriesPane
    commands: CommandsPane
    state: StatePane

    @classmethod
    def of(cls, browser: Browser) -> Panes:
        """The panes of a project."""
        return cls(PendingPane(browser), MemoriesPane(browser), CommandsPane(browser), StatePane(browser))

    def by_id(self) -> dict[PaneId, Pane]:
        """The panes by name, in order."""
        return {pane.pane_id: pane for pane in self}


class BrowserActions:
    """All actions of the browser."""

    def __init__(
        self,
        place: Place,
        browser: Browser,
        panes: Panes,
        windows: Windows,
        health: Callable[[], HealthView | None],
        show_remotes: Callable[[Sequence[RemoteState]], None],
    ) -> None:
        self._place = place
        self._panes = panes
        self.filtering = Filtering(place)
        self.pins = PinActions(place, browser)
        self.marking = Marking(place)
        self.undos = Undos(place, browser, panes)
        self.captures = CaptureActions(place, browser, panes.pending, windows, health)
        self.aftermaths = AftermathActions(place, browser, panes.pending, windows)
        self.memories = MemoryActions(place, browser, panes.memories, windows, self.filtering)
        exchange = Exchange(browser.places.home, browser.clock)
        self.sharing = SharingActions(place, exchange, self.memories, windows, show_remotes)
        self.commands = CommandActions(place, browser, panes.commands, windows, self.pins)
        self.drafts = Drafts(place, browser, panes.state)
        self.sessions = SessionActions(place, browser, panes.state, windows, self.drafts)
        self.handoffs = HandoffActions(place, browser, panes.state)
        self.search = SearchActions(place, windows, self.memories, panes.pending, panes.state)
        self.selected = SelectedActions(place, windows)

    @property
    def offers(self) -> frozenset[str]:
        """The actions that are possible now, out of those that are not always."""
        return self.captures.offers | self.sessions.offers | self.pins.offers | self.sharing.offers

    def look_at(self, row_list: RowList, keys: Sequence[str]) -> None:
        """Read the contents of rows that have come into view."""
        if row_list is self._panes.memories:
            self.memories.read_heads(keys)
            self.memories.read_states(keys)
        elif row_list is self._panes.pending:
            self.aftermaths.count(keys)

    def follow(self, link: str) -> None:
        """Follow a link of the detail: to a fold, another memory or a transcript line."""
        kind, _, name = link.partition(":")
        if kind == "fold":
            self._place.pane.unfold(name)
            self._place.show_detail()
        elif kind == "memory":
            self.memories.follow(f"{name}.md")
        elif kind == "source":
            self.selected.transcript(int(name))

    def handlers(self) -> Mapping[str, Callable[[], Any]]:
        """The handlers by action."""
        return {
            "mark": self.marking.mark,
            "review": self.captures.review,
            "toggle_reviewed": self.captures.toggle_reviewed,
            "backfill": self.captures.backfill,
            "install": self.captures.install,
            "uninstall": self.captures.uninstall,
            "lost": self.aftermaths.show,
            "copy_id": self.selected.copy_id,
            "copy_prompt": self.selected.copy_prompt,
            "transcript": self.selected.transcript,
            "edit": self.selected.edit,
            "tags": self.memories.tag,
            "delete": self.memories.delete,
            "undelete": self.memories.undelete,
            "share": self.sharing.share,
            "sync": self.sharing.sync,
            "memory_versions": self.sharing.versions,
            "toggle_all": self.memories.toggle_all,
            "pin_line": self.pins.pin_line,
            "clear_command": self.commands.clear,
            "pin_down": partial(self.commands.move_pin, 1),
            "pin_up": partial(self.commands.move_pin, -1),
            "clear_all": self.commands.clear_all,
            "versions": self.sessions.versions,
            "newer_session": self.sessions.newer,
            "older_session": self.sessions.older,
            "update_state": self.sessions.update,
            "copy_notes": self.sessions.copy_notes,
            "ask_model": self.sessions.ask_model,
            "compact": self.sessions.compact,
            "handoff_codex": partial(self.handoffs.write, "codex"),
            "handoff_gemini": partial(self.handoffs.write, "gemini"),
            "copy_handoff": self.handoffs.copy,
            "end_handoff": self.handoffs.end,
            "sessions": self.sessions.open_list,
            "search": self.search.search,
            "undo": self.undos.undo,
            "redo": self.undos.redo,
        }
