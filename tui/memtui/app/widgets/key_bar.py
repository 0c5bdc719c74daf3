"""The bottom line: the keys that do something here, as many as fit, each clickable."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class KeyBar(Widget):
    """Shows (key, label, action) in the order given and leaves out whole entries that do not fit.

    The last two entries (help and quit) are always shown.
    """

    KEEP = 2
    keys: reactive[tuple[tuple[str, str, str], ...]] = reactive(())
    typing: reactive[tuple[tuple[str, str, str], ...]] = reactive(())
    """The entries while a line is typed; empty shows `keys`."""

    class Pressed(Message):
        """A key was clicked: run its action."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def render(self) -> Content:
        """Lay out the entries; nothing is cached, as a click asks `_placed` again."""
        parts: list[Content | tuple[str, str]] = []
        column = 0
        for start, _, (key, label, _action) in self._placed():
            parts += [(" " * (start - column), ""), (f" {key}", "bold $accent"), (f" {label}", "$quiet")]
            column = start + _width(key, label)
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """A click on an entry runs its key."""
        for start, end, (_, _, action) in self._placed():
            if start <= event.x < end:
                event.stop()
                self.post_message(self.Pressed(action))
                return

    def _placed(self) -> list[tuple[int, int, tuple[str, str, str]]]:
        room = self.size.width
        placed = []
        column = 0
        for entry in fitting(self.typing or self.keys, room, self.KEEP):
            width = _width(entry[0], entry[1])
            placed.append((column, column + width, entry))
            column += width + 1
        return placed


def _width(key: str, label: str) -> int:
    return 1 + len(key) + 1 + len(label)


def fitting(entries: Sequence[tuple[str, str, str]], room: int, keep: int) -> list[tuple[str, str, str]]:
    """The entries that fit into this many cells, always including the last `keep`."""
    kept = list(entries[-keep:])
    used = sum(_width(key, label) + 1 for key, label, _ in kept)
    shown = []
    for entry in entries[:-keep]:
        used += _width(entry[0], entry[1]) + 1
        if used > room:
            break
        shown.append(entry)
    return shown + kept
