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
from memtui.app.model.browser import Browser
from memtui.app.model.views import View
from memtui.app.widgets.document import Document
from memtui.app.widgets.row_list import RowList
from memtui.app.widgets.wrap import wrap
from memtui.clean import clean_line
from memtui.clock import day_and_minute, local_minute, short_time
from memtui.named import NamedTuple

_WIDE = 40
"""Columns from which the time at the left of a row has its day, too."""
_FILTER = 16
"""Cells of a filter in a title."""
_STRIP = 14
"""Cells of a title and the filter behind it in the strip of a window 40 columns wide."""


class Progress(NamedTuple):
    """Progress and cancellation for slow details."""

    tell: Callable[[float], None]
    """Told the share done, from 0 to 1."""
    cancelled: Callable[[], bool]
    """Whether the selection has moved on."""
    show: Callable[[Document], None]
    """Shows what is known so far."""


class Detail(NamedTuple):
    """The detail of a row.

    Attributes:
        key: what it is about; the scroll position is kept while the key stays the same.
        title: for the border.
        document: what can be shown at once; None leaves the last one until `work` is done.
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
    """Why the memory is out of date; "" if it is not, or if that is not known yet."""
    file: Path | None = None
    no_file: str = "Nothing is selected."
    transcript: Path | None = None
    no_transcript: str = "Nothing is selected, so there is no transcript to open."


class Pane(RowList):
    """One of the four panes.

    Rows are known by keys; a subclass says what they read, what they are filtered by, what the detail shows.
    """

    pane_id: PaneId
    number: int

    class HeightChanged(Message):
        """The content of a pane has another height."""

    class FilterCleared(Message):
        """The filter of a pane was clicked away."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, browser: Browser, *, empty: str) -> None:
        super().__init__(self.draw_row, empty=empty, id=self.pane_id.value)
        self.browser = browser
        self.clock = browser.clock
        self.filter_text = ""
        self.filter_reads = False
        """Whether rows that the filter may find are still being read."""
        self.newcomers: frozenset[str] = frozenset()
        """Rows added by the last view; none at first."""
        self._met: Mapping[str, object] | None = None
        self._empty_text = empty
        self._reported_height = 0

    @abstractmethod
    def apply(self, view: View) -> None:
        """Show a newer view."""

    @abstractmethod
    def all_keys(self) -> Sequence[str]:
        """Every key, filter aside, in the order shown."""

    @abstractmethod
    def draw_row(self, key: str, width: int) -> Content:
        """The row of a key, at most `width` cells wide."""

    @abstractmethod
    def text_of(self, key: str) -> str:
        """The text that the filter looks in."""

    @abstractmethod
    def detail(self, key: str | None) -> Detail:
        """The detail of a row, or a message without one."""

    @abstractmethod
    def subject(self, key: str | None) -> Subject:
        """The subject for keys."""

    @property
    def chosen(self) -> list[str]:
        """The keys that an action is for: of the marked rows, in order, else of the selected one."""
        if self.marked:
            return [key for key in self.all_keys() if key in self.marked]
        return [] if self.selected is None else [self.selected]

    def mark(self, keys: Iterable[str]) -> None:
        """Let these rows be the marked ones; a filter may hide some of them."""
        self.marked = frozenset(keys)
        self.refresh_rows()
        self._show_title(len(self.rows))

    no_line = "A row of this pane is no line to pin: enter opens its detail, whose lines can be pinned."
    """Why `line_of` is empty."""

    def line_of(self, key: str | None) -> str:
        """The line of the session that a row shows, with its source; "" where it shows none."""
        return ""

    def unfold(self, name: str) -> None:
        """Open a fold of the detail, or close it."""

    def resync(self) -> None:
        """Show what was listed last, if anything is shown in advance of a listing."""

    def prepare_filter(self) -> bool:
        """Read some of what `text_of` needs for all rows; called in a thread until it returns False."""
        return False

    def count(self) -> str:
        """The text after the title, usually the number of rows."""
        number = len(self.all_keys())
        return str(number) if number else ""

    def count_in_border(self) -> str:
        """The count in the border, where there is more room."""
        return self.count()

    def count_in_strip(self) -> str:
        """The count in the strip of a short window, or the filter, which has no border there."""
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
        if self.wanted_height != self._reported_height:
            self._reported_height = self.wanted_height
            self.post_message(self.HeightChanged())
        self._show_title(len(keys))

    def welcome(self, known: Mapping[str, object], *, whole: bool) -> None:
        """Let the rows stand out that came since the last view.

        Args:
            known: everything that there is, by the keys of its rows.
            whole: whether it was read to its end; before, new rows cannot be determined.
        """
        self.newcomers = frozenset()
        if whole:
            before, self._met = self._met, known
            if before is not None and before is not known:
                self.newcomers = frozenset(known.keys() - before.keys())
                self.flash(self.newcomers)

    def say_when_empty(self, text: str) -> None:
        """Set what stands here when there are no rows and no filter."""
        self._empty_text = text

    @property
    def wanted_height(self) -> int:
        """The height at which all rows show, borders included."""
        return self.get_content_height(self.size, self.size, self.size.width or 38) + 2

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as its rows, or as what it says without any."""
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
    """The time at the left of a row, in a column: day and minute where there is room for both, or `exact`."""
    if width >= _WIDE or exact:
        same_year = moment is not None and moment.year == now.year
        when = (day_and_minute(moment) if same_year else local_minute(moment)[:10]) if moment else ""
        return f"{when:<13}"
    return f"{short_time(moment, now) if moment else '':<7}"


def row(left: Sequence[Content | tuple[str, str] | str], right: str, width: int) -> Content:
    """A row with `left` cut where needed and `right` kept whole at the end, if there is room for both."""
    content = Content.assemble(*left)
    end = f" {right}" if right and width >= 24 else ""
    room = max(0, width - len(end))
    if content.cell_length > room:
        content = content.truncate(room, ellipsis=True)
    gap = " " * max(0, room - content.cell_length)
    return Content.assemble(content, gap, (end, "$quiet"))
