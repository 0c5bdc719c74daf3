"""A session as a recovery text: drafted, edited, and stored under a Recovery ID."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, TextArea

from memtui.app.project import ProjectModel
from memtui.app.screens.asking import Ask, DraftScreen
from memtui.app.widgets.document import Document, Line, line, styled
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.input_line import TypedLine
from memtui.app.widgets.text_field import TextField
from memtui.documents.checklist import Point, check_recovery
from memtui.documents.memory import tags_of
from memtui.engines.drafts import compact_by_claude
from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileProblem
from memtui.ground.text import FormatError
from memtui.store.compact import Compacted, draft, keep, stored_already
from memtui.store.sessions import find_transcript
from memtui.transcript import ReadingCancelledError

_PAUSE = 0.3
_NO_WORKFLOW = "## Session ID\n(none)\n\n"
"""The beginning of a recovery text where no workflow session was active (seed 000): stored, not shown."""
_NAMES_SESSION = re.compile(r"^#+ *session id\b", re.IGNORECASE | re.MULTILINE).search


class CompactScreen(DraftScreen[str | None, tuple[Compacted, str]]):
    """The text at the left; description, tags and checklist at the right."""

    AUTO_FOCUS = "#compact-text"
    LEAVING = "Leave? Your changes are not stored."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "store", priority=True, tooltip="store the text under a Recovery ID"),
        Binding("f4", "ask_model", "ask claude", priority=True, tooltip="let claude -p improve the draft"),
        Binding("f2", "switch", "checks", priority=True, tooltip="go to the form and checks, or back"),
        Binding("escape", "leave", "leave", tooltip="leave; asks if something is not stored"),
    ]
    signs: ClassVar[Mapping[str, str]] = {
        "✓": "points that pass",
        "!": "a warning",
        "✗": "a point that fails",
    }
    about = "The recovery text of a session, its description and tags, and its checklist."
    text_area = getters.query_one("#compact-text", TextArea)

    def __init__(self, model: ProjectModel, transcript: Path | str) -> None:
        """Make the screen for the session of a transcript, or the newest where a sentence says why not."""
        super().__init__()
        self.model, self._transcript = model, transcript
        self._compacted: Compacted | None = None
        self._drafted = ("", "", "")
        self._hides = False
        """Whether the draft begins with a part that is not shown."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="compact"):
            yield TextField(id="compact-text", tab_behavior="focus", highlight_cursor_line=False)
            with Vertical(id="compact-form"):
                yield TypedLine(id="compact-description", select_on_focus=False)
                yield TypedLine(id="compact-tags", select_on_focus=False, placeholder="a, b")
                yield DocumentView(id="compact-checks")
        yield KeyFooter()

    def on_mount(self) -> None:
        for name, title in (
            ("text", "Recovery text of the session"),
            ("description", "Description"),
            ("tags", "Tags, commas between"),
            ("checks", "Checklist"),
        ):
            self.query_one(f"#compact-{name}").border_title = Content(title)
        self.text_area.read_only = True
        self._draft()

    def _form_texts(self) -> tuple[str, str, str]:
        description, tags = (field.value for field in self.query(Input))
        return self._lead + self.text_area.text, description, tags

    @property
    def _lead(self) -> str:
        """The part of the text above what is shown; "" if the user has written one, or no such text."""
        text = self.text_area.text
        return _NO_WORKFLOW if self._hides and text.startswith("## ") and not _NAMES_SESSION(text) else ""

    @work(group="compact", exit_on_error=False)
    async def _draft(self) -> None:
        try:
            with self.app.reporting("drafting the recovery text"):
                self._fill(await asyncio.to_thread(self._read))
        finally:
            if self._compacted is None and self.is_running:
                self.dismiss(None)

    def _read(self) -> Compacted:
        def tell(done: int, total: int) -> None:
            self.call_later(self._show_share, f"{done / total if total else 1.0:.0%}")

        try:
            places, path = self.model.places, self._transcript
            # None is the newest, whose workflow is active.
            older = path if isinstance(path, Path) and path != find_transcript(places, "") else None
            return draft(places, transcript=older, progress=tell, cancelled=lambda: not self.is_running)
        except ReadingCancelledError as error:
            raise asyncio.CancelledError from error

    def _show_share(self, share: str) -> None:
        if self._compacted is None and self.is_running:
            self.text_area.border_subtitle = Content(f"reading the transcript {share}")

    def _fill(self, compacted: Compacted) -> None:
        self._compacted = compacted
        area = self.text_area
        area.read_only = False
        self.refresh_bindings()  # letters are typed from now on, and name no keys in the footer
        area.border_title = Content(f"Recovery text of session {clean_line(compacted.session_id)[:8]}")
        area.border_subtitle = "a draft: ctrl+s stores it, esc leaves nothing behind"
        self._show(compacted)
        self.query_one("#compact-description", Input).value = clean_line(compacted.description)
        self._drafted = self._form_texts()
        if compacted.note:
            self.app.warn(f"{clean_line(compacted.note)}.".replace("..", "."))

    def _show(self, compacted: Compacted) -> None:
        text = clean(compacted.text)
        self._hides = text.startswith(_NO_WORKFLOW)
        self.text_area.text = text.removeprefix(_NO_WORKFLOW)
        self.text_area.move_cursor((0, 0))

    def question(self) -> Ask[tuple[Compacted, str]] | str:
        compacted = self._compacted
        if compacted is None:
            return "The draft is not there yet."
        if self._has_changed:
            return "The text was edited, and claude's would replace it: claude is not asked."
        return lambda called_off: compact_by_claude(compacted, cancelled=called_off)

    def take(self, answer: tuple[Compacted, str]) -> None:
        """Show the model's text, unless the user has edited the draft meanwhile."""
        better, problem = answer
        if problem:
            self.say_failed(problem)
        elif self._has_changed:
            self.app.warn("Claude has answered, but you have changed the text meanwhile: yours stays.")
        elif not self.saving:
            self._compacted = better
            self._show(better)
            self._drafted = (self._form_texts()[0], *self._drafted[1:])
            self.app.say("Claude wrote this text: read it before you store it.")

    @property
    def _has_changed(self) -> bool:
        return self._form_texts()[0] != self._drafted[0]

    @on(TextArea.Changed, "#compact-text")
    @work(group="checks", exclusive=True, exit_on_error=False)
    async def _check(self) -> None:
        await asyncio.sleep(_PAUSE if self.query_one("#compact-checks", DocumentView).document else 0)
        text, hidden = self._form_texts()[0], self._lead.count("\n")
        with self.app.reporting("checking the text", wanted=lambda: self.is_running):
            try:
                points = await asyncio.to_thread(check_recovery, text)
            except FormatError as error:
                lines = [line(f"This is not a recovery text: {error}.", "bad")]
            else:
                lines = _checklist(points, hidden)
            self.query_one("#compact-checks", DocumentView).show(Document(lines), keep_scroll=True)

    @on(DocumentView.Followed)
    def _followed(self, message: DocumentView.Followed) -> None:
        row = int(message.link.removeprefix("line:")) - 1
        self.remove_class("-checks")
        self.text_area.move_cursor((row, 0), center=True)
        self.set_focus(self.text_area)

    def action_switch(self) -> None:
        checks = self.focused is self.text_area
        self.set_class(checks, "-checks")
        self.set_focus(self.query_one("#compact-description") if checks else self.text_area)

    async def save(self) -> None:
        compacted = self._compacted
        if compacted is None:
            return
        text, description, tags = self._form_texts()
        # An unchanged text is stored as drafted, not as displayed.
        kept = compacted if text == self._drafted[0] else replace(compacted, text=text)
        with self.app.reporting("storing the memory"):
            try:
                known, new = await asyncio.to_thread(self._store, kept, description.strip(), tags_of(tags))
            except (FormatError, FileProblem) as problem:
                self.app.warn(f"Not stored: {problem}.")
            else:
                if known:
                    self.app.say(f"Already stored as {known}: the session has not changed since.")
                self.dismiss(new or None)

    def _store(self, kept: Compacted, description: str, tags: tuple[str, ...]) -> tuple[str, str]:
        """Store it, unless it was stored before: the id it was stored under then, or its new one."""
        model = self.model
        if known := stored_already(model.places, kept, description=description, tags=tags):
            return known, ""
        new = keep(model.places, model.clock, kept, description=description, tags=tags).id
        model.changes.add_stored(f"stored {new}", model.backend, new)
        return "", new

    @property
    def unsaved(self) -> bool:
        """Whether leaving now would lose edits; a draft can be made again."""
        if self._compacted is None:
            return False
        return self._form_texts() != self._drafted or self._compacted.engine == "claude"


def _checklist(points: Sequence[Point], hidden: int) -> list[Line]:
    """The counts of verdicts on one line, then the points that did not pass, as links to their lines."""
    number = Counter(point.verdict.value for point in points)
    shown = [("pass", "✓", "good"), ("warn", "!", "warn"), ("fail", "✗", "bad")]
    counts = [(f"{number[verdict]} {mark}  ", role) for verdict, mark, role in shown if number[verdict]]
    lines = [styled(("checklist ", "label"), *counts)]
    marks = {verdict: (f"  {mark} ", role) for verdict, mark, role in shown}
    for point in points:
        if point.verdict.value != "pass":
            at = max(0, (point.line or 0) - hidden)
            place = (f"  line {at}", "dim") if at else ""
            made = styled(marks[point.verdict.value], f"{point.name}: ", point.message, place, hang=4)
            lines.append(made._replace(link=f"line:{at}") if at else made)
    return lines
