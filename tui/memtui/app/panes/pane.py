"""The base of the four panes: a titled list of rows that can be filtered."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message

from memtui.app.keys.commands import PANE_TITLES, PaneId
from memtui.app.model.project_model import Browser
from memtui.app.model.views import View
from memtui.app.widgets.document import Document
from memtui.app.widgets.row_list import RowList
from memtui.app.widgets.wrap import wrap
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute, local_minute, short_time
from memtui.ground.named import NamedTuple

_WIDE = 40
"""Width in columns from which the time at the left of a row includes its day."""
_FILTER = 16
"""Maximum width of a filter in a title."""
_STRIP = 14
"""Width of a title with its filter in the strip of a window 40 columns wide."""


class Progress(NamedTuple):
    """Progress and cancellation for slow details."""

    tell: Callable[[float], None]
    """Receives the share done, from 0 to 1."""
    cancelled: Callable[[], bool]
    """Whether the selection has moved on."""
    show: Callable[[Document], None]
    """Shows a preliminary document."""


class Detail(NamedTuple):
    """The detail of a row.

    Attributes:
        key: identifies its subject; the scroll position is kept while the key stays the same.
        title: for the border.
        document: the document to show at once; None keeps the last one until `work` is done.
        work: makes the full document, in a thread.
    """

    key: str
    title: str
    document: Document | None = None
    work: Callable[[Progress], Document] | None = None


class Subject(NamedTuple):
    """The subject of the selected row for keys, with reasons for missing parts."""

    recovery_id: str = ""
    no_recovery_id: str = "Nothing is selected."
    recovery_note: str = ""
    """Why the memory is out of date; "" if it is not, or if that is unknown."""
    file: Path | None = None
    no_file: str = "Nothing is selected."
    transcript: Path | None = None
    no_transcript: str = "Nothing is selected, so there is no transcript to open."


class Pane(RowList):
    """One of the four panes.

    Rows are identified by keys; subclasses define their content, their text for the filter, and their detail.
    """

    pane_id: PaneId
    number: int

    class FilterCleared(Message):
        """The filter of a pane was removed by a click."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, browser: Browser, *, empty: str) -> None:
        super().__init__(self.draw_row, empty=empty, id=self.pane_id.value)
        self.browser = browser
        self.clock = browser.clock
        self.filter_text = ""
        self.filter_reads = False
        """Whether rows that the filter may match are still being read."""
        self.newcomers: frozenset[str] = frozenset()
        """Rows added by the last view; none at first."""
        self._met: Mapping[str, object] | None = None
        self._empty_text = empty

    @abstractmethod
    def apply(self, view: View) -> None:
        """Show a newer view."""

    @abstractmethod
    def all_keys(self) -> Sequence[str]:
        """Every key, regardless of the filter, in the order shown."""

    @abstractmethod
    def draw_row(self, key: str, width: int) -> Content:
        """The row of a key, at most `width` cells wide."""

    @abstractmethod
    def text_of(self, key: str) -> str:
        """The text that the filter searches."""

    @abstractmethod
    def detail(self, key: str | None) -> Detail:
        """The detail of a row, or a message without one."""

    @abstractmethod
    def subject(self, key: str | None) -> Subject:
        """The subject for keys."""

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
        self._show_title(len(self.rows))

    no_line = "A row of this pane is no line to pin: enter opens its detail, whose lines can be pinned."
    """Why `line_of` is empty."""

    def line_of(self, key: str | None) -> str:
        """The session's line in a row, with its source; "" if it has none."""
        return ""

    def unfold(self, name: str) -> None:
        """Toggle a fold of the detail."""

    def resync(self) -> None:
        """Show the last listing, dropping changes made in advance."""

    def prepare_filter(self) -> bool:
        """Read part of the data for `text_of`; called in a thread until it returns False."""
        return False

    def count(self) -> str:
        """The text after the title, usually the number of rows."""
        number = len(self.all_keys())
        return str(number) if number else ""

    def count_in_border(self) -> str:
        """The count in the border, where there is more room."""
        return self.count()

    def count_in_strip(self) -> str:
        """The count in the strip of a short window, or the filter, as there is no border."""
        room = _STRIP - len(PANE_TITLES[self.pane_id])
        wanted = Content(clean_line(self.filter_text)).truncate(room, ellipsis=True)
        marked = f" ●{len(self.marked)}" if self.marked else ""
        return (f"/{wanted.plain}" if wanted.plain else self.count()) + marked

    def show_rows(self) -> None:
        """Apply the filter and redraw, keeping selection and scroll."""
        words = self.filter_text.casefold().split()
        keys = self.all_keys()
        if words:
            keys = [key for key in keys if _holds(self.text_of(key).casefold(), words)]
            nothing = "Nothing so far" if self.filter_reads else "Nothing here"
            self.empty = f"{nothing} matches “{clean_line(self.filter_text)}”."
        else:
            self.empty = self._empty_text
        if self.marked:
            self.marked &= frozenset(self.all_keys())
        self.set_rows(keys)
        self.refresh_rows()
        self._show_title(len(keys))

    def highlight_new(self, known: Mapping[str, object], *, whole: bool) -> None:
        """Highlight the rows added since the last view.

        Args:
            known: all known items, by the keys of their rows.
            whole: whether they are complete; before, new rows cannot be determined.
        """
        self.newcomers = frozenset()
        if whole:
            before, self._met = self._met, known
            if before is not None and before is not known:
                self.newcomers = frozenset(known.keys() - before.keys())
                self.flash(self.newcomers)

    def say_when_empty(self, text: str) -> None:
        """Set the text shown without rows and filter."""
        self._empty_text = text

    def wanted_height(self, width: int) -> int:
        """The height for all rows, borders included, at a width with borders."""
        return self.get_content_height(self.size, self.size, width - self.gutter.width) + self.gutter.height

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of its rows, or of its text without any."""
        wrapped = (wrap(line, max(1, width - 2)) for line in self.empty.split("\n"))
        return len(self.rows) or sum(map(len, wrapped))

    def _show_title(self, shown: int) -> None:
        self.border_title = self._title(shown)

    def _title(self, shown: int) -> Content:
        """Number, name and count for the border: `1 Pending 2`, `2 Memories 5/7 · "erk" ✕`."""
        wanted = Content(clean_line(self.filter_text)).truncate(_FILTER, ellipsis=True).plain
        if wanted:
            more = "…" if self.filter_reads else ""
            count = f'{shown}{more}/{len(self.all_keys())} · "{wanted}" ✕'
        else:
            count = self.count_in_border()
        if self.marked:
            count = f"{count} · {len(self.marked)} marked"
        return Content.assemble(
            (f"{self.number} ", "$quiet"),
            PANE_TITLES[self.pane_id],
            (f" {count}" if count else "", "$accent"),
        )

    def on_click(self, event: events.Click) -> None:
        """A click on the title of a filtered pane clears the filter."""
        if event.y == 0 and self.styles.border_top[0] and self.filter_text:
            self.post_message(self.FilterCleared(self))


def _holds(text: str, words: Iterable[str]) -> bool:
    return all(word in text for word in words)


def when_of(moment: datetime | None, now: datetime, width: int, *, exact: bool = False) -> str:
    """The time column of a row: day and minute if there is room for both, or `exact`."""
    if width >= _WIDE or exact:
        same_year = moment is not None and moment.year == now.year
        when = (day_and_minute(moment) if same_year else local_minute(moment)[:10]) if moment else ""
        return f"{when:<13}"
    return f"{short_time(moment, now) if moment else '':<7}"


def row(left: Sequence[Content | tuple[str, str] | str], right: str, width: int) -> Content:
    """A row with `left` cut if necessary and `right` kept whole at the end, if both fit."""
    content = Content.assemble(*left)
    end = f" {right}" if right and width >= 24 else ""
    room = max(0, width - len(end))
    if content.cell_length > room:
        content = content.truncate(room, ellipsis=True)
    gap = " " * max(0, room - content.cell_length)
    return Content.assemble(content, gap, (end, "$quiet"))
