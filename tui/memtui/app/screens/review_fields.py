"""The fields of the memory form, as high as their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus
from textual.widgets import TextArea

from memtui.app.screens.review_form import FIELDS, Field, with_item
from memtui.app.widgets.text_field import TextField
from memtui.ground.clean import clean

_FRAME = 2
_TARGET_AT_FIRST = "learnings"


class FormField(TextField):
    """One field of the memory form."""

    def __init__(self, field: Field) -> None:
        super().__init__(id=f"field-{field.name}", tab_behavior="focus", highlight_cursor_line=False)
        self.field = field
        self.border_title = Content(field.label)
        self.styles.height = 1 + _FRAME

    @on(TextArea.Changed)
    def _changed(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        """Fit the text once it is wrapped to the new width."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        height = max(1, self.wrapped_document.height) + _FRAME
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height

    def add(self, text: str) -> bool:
        """Add a piece of text; False if the field already contains it."""
        after = with_item(self.text, text, listed=self.field.listed)
        if after == self.text:
            return False
        self.text = after
        self.move_cursor(self.document.end)
        return True


class ReviewForm(VerticalScroll):
    """The fields, the drafts put into them, and the field that facts are added to."""

    def __init__(self) -> None:
        super().__init__(id="form", can_focus=False)
        self._drafted: dict[str, str] = {}
        self._target = _TARGET_AT_FIRST

    def compose(self) -> ComposeResult:
        """One field below the other."""
        for field in FIELDS:
            yield FormField(field)

    def on_mount(self) -> None:
        """Mark the field that facts are added to."""
        self.aim(self._target)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Bring the whole field into view, with its frame."""
        self.scroll_to_widget(event.widget, animate=False, force=True)

    def field(self, name: str) -> FormField:
        """A field of the form."""
        return self.query_one(f"#field-{name}", FormField)

    @property
    def target(self) -> FormField:
        """The field that facts are added to."""
        return self.field(self._target)

    def aim(self, name: str) -> None:
        """Add facts to this field from now on."""
        self._target = name
        for field in FIELDS:
            here = field.name == name
            self.field(field.name).border_subtitle = Content("space adds here") if here else ""

    @property
    def texts(self) -> dict[str, str]:
        """The values of the fields."""
        return {field.name: self.field(field.name).text for field in FIELDS}

    def holds(self, text: str) -> bool:
        """Whether any field contains a text."""
        return bool(text) and any(text in self.field(field.name).text for field in FIELDS)

    @property
    def changed(self) -> list[Field]:
        """The fields that differ from the draft."""
        return [field for field in FIELDS if self.field(field.name).text != self._drafted.get(field.name, "")]

    @property
    def unsaved(self) -> bool:
        """Whether the user has edited any field."""
        return bool(self.changed) and any(self.texts.values())

    def draft(self, texts: Mapping[str, str]) -> None:
        """Put a draft into every empty field."""
        for name, text in texts.items():
            area = self.field(name)
            # Text typed meanwhile is not a draft.
            self._drafted[name] = "" if area.text else clean(text)
            if not area.text:
                area.text = clean(text)

    def replace(self, texts: Mapping[str, str], names: Iterable[str]) -> None:
        """Replace the draft of some fields."""
        for name in names:
            self._drafted[name] = clean(texts[name])
            self.field(name).text = self._drafted[name]
