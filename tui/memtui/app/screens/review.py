"""The review of a capture: evidence at the left, the memory form at the right."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus
from textual.widgets import TextArea

from memtui.app.base import PINS, hidden
from memtui.app.details.capture import todo_line
from memtui.app.details.lost import lost_evidence
from memtui.app.listings import CaptureRow
from memtui.app.project import ProjectModel
from memtui.app.screens.asking import Ask, DraftScreen
from memtui.app.screens.dialogs import ReadingScreen
from memtui.app.widgets.document import Document, line
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.footer import KeyFooter
from memtui.app.widgets.row_list import RowList, row
from memtui.app.widgets.text_field import TextField
from memtui.app.widgets.wrap import cut_left
from memtui.documents.capture import Capture
from memtui.documents.events import EvidenceGroup, EvidenceItem, evidence
from memtui.documents.memory_file import MemoryFile, draft_memory, draft_summary
from memtui.documents.quotes import without_source
from memtui.engines.drafts import Reworded, review_by_claude
from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileProblem
from memtui.lost.records import TOGETHER
from memtui.store.compact import Reviewed, facts_of_capture, review
from memtui.store.listing import Entry
from memtui.transcript import ReadingCancelledError
from memtui.transcript.records import Facts
from memtui.transcript.short_text import one_line


class Field(NamedTuple):
    """One field of the form."""

    name: str
    """That of the `MemoryFile` field; `summary` belongs to the capture."""
    label: str
    hint: str = ""
    """A few words beside its label on what to write; "" for none."""
    listed: bool = False
    optional: bool = False
    """Whether it is folded to one line without the focus, as its draft usually needs no change."""


FIELDS = (
    Field("title", "Title"),
    Field("summary", "Summary", "for the capture"),
    Field("learnings", "Learnings", "what to keep", listed=True),
    Field("goal", "Goal", optional=True),
    Field("questions", "Open questions / issues", listed=True, optional=True),
    Field("confidence", "Confidence", "High, Medium or Low, and why", optional=True),
    Field("key_files", "Key files", listed=True, optional=True),
)


def to_fields(draft: Reworded) -> dict[str, str]:
    values = dict(draft.memory) | {"summary": draft.summary}
    for field in FIELDS:
        if field.listed:
            values[field.name] = _listed(values[field.name])
    return {field.name: values[field.name] for field in FIELDS}


def from_fields(texts: Mapping[str, str], original: MemoryFile) -> Reworded:
    """The draft in the form's texts; parts of `original` without a field are kept."""
    values = {
        field.name: items(texts[field.name]) if field.listed else texts[field.name].strip()
        for field in FIELDS
    }
    summary = values.pop("summary")
    assert isinstance(summary, str)
    return Reworded(original.replace(**values), " ".join(summary.split()))


def _listed(found: Iterable[str]) -> str:
    """Items as lines with a dash; further lines of an item are indented."""
    return "\n".join("- " + each.replace("\n", "\n  ") for each in found)


def items(text: str) -> tuple[str, ...]:
    """Lines as items: a dash or asterisk may lead, an indented line continues the previous one."""
    found: list[str] = []
    for each in text.split("\n"):
        if each.startswith("  ") and each.strip() and found:
            found[-1] += "\n" + each[2:].rstrip()
        elif each.strip():
            found.append(each.strip().removeprefix("- ").removeprefix("* ").strip())
    return tuple(item for item in found if item)


