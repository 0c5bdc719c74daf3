"""The strip of panes, shown if the window is too short for more than one of them."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.ground.named import NamedTuple


class Tab(NamedTuple):
    """A pane in the strip: its key, title and total, and whether it is the current one."""

    key: str
    title: str
    total: str
    current: bool


_LAYOUTS = (
    (True, True, True),
    (False, True, True),
    (False, True, False),
    (False, False, True),
    (False, False, False),
)
"""Parts to show, from the most room to the least: the others' names, their counts, the context."""


class TabStrip(Widget):
    """One line; the current pane by name and count, the others as far as there is room for both.

    With less room it leaves out the others' names, then the context, unless that warns or fits without the
    others' counts, then these counts, and never the live mark.
    """

    tabs: reactive[tuple[Tab, ...]] = reactive(())
    mark: reactive[Content] = reactive(Content(""))
    """The live mark, shown here if the strip replaces the status line."""
    context: reactive[Content] = reactive(Content(""))
    """The fill level of the context, before the live mark."""
    warns: reactive[bool] = reactive(False)
    """Whether the context is so full that it must be shown."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def render(self) -> Content:
        """One line."""
        cells, mark = self._layout()
        strip = Content.assemble(*(part for cell in cells for part in (cell, " ")))
        room = max(1, self.size.width - strip.cell_length)
        mark = mark.truncate(room, ellipsis=True) if mark.cell_length > room else mark
        return Content.assemble(strip, " " * (room - mark.cell_length - 1), mark)

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked tab."""
        column = 0
        for index, cell in enumerate(self._layout()[0]):
            column += cell.cell_length + 1
            if event.x < column:
                event.stop()
                self.post_message(self.Chosen(index))
                return

    def _layout(self) -> tuple[list[Content], Content]:
        """The cells of the tabs, and the marks after them."""
        for named, counted, full in _LAYOUTS:
            mark = Content.assemble(self.context, self.mark) if full or self.warns else self.mark
            cells = [
                _cell(tab, named=named or tab.current, counted=counted or tab.current) for tab in self.tabs
            ]
            if sum(cell.cell_length + 1 for cell in cells) + mark.cell_length < self.size.width:
                break
        return cells, mark


def _cell(tab: Tab, *, named: bool, counted: bool) -> Content:
    text = " ".join(part for part in (tab.key, named and tab.title, counted and tab.total) if part)
    return Content.styled(f" {text} ", "reverse bold" if tab.current else "$quiet")
