"""A document to read, over everything else."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from memtui.app.keys.reader_commands import READING
from memtui.app.stylesheets import stylesheet
from memtui.app.widgets.document import Document
from memtui.app.widgets.document_view import DocumentView
from memtui.app.widgets.key_bar import KeyBar


class ReadingScreen(Screen[None]):
    """Shows a document until it is left."""

    DEFAULT_CSS = stylesheet("reading")
    SCOPED_CSS = False
    TABLE = READING
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(self, title: str, document: Document, *, at: int = 0) -> None:
        """Make the screen; `title` is clean, and `at` is the first line to show."""
        super().__init__()
        self._at = at
        self._title = title
        self._document = document

    def compose(self) -> ComposeResult:
        """The document and its keys."""
        yield DocumentView(self._document, id="reading")
        yield KeyBar()

    def on_mount(self) -> None:
        """Scroll to the first line to show."""
        view = self.query_one(DocumentView)
        view.border_title = Content(self._title)
        view.reveal(self._at)
        view.focus()
        self.query_one(KeyBar).keys = self.TABLE.bar()

    async def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """Run the key that was clicked."""
        await self.run_action(message.action)
