"""Filtering the current pane as one types."""

from __future__ import annotations

import asyncio

from textual import on, work
from textual.events import DescendantFocus
from textual.widgets import Input

from memtui.app.screens.actions import Actions
from memtui.app.widgets.filter_line import FilterInput, FilterLine
from memtui.app.widgets.key_bar import KeyBar


class Filtering(Actions):
    """The filter line, and what it does to the current pane."""

    async def do_filter(self) -> None:
        """Open the filter line. Awaited, so that what is typed next goes into it."""
        if not self.query(FilterLine):
            await self.mount(FilterLine(id="filter-line"), before=self.query_one(KeyBar))
        self.query_one(FilterLine).add_class("-open")
        field = self.query_one("#filter", Input)
        field.value = self.pane.filter_text
        self.set_focus(field)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A click elsewhere closes the filter line; the filter stays."""
        for line in self.query(FilterLine):
            line.set_class(isinstance(event.widget, FilterInput), "-open")

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        if self.query_one("#filter-line").has_class("-open"):
            self._set_filter(event.value)

    @on(Input.Submitted, "#filter")
    def _filter_kept(self) -> None:
        self.close_filter()

    def close_filter(self) -> None:
        """Go back to the list; the filter stays."""
        self.query_one("#filter-line").remove_class("-open")
        self.set_focus(self.pane)

    def action_drop_filter(self) -> None:
        """Escape in the filter line: everything shows again."""
        self._set_filter("")
        self.close_filter()

    def action_filter_move(self, rows: int) -> None:
        """Move the selection while typing."""
        self.pane.action_move(rows)

    def _set_filter(self, text: str) -> None:
        self.pane.filter_text = text
        self.refilter()

    @work(group="filter", exclusive=True, exit_on_error=False)
    async def refilter(self) -> None:
        """Filter the current pane; what its rows say may have to be read first."""
        pane, reads = self.pane, True
        found = pane.selected
        with self.app.reporting("reading what to filter"):
            while reads:
                reads = bool(pane.filter_text) and await asyncio.to_thread(pane.prepare_filter)
                pane.filter_reads = reads
                pane.show_rows()
                if found and not pane.filter_text:
                    pane.select(found)  # what was found stays selected when the filter is dropped
                self.update_tabs()
                if pane is self.pane:
                    self.show_detail()
