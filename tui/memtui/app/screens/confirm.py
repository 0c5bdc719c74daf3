"""A yes-no question, asked before something would be lost."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from memtui.app.keys.question_commands import CONFIRM
from memtui.app.stylesheets import stylesheet
from memtui.app.widgets.document import Document
from memtui.app.widgets.document_view import DocumentView


class ConfirmScreen(ModalScreen[bool]):
    """Asks `question`; y and n answer, enter presses the highlighted button, escape means no.

    Only the button with the focus is highlighted. If yes destroys nothing, it is `safe` and has the focus, so
    that enter confirms.
    """

    DEFAULT_CSS = stylesheet("confirm")
    SCOPED_CSS = False
    HORIZONTAL_BREAKPOINTS = [(0, "-tight"), (40, "-narrow"), (100, "-wide")]  # noqa: RUF012 - see the app
    TABLE = CONFIRM
    BINDINGS: ClassVar[list[BindingType]] = [
        *TABLE.bindings(),
        Binding("down,j", "read('lines', 1)", show=False),
        Binding("up,k", "read('lines', -1)", show=False),
        Binding("pagedown,space", "read('page', 1)", show=False),
        Binding("pageup", "read('page', -1)", show=False),
    ]

    def __init__(
        self, question: str, *, yes: str, no: str, document: Document | None = None, safe: bool = False
    ) -> None:
        """Make the question.

        Args:
            question: one sentence.
            yes: label of the first answer, a word.
            no: label of the other one.
            document: text to read before answering.
            safe: whether yes loses nothing.
        """
        super().__init__()
        self._document = document
        self._question = question
        self._yes = yes
        self._no = no
        self._safe = safe

    def compose(self) -> ComposeResult:
        """The question, the document, and the answers."""
        with Vertical(id="confirm"):
            yield Static(Content(self._question), id="question")
            if self._document is not None:
                view = DocumentView(self._document, id="asked-about")
                view.can_focus = False
                yield view
            with Horizontal(id="answers"):
                yield Button(Content(f"{self._yes} (y)"), id="yes", compact=True)
                yield Button(Content(f"{self._no} (n)"), id="no", compact=True)

    def on_mount(self) -> None:
        """Focus the answer that loses nothing, as enter is easily pressed by habit."""
        self.set_class(self._document is not None, "-large")
        self.query_one("#yes" if self._safe else "#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Either button answers."""
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_read(self, unit: str, number: int) -> None:
        """Scroll the document."""
        for view in self.query(DocumentView):
            view.action_lines(number) if unit == "lines" else view.action_page(number)

    def action_answer(self, answer: bool) -> None:
        """A key answers."""
        self.dismiss(answer)
