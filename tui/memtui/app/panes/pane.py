"""The base of the four panes: a titled list of rows that can be filtered; and the stack they stand in."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual import events, work
from textual.containers import Vertical
from textual.content import Content
from textual.css.scalar import Scalar
from textual.geometry import Size
from textual.layout import ArrangeResult, Layout
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget

from memtui.app.base import reported
from memtui.app.listings import View
from memtui.app.project import ProjectModel
from memtui.app.status import StatusBar
from memtui.app.widgets.document import Document, plain
from memtui.app.widgets.row_list import Latest, RowList
from memtui.app.widgets.wrap import wrap
from memtui.ground.clean import clean_line

_LEAST = 3


class PaneId(StrEnum):
    """The four panes, by the names used for their widgets."""

    PENDING = "pending"
    MEMORIES = "memories"
    COMMANDS = "commands"
    STATE = "state"


class Progress(NamedTuple):
    """Cancellation and preliminary documents of slow details."""

    cancelled: Callable[[], bool]
    show: Callable[[Document], object]


class Detail(NamedTuple):
    """The detail of a row."""

    key: str
    """Identifies its subject; the scroll position is kept while the key stays the same."""
    title: str
    document: Document | None = None
    """The document to show at once; None keeps the last one until `work` is done."""
    work: Callable[[Progress], Document] | None = None


class Subject(NamedTuple):
    """The memory, file and transcript of the selected row, or sentences that say why it has none."""

    recovery_id: str = ""
    no_recovery_id: str = "Nothing is selected."
    recovery_note: str = ""
    """Why the memory is out of date; "" if it is not, or if that is unknown."""
    file: Path | str = "Nothing is selected."
    transcript: Path | str = "Nothing is selected, so there is no transcript to open."
    compacted: datetime | None = None
    """When the compaction was that it is of."""


class Pane(RowList):
    """One of the four panes.

    Rows are identified by keys; subclasses define their content, their text for the filter, their detail and
    the keys that act on them.
    """

    pane_id: PaneId
    number: int
    title: str
    views: ClassVar[tuple[type[View], ...]]
    """The kinds of views that it shows."""
    changed: ClassVar[tuple[str, ...]]
    """The names of the targets that its keys change."""
    signs: ClassVar[Mapping[str, str]] = {}
    """The meaning of each sign in its rows, for help."""
    detail_signs: ClassVar[Mapping[str, str]] = {}
    about: str

    class Changed(Latest):
        """Counts, marks or the detail of the selected row of a pane have changed."""

    def __init__(self, model: ProjectModel) -> None:
        super().__init__(self.draw_row, empty="Reading …", id=self.pane_id.value)
        self.model = model
        self.clock = model.clock
        self.unread = True
        self.filter_text = ""
        self.toggled: set[str] = set()
        """The folds of the detail that were opened, or closed if they are open at first."""
        self._changing = asyncio.Lock()

    @property
    @abstractmethod
    def nothing(self) -> str:
        """The text without rows and filter: the list shows its first paragraph, the detail all of it."""

    @abstractmethod
    def apply(self, view: View) -> None:
        """Show a newer view."""

    def give_up(self) -> None:
        """Wait no longer for what cannot be read."""
        self.unread = False
        self.show_rows()

    @abstractmethod
    def all_keys(self) -> Sequence[str]:
        """Every key, regardless of the filter, in the order shown."""

    @abstractmethod
    def draw_row(self, key: str, width: int) -> Content:
        """The row of a key, at most `width` cells wide."""

    @abstractmethod
    def text_of(self, key: str) -> str:
        """The text that the filter searches."""

    def detail_of(self, key: str) -> Detail:
        """The detail of a row."""
        raise NotImplementedError

    def subject_of(self, key: str) -> Subject:
        """What a row stands for."""
        raise NotImplementedError

    @property
    def detail(self) -> Detail:
        """The detail of the selected row, or why there is none."""
        if self.selected is not None:
            return self.detail_of(self.selected)
        return Detail("", self.title, plain(self.empty if self.filter_text else self.nothing, "dim"))

    @property
    def subject(self) -> Subject:
        return Subject() if self.selected is None else self.subject_of(self.selected)

    def line_of(self, key: str) -> str:
        """The session's line in a row, with its source; "" if it has none."""
        return ""

    def reveal(self, key: str) -> bool:
        """Select a row and show it if hidden; False if there is none."""
        if not self.select(key):
            self.filter_text = ""
            self.show_rows()
        return self.select(key)

    def resync(self) -> None:
        """Show the last listing, dropping changes made in advance."""

    def prepare_filter(self) -> bool:
        """Read data for `text_of`, in a thread, for about a second; True once all of it is read."""
        return True

    @property
    def words_in_detail(self) -> str:
        """Words of the line at which the detail opens; "" for its top."""
        return ""

    def let_time_pass(self) -> None:
        """Update displayed ages, and check values that change without an event."""
        self.refresh_rows()

    @property
    def chosen(self) -> list[str]:
        """The keys for an action: those of marked rows, in order, else the selected one."""
        if self.marked:
            return [key for key in self.all_keys() if key in self.marked]
        return [] if self.selected is None else [self.selected]

    def mark(self, keys: Iterable[str]) -> None:
        """Set the marked rows; a filter may hide some of them."""
        self.marked = frozenset(keys)
        self.refresh_rows()
        self.post_message(self.Changed(self))

    @work(group="edit", exit_on_error=False)
    async def _change(self, doing: str, change: Callable[[], str]) -> None:
        """Change files in a thread, one change after the other; `change` returns what to say."""
        said = None
        async with self._changing:
            with self.app.reporting(doing):
                said = await asyncio.to_thread(change)
                self.app.hint(*self.changed)
                if said:
                    self.app.say(said)
        if said is None:  # what was shown in advance has failed
            self.resync()
            self.post_message(self.Changed(self))

    def action_mark(self) -> None:
        if self.selected is None:
            self.app.warn("There is no row to tick.")
            return
        self.mark(self.marked ^ {self.selected})
        self.action_move(1)

    @property
    def idle_keys(self) -> frozenset[str]:
        """The actions of this pane that do nothing for the selected row: the footer leaves them out."""
        return frozenset()

    def filter(self, text: str) -> None:
        """Show only the rows that hold all words; "" shows everything again."""
        self.filter_text = text
        self.refilter()

    def passes(self, text: str) -> bool:
        folded = text.casefold()
        return all(word in folded for word in self.filter_text.casefold().split())

    @reported("reading what to filter", group="filter", exclusive=True)
    async def refilter(self) -> None:
        found = self.selected
        while self.filter_text and not await asyncio.to_thread(self.prepare_filter):
            self.show_rows()
        self.show_rows()
        if found and not self.filter_text:
            self.select(found)  # the selection stays when the filter is dropped
        self.post_message(self.Changed(self))

    @abstractmethod
    def count(self) -> str:
        """The text after the title, usually the number of rows."""

    def count_in_border(self) -> str:
        return self.count()

    def count_in_strip(self) -> str:
        """The count in the strip of a short window, or the filter, as there is no border."""
        room = 14 - len(self.title)  # beside the others in a window 40 columns wide
        wanted = Content(clean_line(self.filter_text)).truncate(room, ellipsis=True)
        marked = f" ●{len(self.marked)}" if self.marked else ""
        return (f"/{wanted.plain}" if wanted.plain else self.count()) + marked

    def show_rows(self) -> None:
        """Apply the filter and redraw, keeping selection and scroll."""
        keys = self.all_keys()
        if self.filter_text.strip():
            keys = [key for key in keys if self.passes(self.text_of(key))]
            self.empty = f"Nothing here matches “{clean_line(self.filter_text)}”."
        else:
            self.empty = self.nothing.partition("\n\n")[0]
        if self.marked:
            self.marked &= frozenset(self.all_keys())
        self.set_rows(keys)

    def refresh_rows(self) -> None:
        super().refresh_rows()
        self._show_title()

    def wanted_height(self, width: int) -> int:
        """The height for all rows, borders included, at a width with borders."""
        room = max(1, width - self.gutter.width - 2)
        rows = len(self.rows) or sum(len(wrap(line, room)) for line in self.empty.split("\n"))
        return rows + self.gutter.height

    def _show_title(self) -> None:
        """Show number, name and count in the border: `1 Pending 2`, `2 Memories 5/7 · "erk" ✕`."""
        wanted = Content(clean_line(self.filter_text)).truncate(16, ellipsis=True).plain
        total = len(self.all_keys()) if wanted else 0
        count = f'{len(self.rows)}/{total} · "{wanted}" ✕' if wanted else self.count_in_border()
        if self.marked:
            count = f"{count} · {len(self.marked)} marked"
        accent = (f" {count}" if count else "", "$accent")
        self.border_title = Content.assemble((f"{self.number} ", "$quiet"), self.title, accent)

    def on_click(self, event: events.Click) -> None:
        if event.y == 0 and self.styles.border_top[0] and self.filter_text:
            self.filter("")


