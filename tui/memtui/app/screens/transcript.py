"""A transcript, opened at its end or at a line."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from memtui.app.keys.screen_commands import TRANSCRIPT
from memtui.app.widgets.key_bar import KeyBar
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.clean import clean_line

_FOLLOW = 0.5
"""Seconds between looks at whether the transcript has grown."""


class TranscriptScreen(Screen[None]):
    """The conversation as it stands in Claude Code's file."""

    TABLE = TRANSCRIPT
    BINDINGS: ClassVar[list[BindingType]] = [*TABLE.bindings()]

    def __init__(self, path: Path, line: int = 0) -> None:
        """Open `path` at a line (1-based), or at its end."""
        super().__init__()
        self._path = path
        self._line = line

    def compose(self) -> ComposeResult:
        """The view and its keys."""
        yield TranscriptView(id="transcript")
        yield KeyBar()

    def on_mount(self) -> None:
        """Follow the file while somebody looks at it."""
        view = self.query_one(TranscriptView)
        view.border_title = Content(f"Transcript {clean_line(self._path.stem)[:8]}")
        self.query_one(KeyBar).keys = self.TABLE.bar()
        view.open(self._path, self._line)
        view.focus()
        self.set_interval(_FOLLOW, view.poll)

    async def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """A click in the key bar."""
        await self.run_action(message.action)
