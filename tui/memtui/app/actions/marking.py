"""Marking several rows for the next action."""

from __future__ import annotations

from memtui.app.actions.place import Place


class Marking:
    """Marks rows of the current pane."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def mark(self) -> None:
        """Mark the selected row, or unmark it, and go to the next one."""
        pane = self._place.pane
        if pane.selected is not None:
            pane.mark(pane.marked ^ {pane.selected})
            pane.action_move(1)
            self._place.update_tabs()

    def clear(self) -> None:
        """Unmark all rows of the current pane."""
        self._place.pane.mark(())
        self._place.update_tabs()