class _FairLayout(VerticalLayout):
    """Sets the heights of the panes as it arranges them, so that this need not be repeated.

    They do not depend on the focus: rows would move under the eyes of who goes from pane to pane.
    """

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        panes = [child for child in children if isinstance(child, Pane)]
        heights = fair_heights([pane.wanted_height(size.width) for pane in panes], size.height)
        for pane, height in zip(panes, heights, strict=True):
            # The setter of `styles.height` would ask for another layout.
            pane.styles.set_rule("height", Scalar.from_number(height))
        return super().arrange(parent, children, size, greedy)


class PaneStack(Vertical):
    """Cuts long panes to the same height; they cover it, so that nothing of its own is drawn."""

    BLANK = True
    layout: ClassVar[Layout] = _FairLayout()  # from `styles.layout` Textual takes the name alone


def fair_heights(wanted: Sequence[int], room: int) -> list[int]:
    """The heights that fill `room`: long panes are cut to the same one.

    What is left goes to the first that was cut, or to the last pane.
    """
    limit = max(wanted, default=_LEAST)
    while limit > _LEAST and sum(min(height, limit) for height in wanted) > room:
        limit -= 1
    heights = [max(_LEAST, min(height, limit)) for height in wanted]
    gets = next((at for at, height in enumerate(wanted) if height > limit), len(heights) - 1)
    if heights:
        heights[gets] += max(0, room - sum(heights))
    return heights


