"""Textual's text area, with a fault worked around; apart, as the first paint has none."""

from __future__ import annotations

from textual.widgets import TextArea


class TextField(TextArea):
    """A text area that follows its width."""

    def on_resize(self) -> None:
        """Paint it once wrapped: Textual 8.2.8 does so only if the text then has more lines or fewer."""
        self.call_later(self.refresh)
