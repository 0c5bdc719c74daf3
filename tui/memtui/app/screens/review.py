"""The review of a capture: evidence at the left, the memory form at the right."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import DescendantFocus
from textual.widgets import TextArea

from memtui.app.base import PINS, hidden
from memtui.app.details.lost import lost_evidence
from memtui.app.listings import CaptureRow
from memtui.app.project import ProjectModel
from memtui.app.screens import review_parts
from memtui.app.screens.asking import Ask, DraftScreen
from memtui.app.screens.dialogs import ReadingScreen
from memtui.app.screens.review_parts import EvidencePane, FormField, ReviewForm, to_fields
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.row_list import RowList
from memtui.documents.capture import Capture
from memtui.documents.events import EvidenceGroup, evidence
from memtui.documents.memory_file import MemoryFile, draft_memory, draft_summary
from memtui.documents.quotes import without_source
from memtui.engines.drafts import Reworded, review_by_claude
from memtui.ground.files import FileProblem
from memtui.store.compact import Reviewed, facts_of_capture, review
from memtui.store.listing import Entry
from memtui.transcript import ReadingCancelledError
from memtui.transcript.records import Facts


class ReviewScreen(DraftScreen[Reviewed | None, Reworded]):
    """Fills the form with a draft from the facts, lets the user edit it, and saves it atomically."""

    AUTO_FOCUS = "#evidence"
    LEAVING = "Leave the review? What you wrote is not saved."
    form = getters.query_one(ReviewForm)
    facts = getters.query_one(EvidencePane)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "save", priority=True, tooltip="save the review under a Recovery ID"),
        Binding("f2", "switch", "form", priority=True, tooltip="go from the facts to the form, or back"),
        Binding(
            "space", "add", "add fact", tooltip="add this fact to the field that says so, or take it out"
        ),
        Binding("f4", "ask_model", "ask claude", priority=True, tooltip="let claude -p improve the draft"),
        Binding("escape", "leave", "leave", tooltip="leave; asks if something is not saved"),
        Binding("f3", "transcript", "transcript", priority=True, tooltip="read its transcript line"),
        hidden("[", "group(-1)", "before", tooltip="the group before"),
        hidden("]", "group(1)", "next group", tooltip="the next group of facts"),
        Binding("!", "pin", "pin", id="pin", tooltip=PINS),
        hidden("q", "leave", "leave"),
    ]
    signs: ClassVar[Mapping[str, str]] = {
        "✓": "done, or went well",
        "▸": "a task in progress",
        "○": "an open task",
        "✗": "failed",
        "⊘": "refused, stopped or left undone",
        "?": "how it ended is not known",
    }
    idle_keys = frozenset(["open"])  # other keys matter more where there is little room
    about = (
        "Title, summary and learnings are what counts; the other fields are drafted, and open when they have "
        "the focus (tab). The facts stand beside the form or, in a narrow window, behind f2."
    )

    def __init__(self, model: ProjectModel, row: CaptureRow, name: str) -> None:
        super().__init__()
        assert isinstance(row.capture, Capture)
        self.model = model
        self.row = row
        self._label = name
        self.capture = row.capture
        self._memory = MemoryFile(title="")
        self._facts: Facts | None = None
        self._by_model = False
        """Whether the model has written some of it, which takes long to make again."""
        self._draft_facts: Facts | None = None
        """The facts of the draft; None until they are read."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="review"):
            yield EvidencePane(lambda text: self.form.holds(text))
            yield ReviewForm()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.add_class("-evidence")
        self.facts.listing.border_title = Content(f"Evidence · {self._label}")
        self._draft()

    @work(exit_on_error=False)
    async def _draft(self) -> None:
        facts = facts_of_capture(self.capture)
        lost: tuple[EvidenceGroup, ...] = ()
        nothing = "No facts could be read."
        with self.app.reporting("reading the transcript"):
            try:
                transcript = self.model.check_transcript(self.capture.transcript)
                facts, lost = await asyncio.to_thread(self._read, transcript)
                self._facts = facts
                nothing = "The transcript holds nothing that could be evidence."
            except ReadingCancelledError:
                return
            except FileProblem as problem:
                nothing = f"No facts: {problem}."
        with self.app.reporting("drafting the review"):
            self._fill(facts, lost, nothing)

    def _read(self, transcript: Path) -> tuple[Facts, tuple[EvidenceGroup, ...]]:
        readings, since = self.model.readings, self.capture.timestamp
        facts = readings.facts(transcript, since, lambda: not self.is_running)
        lost: tuple[EvidenceGroup, ...] = ()
        with suppress(FileProblem):  # the compaction was not finished
            lost = lost_evidence(readings.aftermath(transcript, since, lambda: not self.is_running))
        return facts, lost

    def _fill(self, facts: Facts, lost: tuple[EvidenceGroup, ...], nothing: str) -> None:
        """Show the facts, and fill untouched fields with the draft made from them."""
        self.facts.fill((), "No facts could be read.")
        # The capture's own text is not evidence: the list shows why there is none.
        groups = evidence(facts, self.model.project.root) if self._facts is not None else ()
        groups = (*lost, *groups)
        self.facts.fill(groups, nothing)
        self._memory = draft_memory(facts)
        self._draft_facts = facts
        self.form.draft(to_fields(Reworded(self._memory, draft_summary(facts))))

    def question(self) -> Ask[Reworded] | str:
        facts = self._draft_facts
        if facts is None:
            return "The draft is not there yet."
        made = (self.capture, self._memory, draft_summary(facts), facts, self.model.places)
        return lambda called_off: review_by_claude(*made, cancelled=called_off)

    def take(self, answer: Reworded) -> None:
        if answer.problem:
            self.say_failed(answer.problem)
        elif not self.saving:
            texts, changed = to_fields(answer), self.form.changed
            self.form.replace(texts, texts.keys() - {field.name for field in changed})
            self._by_model = len(changed) < len(review_parts.FIELDS)
            labels = ", ".join(field.label for field in changed)
            stays = f" What you changed stays: {labels}." if changed else ""
            self.app.say(f"Claude wrote this draft: read it before you save it.{stays}")

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self.set_class(not isinstance(event.widget, FormField), "-evidence")

    def action_add(self) -> None:
        if self.focused is not self.facts.listing:
            self.app.say("Space adds a fact when the evidence has the focus: f2 goes there.")
            return
        item, target = self.facts.selected, self.form.target
        if item is None:
            self.app.say("No fact is selected.")
        else:
            before, there = target.text, target.toggle(review_parts.written(item))
            done = "Taken out of" if not there else "Added to" if target.text != before else "Already in"
            self.app.say(f"{done} {target.field.label}.")

    @on(TextArea.Changed)
    def _used(self) -> None:
        self.facts.listing.refresh_rows()

    @on(RowList.Opened)
    def _read_fact(self) -> None:
        self.app.push_screen(ReadingScreen("Fact", self.facts.whole))

    def action_pin(self) -> None:
        item = self.facts.selected
        text, line = (without_source(review_parts.written(item)), item.line) if item else ("", 0)
        self.app.pin(text, Path(self.capture.transcript) if line else None, line)

    def action_group(self, step: int) -> None:
        """Select the first fact of the next group, or of the one before."""
        group = int((self.facts.listing.selected or "0").partition(".")[0]) + step
        if not self.facts.listing.select(f"{group}.0"):
            self.app.say("There is no group of facts before." if step < 0 else "There is no further group.")

    def action_switch(self, field: str = "") -> None:
        to_form = self.focused is self.facts.listing
        self.set_class(not to_form, "-evidence")
        if isinstance(self.focused, FormField):
            self.form.aim(self.focused.field.name)
        there = self.form.field(field) if field else self.form.target
        self.set_focus(there if to_form else self.facts.listing)

    def action_transcript(self) -> None:
        try:
            path = self.model.check_transcript(self.capture.transcript)
        except FileProblem as problem:
            self.app.warn(f"{problem}.")
        else:
            fact = self.facts.selected if self.focused is self.facts.listing else None
            self.app.open_transcript(path, fact.line if fact else 0)

    async def save(self) -> None:
        draft = review_parts.from_fields(self.form.texts, self._memory)
        if not draft.memory.title:
            self.app.warn("Give the memory a title first.")
            self.set_focus(self.form.field("title"))
            return
        with self.app.reporting("saving the review"):
            try:
                made = (self.model, self.row.entry, draft, self._facts)
                done = await asyncio.to_thread(_review, f"reviewed {self._label}", *made)
            except FileProblem as problem:
                self.app.warn(f"Not saved: {problem}.")
            else:
                self.dismiss(done)

    @property
    def unsaved(self) -> bool:
        return self._by_model or self.form.unsaved


def _review(what: str, model: ProjectModel, entry: Entry, draft: Reworded, facts: Facts | None) -> Reviewed:
    with model.changes.of_files(what, [entry.path], "it waits for a review again") as making:
        done = review(
            model.places,
            model.clock,
            model.captures,
            entry,
            memory=draft.memory,
            summary=draft.summary,
            facts=facts,
        )
        making.files.append(done.memory_path)
        making.stored = (done.recovery_id,)
        making.undo.append(partial(model.backend.delete, done.recovery_id))
        making.redo.append(partial(model.backend.restore, done.recovery_id))
    return done