class TabStrip(Widget):
    """One line: every pane by key, name and count; in less room all keys, then the current pane's name.

    Keys come first so that they do not move under the pointer. With still less room the context is left
    out, unless it warns; the live mark never is.
    """

    auto_links = False
    title = "the first line"
    signs: ClassVar[Mapping[str, str]] = {
        "⚠": "cannot be used as it is; the detail says why",
        "✗": "pins that neither the summary nor a note has",
        "%": "how full the context is",
        **StatusBar.signs,
    }

    def __init__(self, bar: StatusBar, panes: Sequence[Pane]) -> None:
        super().__init__(id="tabs")
        self._bar, self._panes = bar, panes

    def render(self) -> Content:
        cells, here, mark = self._layout()
        keys = Content.assemble(*cells)
        mark = mark.truncate(max(1, self.size.width - keys.cell_length), ellipsis=True)
        room = max(0, self.size.width - keys.cell_length - mark.cell_length - 1)
        return Content.assemble(keys, here.truncate(room, ellipsis=True, pad=True), mark)

    async def on_click(self, event: events.Click) -> None:
        column = 0
        for pane, cell in zip(self._panes, self._layout()[0], strict=True):
            column += cell.cell_length
            if event.x < column:
                event.stop()
                await self.run_action(f"screen.pane('{pane.pane_id}')")
                return

    def _layout(self) -> tuple[list[Content], Content, Content]:
        """The tabs, the current one if they are keys alone, and the marks."""
        live, context, warns = self._bar.strip_marks()
        for named, full in ((True, True), (False, True), (False, warns)):
            mark = Content.assemble(context, live) if full else live
            cells = [_cell(pane, str(pane.number), named) for pane in self._panes]
            current = (pane for pane in self._panes if pane.has_class("-current") and not named)
            here = Content("").join(_cell(pane, "", True) for pane in current)
            if sum(each.cell_length for each in (*cells, here, mark)) < self.size.width:
                break
        return cells, here, mark


def _cell(pane: Pane, key: str, named: bool) -> Content:
    total = pane.count_in_strip()
    parts = (key, *((pane.title, total and f"({total})") if named else ()))
    look = "reverse bold" if pane.has_class("-current") else "$quiet"
    return Content.styled(f" {' '.join(filter(None, parts))} ", look)
