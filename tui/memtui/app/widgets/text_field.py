"""A text to edit, of several lines."""

from __future__ import annotations

from textual.widgets import TextArea


class TextField(TextArea):
    """A text area that is painted anew when it has another width."""

    def on_resize(self) -> None:
        """Paint it once wrapped: Textual does so only if the text then has more lines or fewer."""
        self.call_later(self.refresh)
