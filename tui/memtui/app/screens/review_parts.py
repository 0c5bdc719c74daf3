"""The parts of the review: its form as text and as fields, and the facts of the session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, NamedTuple

from textual import events, getters, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import TextArea

from memtui.app.base import hidden
from memtui.app.details.capture import todo_line
from memtui.app.widgets.document import Document, line
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.row_list import RowList, row
from memtui.app.widgets.text_field import TextField
from memtui.app.widgets.wrap import cut_left
from memtui.documents.events import EvidenceGroup, EvidenceItem
from memtui.documents.memory_file import MemoryFile
from memtui.documents.quotes import without_source
from memtui.engines.drafts import Reworded
from memtui.ground.clean import clean, clean_line
from memtui.lost.records import TOGETHER
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
        self._fields = {field.name: FormField(field) for field in FIELDS}
        self._target = "learnings"

    def compose(self) -> ComposeResult:
        yield from self._fields.values()

    def on_mount(self) -> None:
        self.aim(self._target)

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, FormField):
            self.aim(event.widget.field.name)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.scroll_to_widget(event.widget, animate=False, force=True)

    def field(self, name: str) -> FormField:
        return self._fields[name]

    @property
    def target(self) -> FormField:
        return self.field(self._target)

    def aim(self, name: str) -> None:
        self._target = name
        for field in self._fields.values():
            field.is_target = field.field.name == name
            field.fit()

    @property
    def texts(self) -> dict[str, str]:
        return {name: field.text for name, field in self._fields.items()}

    def holds(self, text: str) -> bool:
        return bool(text) and any(text in each for each in self.texts.values())

    @property
    def changed(self) -> list[Field]:
        return [each.field for each in self._fields.values() if each.text != each.drafted]

    @property
    def unsaved(self) -> bool:
        return bool(self.changed) and any(self.texts.values())

    def draft(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            area = self.field(name)
            # Text typed meanwhile is not a draft.
            area.drafted = "" if area.text else clean(text)
            if not area.text:
                area.write(area.drafted)

    def replace(self, texts: Mapping[str, str], names: Iterable[str]) -> None:
        for name in names:
            self.field(name).drafted = clean(texts[name])
            self.field(name).write(clean(texts[name]))


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
