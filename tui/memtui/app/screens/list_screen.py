"""Base of the screens with a list and, beside it, the text of the selected row."""

from __future__ import annotations

from textual import getters, on
from textual.screen import ScreenResultType
from textual.widgets import Input

from memtui.app.base import OwnScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.input_line import InputLine
from memtui.app.widgets.row_list import RowList


class ListScreen(OwnScreen[ScreenResultType]):
    """A list that may be filtered, and the text beside it; escape drops what was entered last."""

    listing = getters.query_one(RowList)
    beside = getters.query_one(DocumentView)
    words = ""
    """The text that rows are filtered by."""

    def show_filtered(self) -> None:
        """Show the rows that have the words."""

    def action_filter(self) -> None:
        self.query_one(InputLine).open(self.words, self.listing)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self.filter(event.value)

    def filter(self, text: str) -> None:
        found, self.words = self.listing.selected, text.strip()
        self.show_filtered()
        if found and not self.words:
            self.listing.select(found)  # what was found stays selected

    def action_switch(self) -> None:
        self.set_focus(self.beside if self.focused is self.listing else self.listing)

    def action_back(self) -> None:
        if self.focused is not self.listing:
            self.set_focus(self.listing)
        elif self.words:
            self.filter("")
        else:
            self.dismiss(None)
