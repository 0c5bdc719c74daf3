"""What a compaction lost and kept beside its summary; chosen losses are given back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.app.base import FATE_SIGNS, FOLD_SIGNS, PINS, hidden, reported
from memtui.app.details import lost
from memtui.app.project import ProjectModel
from memtui.app.screens.list_screen import ListScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import FILTER_HINT, InputLine
from memtui.app.widgets.row_list import RowList
from memtui.app.widgets.wrap import cut
from memtui.flows.rescue import ROOM, fitting, hand_over, rescue_text, size_of_rows
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute, parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.text import counted
from memtui.lost.outbox import Message, Outbox, lines_wait, rows_waiting
from memtui.lost.records import TOGETHER, Aftermath, Row, Unfounded
from memtui.secrets.secrets import masked
from memtui.transcript.line_index import Query

_KNOWN = 5  # words at either end of a phrase by which it is found
_SHORTEST = 3  # characters of a phrase that says little
_NAMED = 40  # cells of a quote in the reader's border
_PHRASES = re.compile(r"[`*“”\"…|\s]*(?:`|\*\*|[“”\"…|()]|→|:(?= )|(?<= )(?:->|[-#])(?= ))[`*“”\"…|\s]*")
"""The marks between two phrases of a quote, which the reader draws differently."""
_HANDS = "hand the ticked lines over, once; without ticks take back those that wait"


class LostScreen(ListScreen[None]):
    """The rows at the left; at the right the selected one, whole, above the summary."""

    evidence = getters.query_one("#whole-row", Static)
    AUTO_FOCUS = "#rows"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", "tick", id="tick", tooltip="tick this row, or untick it; unfold a title"),
        Binding("ctrl+a", "tick_all", "all", tooltip="tick what is lost and in the list, or untick all"),
        Binding("w", "hand_over", "hand over", id="hand_over", tooltip=_HANDS),
        Binding("w", "take_back", "take back", id="hand_over", tooltip=_HANDS),
        Binding("Y", "copy_prompt", "copy prompt", id="copy_prompt", tooltip="copy ticked lines as a prompt"),
        Binding("!", "pin", "pin", id="pin", tooltip=PINS),
        Binding("o", "transcript", "transcript", id="transcript", tooltip="the transcript of this row"),
        Binding("/", "filter", "filter", id="filter", tooltip="filter here, or find, as you type"),
        hidden("tab,shift+tab", "switch", "rows", tooltip="go to the summary, or back"),
        hidden("u", "undo", "undo", tooltip="undo the last change"),
        hidden("ctrl+r", "undo(True)", "redo", tooltip="redo the last undone change"),
        Binding("escape", "back", "back", id="back", tooltip="back to the rows, to where you were"),
        hidden("q,l", "dismiss", "leave", tooltip="leave it"),
    ]
    signs: ClassVar[Mapping[str, str]] = {
        **FATE_SIGNS,
        **FOLD_SIGNS,
        lost.PASSAGE: "the passage of the summary that has the selected row, or some of it",
        "▣": "ticked",
        "▢": "not ticked",
    }
    about = "What a compaction lost and kept, row by row; the other parts are the whole row and the summary."

    def __init__(self, model: ProjectModel, transcript: Path, since: datetime | None, name: str = "") -> None:
        """Make the screen for the first compaction at or after `since`, or the newest one."""
        super().__init__()
        self.model, self._transcript, self._since, self._label = model, transcript, since, name
        self.aftermath: Aftermath | None = None
        self._unread_size = -1
        """The transcript's size in bytes when nothing could be read; -1 before."""
        self._items: Mapping[str, lost.Item] = {}
        self._unfolded: set[str] = set()
        self.ticked: dict[str, Row] = model.ticked.setdefault((transcript, since), {})
        self._waiting: list[Message] = []
        self._pins: set[str] = set()
        """The texts of all pins."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="aftermath-body"):
            yield RowList(
                self._draw,
                is_header=lambda key: isinstance(self._items.get(key), str),
                box=lambda key: -1 if isinstance(self._items[key], lost.Fold) else 3,
                id="rows",
            )
            with Vertical(id="aside"):
                yield Static(id="whole-row")
                yield DocumentView(id="summary")
        yield InputLine("filter", FILTER_HINT)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.listing.empty, self.listing.unread = "Reading the transcript …", True
        self.listing.border_title = Content("Lost")
        self.beside.border_title = Content("Summary")
        self._read()
        self.set_interval(1.0, self._see_delivered)

    @property
    def selected(self) -> lost.Item | None:
        return self._items.get(self.listing.selected or "")

    @work(group="aftermath", exit_on_error=False)
    async def _read(self, before: Collection[str] = ()) -> None:
        """Read the rows; those of keys that waited `before` and wait no longer are ticked, as by `w`."""
        says_why, size = self._unread_size < 0 or self.aftermath is not None, 0
        with suppress(OSError):
            size = self._transcript.stat().st_size
        with self.app.reporting("reading what the compaction lost", wanted=lambda: says_why):
            self.aftermath = found = await asyncio.to_thread(
                self.model.readings.aftermath, self._transcript, self._since, lambda: not self.is_running
            )
            await self._look_for_waiting()
            taken = (row for row in found.missing if row.key in before and not self._waits(row.key))
            self.ticked.update((row.key, row) for row in taken)
            self.refresh_bindings()
            self.listing.unread = False
            self._show_rows(found)
            self._show_room()
            self._show_selected()
        if self.aftermath is None:
            self.listing.empty = "Nothing can be read of this compaction yet; esc goes back."
            self.listing.unread = False
            self.listing.set_rows(())
            self._unread_size = size

    @work(group="waiting", exclusive=True, exit_on_error=False)
    async def _see_delivered(self) -> None:
        before = self._waiting
        if self.aftermath is None and not self.listing.unread:  # a capture is there before its summary
            with suppress(OSError):
                if self._transcript.stat().st_size > self._unread_size:
                    self.listing.unread = True
                    self._read()
        elif before:
            with self.app.reporting("looking for lines that wait"):
                await self._look_for_waiting()
                if self._waiting != before:
                    self._read()

    def _show_rows(self, found: Aftermath) -> None:
        number = sum(each.rows for each in self._waiting)
        waiting = {"waiting": self.app.browser.bar.waiting(number)} if number else {}
        self._items = {**waiting, **lost.items_of(found, self._unfolded, self.words)}
        self.listing.empty = f"No line has “{clean_line(self.words)}”; esc shows all." if self.words else ""
        at_top = not self.listing.scroll_offset.y
        self.listing.set_rows(tuple(self._items))
        if at_top and self.listing.selected:  # with what waits, if the selected row stays in view
            self.listing.scroll_home(animate=False, force=True)
            self.listing.select(self.listing.selected)

    async def _look_for_waiting(self) -> None:
        home, session = self.model.places.home, self._transcript.stem
        self._waiting = await asyncio.to_thread(rows_waiting, home, session)
        with suppress(FileProblem):
            self._pins = {each.pin.text for each in await asyncio.to_thread(self.model.pins.active)}
        for key in filter(self._waits, [*self.ticked]):  # it was handed over: `u` does it, too
            del self.ticked[key]
        self.refresh_bindings()

    def _draw(self, key: str, width: int) -> Content:
        item = self._items[key]
        # Masking each row that is drawn takes time.
        pinned = bool(self._pins) and isinstance(item, Row) and clean_line(masked(item.text)) in self._pins
        number = len(item.keys & self.ticked.keys()) if isinstance(item, lost.Fold) else key in self.ticked
        return lost.draw_item(item, number, width, waits=self._waits(key), pinned=pinned)

    def _waits(self, key: str) -> bool:
        return any(key in each.keys for each in self._waiting)

    @on(RowList.Highlighted)
    def _show_selected(self) -> None:
        item = self.selected if isinstance(self.selected, Row | Unfounded) else None
        self.evidence.display = item is not None
        if item is not None:
            waits = isinstance(item, Row) and self._waits(item.key)
            self.evidence.border_title, self.evidence.border_subtitle = lost.verdict(item, waits)
            self.evidence.update(Content("\n".join(lost.quotes_of(item))))
        if self.aftermath is not None:
            is_lost = isinstance(item, Row) and item.state == "lost"  # no passage has more than a word of it
            passage = None if item is None or is_lost else item.evidence
            document, found = lost.summary_document(self.aftermath.compaction.summary, passage)
            self.beside.show(document, keep_scroll=True)
            if passage:
                self.beside.reveal(found)

    @property
    def idle_keys(self) -> frozenset[str]:
        """In a small window the footer has room for few: without ticks for ticking, then for handing over."""
        idle = ["open", "tick" if self.ticked or self._waiting else "hand_over"]
        return frozenset(idle if self.has_class("-short") else ())

    def _show_room(self) -> None:
        rows = tuple(self.ticked.values())
        if self.aftermath is not None:
            title = f"Lost {len(self.aftermath.counted_losses)}"
            title += f' · "{self.words}" ✕' if self.words else ""
            if self.has_class("-short"):  # there is no border below
                title += f" · {len(rows)} ticked" if rows else ""
            else:
                moment = parse_iso(self.aftermath.compaction.source.timestamp)
                title += f" · {self._label or (day_and_minute(moment) if moment else '')}"
            self.listing.border_title = Content(title)
        usage = f"{len(rows)} ticked · {size_of_rows(rows):,} of {ROOM:,} characters"
        self.listing.border_subtitle = Content.styled(usage, "$accent" if rows else "$quiet")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Two actions share a key: without ticks it takes back what waits."""
        if action in ("hand_over", "take_back"):
            return (action == "take_back") == bool(self._waiting and not self.ticked)
        return super().check_action(action, parameters)

    def action_tick(self) -> None:
        if not self._folded():
            self._tick()

    @on(RowList.BoxClicked)
    def _tick(self) -> None:
        """Tick the selected row, or untick it."""
        item = self.selected
        if not isinstance(item, Row) or not item.missing:
            self.app.warn("Only what is lost can be ticked.")
        elif self._waits(item.key):
            self.app.warn("This line waits already: w without ticks takes back what waits.")
        elif item.key not in self.ticked and size_of_rows((*self.ticked.values(), item)) > ROOM:
            self.app.warn("There is no room for this line beside the ticked ones.")
        else:
            if self.ticked.pop(item.key, None) is None:
                self.ticked[item.key] = item
            self._ticks_changed()

    def action_tick_all(self) -> None:
        """Tick what is lost and in the list, once: what is folded nobody has seen."""
        rows = (item for item in self._items.values() if isinstance(item, Row) and item.state == "lost")
        wanted = self.ticked | {row.key: row for row in rows if not row.double and not self._waits(row.key)}
        every = {row.key: row for row in fitting(wanted.values())}
        if not wanted:
            self.app.warn("No lost line is left to tick here.")
        elif self.ticked == every:
            every = {}
        elif len(every) < len(wanted):
            self.app.say(f"{len(every)} of {len(wanted)} lines have room.")
        self.ticked.clear()
        self.ticked.update(every)
        self._ticks_changed()

    def _ticks_changed(self) -> None:
        self.refresh_bindings()
        self._show_room()
        self.listing.refresh_rows()

    def _chosen(self) -> tuple[Row, ...]:
        if not self.ticked:
            self.app.warn("Nothing is ticked: space ticks a line, ctrl+a what is lost in the list.")
        return tuple(self.ticked.values())

    def action_copy_prompt(self) -> None:
        missing = self.aftermath.missing if self.aftermath else ()
        rows = () if self.ticked else tuple(row for row in missing if self._waits(row.key))
        rows = rows or self._chosen()
        if rows and self.aftermath is not None:
            text = rescue_text(self.aftermath, rows, self.model.project.name)
            self.app.copy_text(text, name=f"the restore prompt with {counted(len(rows), 'line')}")

    @reported("handing over", group="update")
    async def action_hand_over(self) -> None:
        aftermath, model = self.aftermath, self.model
        rows = self._chosen()
        if not rows or aftermath is None:
            return

        def hand() -> Message:
            what = f"handed over {counted(len(rows), 'line')}"
            with model.changes.of_files(what, undone="that no longer waits") as making:
                done = hand_over(model.places, model.clock, aftermath, rows)
                making.files.append(done.path)
            return done

        done = await asyncio.to_thread(hand)
        await self._handed(aftermath, ())
        says = f"{lines_wait(done.rows)} of session {clean_line(aftermath.session_id)[:8]}"
        days, lacks = 0, await asyncio.to_thread(model.lacks_hooks)
        with suppress(OSError):
            days = int((model.clock().timestamp() - self._transcript.stat().st_mtime) // 86_400)
        needs = f", quiet for {days} d (S, then R resumes it)" if days > 0 else ""
        needs += ", but no hooks are installed (i)" if lacks else ""
        if needs:
            self.app.warn(f"{says}{needs}: Y copies a prompt for another. u takes it back.")
        else:
            self.app.say(f"{says}; u takes it back.")

    async def _handed(self, aftermath: Aftermath, ticked: Iterable[Row]) -> None:
        """Show what waits now; the ticks have done their work."""
        self.workers.cancel_group(self, "waiting")  # it may have looked before
        self.ticked.clear()
        self.ticked.update((row.key, row) for row in ticked)
        self._ticks_changed()
        self.app.hint("handover")
        await self._look_for_waiting()
        self._show_rows(aftermath)
        self._show_selected()

    @reported("taking back", group="update")
    async def action_take_back(self) -> None:
        """Take back what waits, and tick its lines: without some of them, `w` hands over the others."""
        aftermath, waiting = self.aftermath, self._waiting
        if aftermath is None:
            return

        def take() -> int:
            outbox = Outbox(self.model.places.home, self._transcript.stem)
            files = [each.path for each in waiting]
            with self.model.changes.of_files("took lines back", files, "they wait again"):
                return sum(each.rows for each in waiting if outbox.remove(each))

        taken = await asyncio.to_thread(take)
        keys = {key for each in waiting for key in each.keys} if taken else set()
        await self._handed(aftermath, (row for row in aftermath.missing if row.key in keys))
        said = f"{counted(taken, 'line')} taken back; u hands over again."
        self.app.say(said if taken else "It was delivered already.")

    @work(group="pin", exit_on_error=False)
    async def action_pin(self) -> None:
        item = self.selected
        if isinstance(item, Row):
            await self.app.pin(item.text, self._transcript, item.source.line).wait()
            await self._look_for_waiting()
            self.listing.refresh_rows()
        else:
            self.app.warn("No line is selected: a title cannot be pinned.")

    def action_undo(self, redo: bool = False) -> None:
        before = {key for each in self._waiting for key in each.keys}
        self.app.action_undo(redo, partial(self._read, before))

    def action_transcript(self) -> None:
        item = self.selected
        # What has no line was in force at the compaction, as a branch is.
        line = self.aftermath.compaction.source.line if self.aftermath else 0
        if isinstance(item, Row) and item.source.line:
            self.app.open_transcript(self._transcript, item.source.line, find=_query_of(item))
        else:
            self.app.open_transcript(self._transcript, line)

    @on(RowList.Opened)
    def _opened(self) -> None:
        if not self._folded():
            self.action_transcript()

    def _folded(self) -> bool:
        """Fold what is below the selected title, or unfold it; whether a title is selected."""
        if not isinstance(self.selected, lost.Fold) or self.aftermath is None:
            return False
        self._unfolded ^= {self.selected.name}
        self._show_rows(self.aftermath)
        return True

    def show_filtered(self) -> None:
        if self.aftermath is not None:
            self._show_rows(self.aftermath)
            self._show_room()


def _query_of(row: Row) -> Query:
    """Finds the first quote of a row by both ends of its phrases: a mark may be missing between them."""
    first, phrases = row.text.split(TOGETHER)[0], list[str]()
    for words in map(str.split, _PHRASES.split(first)):
        half = len(words) if len(words) < _KNOWN else (len(words) + 1) // 2
        phrases += map(" ".join, (words[:half][:_KNOWN], words[half:][-_KNOWN:]))
    told = [each for each in phrases if len(each) > _SHORTEST] or list(filter(None, phrases))
    return Query(cut(first, _NAMED).removesuffix("…"), tuple(dict.fromkeys(told)))
