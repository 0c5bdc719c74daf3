"""The current session as a recovery text: drafted, read and changed, stored under a Recovery ID."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, TextArea

from memtui.app.browser import Browser
from memtui.app.memory_detail import checklist_lines
from memtui.app.memory_edits import Edited, stored, tags_of
from memtui.app.screens.confirm import ConfirmScreen
from memtui.app.widgets.document import Document, Line, line
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.key_bar import KeyBar
from memtui.clean import clean, clean_line
from memtui.extract.checklist import Point, check_recovery
from memtui.extract.facts import ReadingCancelledError
from memtui.files import FileProblem
from memtui.flows.compact import Compacted, draft, keep
from memtui.formats.model import FormatError

if TYPE_CHECKING:
    from memtui.app.app import MemtuiApp

_PAUSE = 0.3
"""Seconds that typing must rest before the text is checked."""


class Read(Message):
    """So much of the transcript has been read."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def can_replace(self, message: Message) -> bool:
        """Only the last one counts."""
        return isinstance(message, Read)


class CompactScreen(Screen[Edited | None]):
    """The text at the left; description, tags and checklist at the right."""

    if TYPE_CHECKING:
        app: MemtuiApp

    AUTO_FOCUS = "#compact-text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "store", show=False, priority=True),
        Binding("f2", "switch", "checks", show=False, priority=True),
        Binding("escape", "leave", "leave", show=False),
    ]
    KEYS = (
        ("ctrl+s", "store", "screen.save"),
        ("tab", "next field", "app.focus_next"),
        ("f2", "checks", "screen.switch"),
        ("esc", "leave", "screen.leave"),
    )

    def __init__(self, browser: Browser) -> None:
        super().__init__()
        self.browser = browser
        self._compacted: Compacted | None = None
        self._drafted = ("", "", "")
        self._storing = False
        self._gone = False

    def compose(self) -> ComposeResult:
        """Text and form side by side; in a narrow window one of them at a time."""
        with Horizontal(id="compact"):
            yield TextArea(id="compact-text", compact=True, tab_behavior="focus", highlight_cursor_line=False)
            with Vertical(id="compact-form"):
                yield Input(id="compact-description", compact=True, select_on_focus=False)
                yield Input(id="compact-tags", compact=True, select_on_focus=False, placeholder="a, b")
                yield DocumentView(id="compact-checks")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start drafting."""
        self.query_one(KeyBar).keys = self.KEYS
        for name, title in (
            ("text", "Recovery text of the current session"),
            ("description", "Description"),
            ("tags", "Tags, commas between"),
            ("checks", "Checklist"),
        ):
            self.query_one(f"#compact-{name}").border_title = Content(title)
        self.text_area.read_only = True
        self._draft()

    def on_unmount(self) -> None:
        """Reading ends when nobody waits for it."""
        self._gone = True

    @property
    def text_area(self) -> TextArea:
        """Where the text is changed."""
        return self.query_one("#compact-text", TextArea)

    def _said(self) -> tuple[str, str, str]:
        """Text, description and tags as they stand in the form."""
        description, tags = (self.query_one(f"#compact-{name}", Input).value for name in _INPUTS)
        return self.text_area.text, description, tags

    @work(group="compact", exit_on_error=False)
    async def _draft(self) -> None:
        try:
            with self.app.reporting("drafting the recovery text"):
                self._fill(await asyncio.to_thread(self._read))
        finally:
            if self._compacted is None and not self._gone:
                self.dismiss(None)

    def _read(self) -> Compacted:
        def tell(done: int, total: int) -> None:
            if not self._gone:
                self.post_message(Read(done / total if total else 1.0))

        try:
            return draft(self.browser.places, progress=tell, cancelled=lambda: self._gone)
        except ReadingCancelledError as error:
            raise asyncio.CancelledError from error

    def on_read(self, message: Read) -> None:
        """Say how far the reading is."""
        if self._compacted is None:
            self.text_area.border_subtitle = Content(f"reading the transcript {message.share:.0%}")

    def _fill(self, compacted: Compacted) -> None:
        self._compacted = compacted
        area = self.text_area
        area.read_only = False
        area.border_subtitle = ""
        area.text = clean(compacted.text)
        area.move_cursor((0, 0))
        self.query_one("#compact-description", Input).value = clean_line(compacted.description)
        self._drafted = self._said()
        if compacted.note:
            self.say(f"{clean_line(compacted.note)}.".replace("..", "."), warn=True)

    def say(self, text: str, *, warn: bool = False) -> None:
        """Tell the person what happened, in one line."""
        self.app.say(text, severity="warning" if warn else "information")

    @on(TextArea.Changed, "#compact-text")
    @work(group="checks", exclusive=True, exit_on_error=False)
    async def _check(self) -> None:
        """Check the text once typing rests."""
        await asyncio.sleep(_PAUSE if self.query_one("#compact-checks", DocumentView).document else 0)
        text = self.text_area.text
        with self.app.reporting("checking the text"):
            try:
                points = await asyncio.to_thread(check_recovery, text)
            except FormatError as error:
                lines = [line(f"This is no recovery text: {error}.", "bad")]
            else:
                lines = self._checked(points)
            self.query_one("#compact-checks", DocumentView).show(Document(lines), keep_scroll=True)

    def _checked(self, points: tuple[Point, ...]) -> list[Line]:
        """The checklist; a point that did not pass leads to its line."""
        lines = checklist_lines(points)
        lead = [point for point in points if point.verdict.value != "pass"]
        return [
            lines[0],
            *(
                shown._replace(link=f"line:{point.line}") if point.line else shown
                for point, shown in zip(lead, lines[1:], strict=True)
            ),
        ]

    @on(DocumentView.Followed)
    def _followed(self, message: DocumentView.Followed) -> None:
        row = int(message.link.removeprefix("line:")) - 1
        self.remove_class("-checks")
        self.text_area.move_cursor((row, 0), center=True)
        self.set_focus(self.text_area)

    @on(KeyBar.Pressed)
    async def _key_pressed(self, message: KeyBar.Pressed) -> None:
        await self.run_action(message.action)

    def action_switch(self) -> None:
        """Go from the text to description, tags and checklist, or back."""
        if self.focused is self.text_area:
            self.add_class("-checks")
            self.set_focus(self.query_one("#compact-description"))
        else:
            self.remove_class("-checks")
            self.set_focus(self.text_area)

    def action_save(self) -> None:
        """Store the text, once."""
        if self._compacted is not None and not self._storing:
            self._storing = True
            self._save(self._compacted)

    @work(group="save", exit_on_error=False)
    async def _save(self, compacted: Compacted) -> None:
        text, description, tags = self._said()
        # What nobody has changed is stored as it was drafted, not as it is shown.
        kept = compacted if text == self._drafted[0] else replace(compacted, text=text)
        places, clock = self.browser.places, self.browser.clock
        try:
            with self.app.reporting("storing the memory"):
                try:
                    meta = await asyncio.to_thread(
                        lambda: keep(places, clock, kept, description=description.strip(), tags=tags_of(tags))
                    )
                except (FormatError, FileProblem) as problem:
                    self.say(f"Not stored: {problem}.", warn=True)
                else:
                    self.dismiss(stored(self.browser.backend, meta.id))
        finally:
            self._storing = False

    @property
    def unsaved(self) -> bool:
        """Whether leaving now would lose something that was written; a draft can be made again."""
        return self._compacted is not None and self._said() != self._drafted

    @work(group="leave", exclusive=True, exit_on_error=False)
    async def action_leave(self) -> None:
        """Leave without storing; asks when something was written."""
        if self._storing:
            return
        if self.unsaved:
            question = ConfirmScreen("Leave? What you wrote is not stored.", yes="Leave", no="Stay")
            if not await self.app.push_screen_wait(question):
                return
        self.dismiss(None)


_INPUTS = ("description", "tags")
