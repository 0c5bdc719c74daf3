"""A new Recovery ID, displayed prominently."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Digits, Static

from memtui.app.keys.commands import PROMPT
from memtui.app.keys.question_commands import STORED
from memtui.app.stylesheets import stylesheet

if TYPE_CHECKING:
    from memtui.app.host import HostApp


class StoredScreen(ModalScreen[None]):
    """Shows the id in large letters, and copies it; y and Y copy again."""

    if TYPE_CHECKING:
        app: HostApp

    DEFAULT_CSS = stylesheet("stored")
    SCOPED_CSS = False
    TABLE = STORED
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(self, memory_id: str) -> None:
        super().__init__()
        self._memory_id = memory_id

    def compose(self) -> ComposeResult:
        """The id twice: large, and as text."""
        with Vertical(id="stored"):
            yield Digits(self._memory_id.removeprefix("CMEM-"), id="stored-large")
            yield Static(Content.styled(self._memory_id, "bold $accent"), id="stored-id")
            yield Static(Content(PROMPT.format(id=self._memory_id)), id="stored-prompt")

    def on_mount(self) -> None:
        """Copy it at once, as that is usually what it is for."""
        box = self.query_one("#stored")
        box.border_title = Content("Recovery ID")
        box.border_subtitle = Content("y id · Y prompt · esc closes")
        self.action_copy("{id}")

    def action_copy(self, form: str) -> None:
        """Copy the id, or the prompt that restores the memory."""
        self.app.copy_text(form.format(id=self._memory_id))
