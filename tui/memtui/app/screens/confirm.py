"""A question with two answers, asked before something would be lost."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from memtui.app.widgets.document import Document
from memtui.app.widgets.document_view import DocumentView


class ConfirmScreen(ModalScreen[bool]):
    """Asks `question`; y or the first button answers yes, everything else no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n,escape,q", "answer(False)", "no", show=False),
        Binding("left,right", "app.focus_next", show=False),
    ]

    def __init__(self, question: str, *, yes: str, no: str, document: Document | None = None) -> None:
        """Make the question.

        Args:
            question: one sentence.
            yes: what the first answer does, in a word.
            no: what the other one does.
            document: what one should read before answering.
        """
        super().__init__()
        self._document = document
        self._question = question
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        """The safe answer has the focus."""
        with Vertical(id="confirm"):
            yield Static(Content(self._question), id="question")
            if self._document is not None:
                yield DocumentView(self._document, id="asked-about")
            with Horizontal(id="answers"):
                yield Button(Content(f"{self._yes} (y)"), id="yes", variant="warning", compact=True)
                yield Button(Content(f"{self._no} (n)"), id="no", compact=True)

    def on_mount(self) -> None:
        """Enter must not destroy by habit."""
        self.set_class(self._document is not None, "-large")
        self.query_one("#asked-about" if self._document is not None else "#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Either button answers."""
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """A key answers."""
        self.dismiss(answer)
