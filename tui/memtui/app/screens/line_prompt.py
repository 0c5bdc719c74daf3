"""A prompt for one line, over the current screen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.app.keys.question_commands import ASK
from memtui.app.stylesheets import stylesheet


class AskScreen(ModalScreen[str | None]):
    """Asks for one line; enter returns it, escape returns None."""

    DEFAULT_CSS = stylesheet("ask")
    SCOPED_CSS = False
    TABLE = ASK
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(self, question: str, *, value: str = "", hint: str = "") -> None:
        """Make the question.

        Args:
            question: a few words; clean.
            value: the initial text; clean.
            hint: how to answer, shown below; clean.
        """
        super().__init__()
        self._question = question
        self._value = value
        self._hint = hint

    def compose(self) -> ComposeResult:
        """The question, the line, the hint."""
        with Vertical(id="ask"):
            yield Static(Content(self._question), id="asked")
            yield Input(self._value, id="answer", compact=True, select_on_focus=False)
            yield Static(Content(self._hint), id="ask-hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter answers."""
        event.stop()
        self.dismiss(event.value)
