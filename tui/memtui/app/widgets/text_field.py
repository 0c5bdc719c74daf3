"""Textual's text area, with two of its faults worked around; apart, as the first paint has none."""

from __future__ import annotations

from textual import events
from textual.widgets import TextArea

from memtui.app.widgets.input_line import run_own_key


class TextField(TextArea):
    """A text area, in which keys act in the order in which they were typed, and which follows its width."""

    async def on_key(self, event: events.Key) -> None:
        await run_own_key(self, event)

    def on_resize(self) -> None:
        """Paint it once wrapped: Textual 8.2.8 does so only if the text then has more lines or fewer."""
        self.call_later(self.refresh)