class FormField(TextField):
    """One field of the memory form: its label, and below it the text.

    Where the text is empty, or the field optional, only the label's line is shown, with the text's beginning,
    until the field has the focus.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "screen.switch", "facts", priority=True, tooltip="go from the form to the facts")
    ]

    def __init__(self, field: Field) -> None:
        super().__init__(id=f"field-{field.name}", tab_behavior="focus", highlight_cursor_line=False)
        self.field = field
        self.is_target = False
        self.drafted = ""
        self.set_class(field.optional, "-optional")

    def on_mount(self) -> None:
        self.watch(self, "has_focus", self.fit)

    @on(TextArea.Changed)
    def fit(self) -> None:
        folded = not self.has_focus and (self.field.optional or not self.text.strip())
        self.styles.height = 1 + (0 if folded else max(1, self.wrapped_document.height))  # one is the label's
        aside = f" ({self.field.hint})" if self.field.hint and not (folded and self.text.strip()) else ""
        aside += " · space adds here" if self.is_target and not self.has_focus else ""
        if folded:
            text = "; ".join(items(self.text)) if self.field.listed else self.text
            aside += f": {one_line(text) or 'nothing yet'}"
        self.border_title = Content.assemble(self.field.label, (aside, "$quiet not bold"))

    def on_resize(self) -> None:
        self.call_after_refresh(self.fit)
        if self.has_focus:  # it has unfolded
            self.call_after_refresh(self.scroll_visible, animate=False, force=True)

    def toggle(self, text: str) -> bool:
        """Add a text, or take it out if it was added; whether it is there now."""
        joint, each = ("\n", f"- {text}") if self.field.listed else (" ", text)
        before, found, after = f"{joint}{self.text.rstrip()}{joint}".rpartition(f"{joint}{each}{joint}")
        if found and (self.field.listed or not after):
            self.write(f"{before}{joint}{after}".strip(joint))
            return False
        if text not in (items(self.text) if self.field.listed else self.text):
            self.write(joint.join(filter(None, (self.text.rstrip(), each))))
        return True

    def write(self, text: str) -> None:
        """Put a text in, to be typed on at its end."""
        self.text = text
        self.move_cursor(self.document.end)


class ReviewForm(VerticalScroll):
    """The fields, the drafts put into them, and the field that facts are added to."""

    def __init__(self) -> None:
        super().__init__(id="form", can_focus=False)
        self.fields = {field.name: FormField(field) for field in FIELDS}
        self._target = "learnings"

    def compose(self) -> ComposeResult:
        yield from self.fields.values()

    def on_mount(self) -> None:
        self.aim(self._target)

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, FormField):
            self.aim(event.widget.field.name)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.scroll_to_widget(event.widget, animate=False, force=True)

    @property
    def target(self) -> FormField:
        return self.fields[self._target]

    def aim(self, name: str) -> None:
        self._target = name
        for field in self.fields.values():
            field.is_target = field.field.name == name
            field.fit()

    @property
    def texts(self) -> dict[str, str]:
        return {name: field.text for name, field in self.fields.items()}

    def holds(self, text: str) -> bool:
        return bool(text) and any(text in each for each in self.texts.values())

    @property
    def changed(self) -> list[Field]:
        return [each.field for each in self.fields.values() if each.text != each.drafted]

    @property
    def unsaved(self) -> bool:
        return bool(self.changed) and any(self.texts.values())

    def draft(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            area = self.fields[name]
            # Text typed meanwhile is not a draft.
            area.drafted = "" if area.text else clean(text)
            if not area.text:
                area.write(area.drafted)

    def replace(self, texts: Mapping[str, str], names: Iterable[str]) -> None:
        for name in names:
            self.fields[name].drafted = clean(texts[name])
            self.fields[name].write(clean(texts[name]))


def written(item: EvidenceItem) -> str:
    text = clean_line(item.text)
    return re.sub(r"\[[ x>-]\] ", "", text, count=1) if item.kind == "todo" else text


def _full_text(item: EvidenceItem) -> str:
    """Text and detail; only one of them if it contains the other. Lost lines stand one below the other."""
    if not item.detail or item.detail == item.text:
        return item.text.replace(TOGETHER, "\n") if item.kind == "lost" else item.text
    shortened = item.detail.startswith(item.text.rstrip("…"))
    return item.detail if shortened else f"{item.text}\n{item.detail}"


class EvidencePane(Vertical):
    """The list of facts, and the selected one in full."""

    BINDINGS: ClassVar[list[BindingType]] = [  # Textual would go to a form that is behind in a narrow window
        hidden("tab", f"screen.switch('{FIELDS[0].name}')", tooltip="go to the first field"),
        hidden("shift+tab", f"screen.switch('{FIELDS[-1].name}')", tooltip="go to the last field"),
    ]
    listing = getters.query_one("#evidence", RowList)

    def __init__(self, is_used: Callable[[str], bool]) -> None:
        """Make the pane; `is_used` tells whether a text is already in the form."""
        super().__init__(id="facts")
        self._is_used = is_used
        self._items: dict[str, EvidenceItem | str] = {}

    def compose(self) -> ComposeResult:
        yield RowList(
            self._draw,
            is_header=lambda key: isinstance(self._items.get(key), str),
            empty="Reading the transcript …",
            id="evidence",
        )
        whole = DocumentView(id="fact")
        whole.can_focus = False
        yield whole

    @property
    def selected(self) -> EvidenceItem | None:
        item = self._items.get(self.listing.selected or "")
        return item if isinstance(item, EvidenceItem) else None

    def fill(self, groups: tuple[EvidenceGroup, ...], nothing: str) -> None:
        self._items = {}
        for number, group in enumerate(groups):  # a title by the number of its group, an item as in `2.0`
            self._items[f"{number}"] = f"{group.title}  {len(group.items)}"
            self._items |= {f"{number}.{index}": item for index, item in enumerate(group.items)}
        self.listing.empty = clean(nothing)
        self.listing.set_rows(tuple(self._items))

    @on(RowList.Highlighted)
    def _show(self) -> None:
        self.query_one("#fact", DocumentView).show(self.whole)

    @property
    def whole(self) -> Document:
        item = self.selected
        lines = (line(each) for each in clean(todo_line(_full_text(item))).split("\n")) if item else ()
        return Document(lines)

    def _draw(self, key: str, width: int) -> Content:
        item = self._items.get(key)
        if not isinstance(item, EvidenceItem):
            return Content(clean_line(item or ""))
        text = f" {todo_line(clean_line(item.text))}"
        said = written(item)  # drafts cite its line without the time
        bare = without_source(said)
        used = "used" if any(map(self._is_used, (said, f"{bare} (", f"`{bare}`"))) else ""
        if item.kind in ("file", "reference"):
            text = cut_left(text, max(1, width - len(used) - 1) if used else width)
        return row([text], used, width) if used else Content(text)


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
            self._by_model = len(changed) < len(FIELDS)
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
            before, there = target.text, target.toggle(written(item))
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
        text, line = (without_source(written(item)), item.line) if item else ("", 0)
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
        there = self.form.fields[field] if field else self.form.target
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
        draft = from_fields(self.form.texts, self._memory)
        if not draft.memory.title:
            self.app.warn("Give the memory a title first.")
            self.set_focus(self.form.fields["title"])
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
