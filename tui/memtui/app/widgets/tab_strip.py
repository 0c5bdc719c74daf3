"""The strip of panes shown when the window is too short for more than one of them."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Tab:
    """One pane in the strip: its key, title and count, and whether it is the one shown."""

    key: str
    title: str
    count: str
    current: bool


class TabStrip(Widget):
    """One line; the current pane by name, the others by name too where there is room, else by number."""

    tabs: reactive[tuple[Tab, ...]] = reactive(())
    mark: reactive[Content] = reactive(Content(""))
    """The live mark, which this strip has to show when it takes the place of the status line."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def render(self) -> Content:
        """One line."""
        strip = Content.assemble(*(part for cell in self._cells() for part in (cell, " ")))
        gap = max(0, self.size.width - strip.cell_length - self.mark.cell_length - 1)
        return Content.assemble(strip, " " * gap, self.mark)

    def on_click(self, event: events.Click) -> None:
        """A click chooses the tab under it."""
        column = 0
        for index, cell in enumerate(self._cells()):
            column += cell.cell_length + 1
            if event.x < column:
                event.stop()
                self.post_message(self.Chosen(index))
                return

    def _cells(self) -> list[Content]:
        for named in (True, False):
            cells = [_cell(tab, named=named or tab.current) for tab in self.tabs]
            if sum(cell.cell_length + 1 for cell in cells) + self.mark.cell_length < self.size.width:
                break
        return cells


def _cell(tab: Tab, *, named: bool) -> Content:
    text = " ".join(part for part in (tab.key, tab.title if named else "", tab.count) if part)
    return Content.styled(f" {text} ", "reverse bold" if tab.current else "$quiet")
