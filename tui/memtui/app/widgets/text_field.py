"""Textual's inputs, with two of their faults worked around (see CONTRIBUTING.md)."""

from __future__ import annotations

from textual import events
from textual.binding import BindingsMap
from textual.keys import format_key
from textual.widget import Widget
from textual.widgets import Input, TextArea


class TypedLine(Input):
    """An input of one line, in which keys act in the order in which they were typed."""

    async def on_key(self, event: events.Key) -> None:
        """Edit at once."""
        await _edit(self, event)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text: of `slash`, Textual 8.2.8 does not know the character."""
        shown = format_key(key)
        return super().check_consume_key(key, character) or (len(shown) == 1 and shown.isascii())


class TextField(TextArea):
    """A text area, in which keys act in that order, and which is painted anew when it has another width."""

    async def on_key(self, event: events.Key) -> None:
        """Edit at once."""
        await _edit(self, event)

    def on_resize(self) -> None:
        """Paint it once wrapped: Textual 8.2.8 does so only if the text then has more lines or fewer."""
        self.call_later(self.refresh)


async def _edit(field: Widget, event: events.Key) -> None:
    """Run the action of an editing key now.

    Textual 8.2.8 inserts characters when the widget receives the key, but runs bindings once the key has
    bubbled up to the app: of letters, backspaces and letters in one read, the backspaces come last.
    """
    if event.is_printable:
        return
    bindings = BindingsMap(field.BINDINGS).key_to_bindings.get(event.key, ())
    for binding in bindings:
        if binding.action.startswith(("delete_", "cursor_")):
            event.stop()
            event.prevent_default()
            await field.run_action(binding.action)
            return
