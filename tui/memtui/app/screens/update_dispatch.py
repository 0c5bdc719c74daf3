"""Passes background updates to the panes and actions concerned."""

from __future__ import annotations

from collections.abc import Callable

from memtui.app.actions.place import Place
from memtui.app.keys.commands import PaneId
from memtui.app.model.views import (
    BranchView,
    CapturesView,
    CommandsView,
    DraftWanted,
    HealthView,
    LightsView,
    MemoriesView,
    PaneView,
    PinsView,
    StateView,
    View,
)
from memtui.app.screens.browser_actions import BrowserActions, Panes
from memtui.app.screens.browser_updates import Feed

_PANE_OF: dict[type, PaneId] = {
    CapturesView: PaneId.PENDING,
    MemoriesView: PaneId.MEMORIES,
    CommandsView: PaneId.COMMANDS,
    PinsView: PaneId.COMMANDS,
    LightsView: PaneId.COMMANDS,
    StateView: PaneId.STATE,
}


class Arrivals:
    """Shows newer views."""

    def __init__(
        self, place: Place, feed: Feed, panes: Panes, actions: BrowserActions, ring: Callable[[], None] | None
    ) -> None:
        """Make the object; `ring`, if given, is called when a capture has arrived."""
        self._place = place
        self._feed = feed
        self._panes = panes
        self._by_id = panes.by_id()
        self._actions = actions
        self._ring = ring

    def take(self, view: View) -> None:
        """Pass a view to the pane or the actions concerned."""
        if self._is_of_former_choice(view):
            return
        if isinstance(view, BranchView | HealthView):
            self._feed.show_in_bar(view)
            self._place.offer_keys()
            if isinstance(view, HealthView):
                self._panes.pending.apply_health(view)
                self._place.show_detail()
        elif isinstance(view, DraftWanted):
            self._feed.watch(view)
            self._actions.drafts.want(view)
        else:
            if isinstance(view, PinsView):
                self._feed.look_again()
            if isinstance(view, StateView):
                self._feed.watch(view)
                self._actions.drafts.drop()
            self.show(view)

    def _is_of_former_choice(self, view: View) -> bool:
        """Whether the view was read before the user chose another session, so that a newer one follows."""
        state = view.meanwhile if isinstance(view, DraftWanted) else view
        return isinstance(state, StateView) and state.chosen != self._panes.state.view.chosen

    def let_time_pass(self) -> None:
        """Update displayed ages, and check values that change without a message."""
        self._feed.show_health()
        self._actions.sharing.refresh()
        for pane in self._by_id.values():
            pane.refresh_rows()
        self._actions.memories.read_states(self._panes.memories.in_sight)

    def show(self, view: PaneView) -> None:
        """Show a newer view in its pane."""
        pane = self._by_id[_PANE_OF[type(view)]]
        pane.apply(view)
        if self._ring and pane is self._panes.pending and self._panes.pending.has_new_captures:
            self._ring()
        self._actions.look_at(pane, pane.in_sight)
        self._place.update_tabs()
        if pane is self._place.pane or self._place.pane.selected is None:
            self._place.show_detail()
        self._place.offer_keys()  # there may be another session to switch to
