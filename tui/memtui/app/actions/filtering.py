"""Filtering a pane while typing."""

from __future__ import annotations

import asyncio
from functools import partial

from memtui.app.actions.place import Place
from memtui.app.panes.pane import Pane


class Filtering:
    """Sets the filter of the current pane, and reads the data that it searches."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._host = place.host

    def set(self, text: str) -> None:
        """Filter the current pane by a new text."""
        self._place.pane.filter_text = text
        self.refilter()

    def clear(self, pane: Pane) -> None:
        """Show everything in a pane again."""
        pane.filter_text = ""
        self._host.start(partial(self._refilter, pane), group="filter", exclusive=True)

    def refilter(self) -> None:
        """Filter the current pane again, after its rows have changed."""
        self._host.start(partial(self._refilter, self._place.pane), group="filter", exclusive=True)

    async def _refilter(self, pane: Pane) -> None:
        reads = True
        found = pane.selected
        with self._host.reporting("reading what to filter"):
            while reads:
                reads = bool(pane.filter_text) and await asyncio.to_thread(pane.prepare_filter)
                pane.filter_reads = reads
                pane.show_rows()
                if found and not pane.filter_text:
                    pane.select(found)  # the selection stays when the filter is dropped
                self._place.update_tabs()
                if pane is self._place.pane:
                    self._place.show_detail()
