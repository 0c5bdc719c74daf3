"""The bottom line: Textual's footer, compact, with help always in sight at the right."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from memtui.app.base import own_app


class KeyFooter(Footer):
    """The keys that do something here, each clickable; the app's `COMMAND_PALETTE_BINDING` is help's.

    Keys without room are left out, the screen's `rare_keys` first, then the last ones, not undo and the
    way back; help lists all. Those that do nothing for the selected row are the focused widget's or the
    screen's `idle_keys`. Both name actions.
    """

    app = own_app

    def __init__(self) -> None:
        super().__init__(compact=True)
        self._composed_of: tuple[object, ...] = ()

    @property
    def _idle(self) -> frozenset[str]:
        none, undo = frozenset[str](), frozenset(() if self.app.model.changes.last() else ["undo"])
        return undo.union(*(getattr(each, "idle_keys", none) for each in (self.app.focused, self.screen)))

    @property
    def _declared(self) -> list[str]:
        """Actions as their classes declare them, as Textual puts the user's own keys last."""
        active = self.screen.active_bindings.values()
        nodes = dict.fromkeys(each.node for each in active if each.binding.show)
        return [each.action for node in nodes for _, each in node._merged_bindings or () if each.show]

    def compose(self) -> Iterator[Widget]:
        idle = self._idle
        keys = [key for key in super().compose() if isinstance(key, FooterKey) and key.action not in idle]
        if self.app.keymap:
            declared = self._declared
            keys.sort(key=lambda key: declared.index(key.action) if key.action in declared else len(declared))
        keys.sort(key=lambda key: key.key != "enter")
        if keys and not keys[-1].has_class("-command-palette") and "f1" in self.screen.active_bindings:
            # where letters and signs are typed
            keys.append(FooterKey("f1", "f1", "help", "app.help", classes="-command-palette"))
        room = self.app.size.width + 1  # the first key's left margin is one cell, and the last has none
        rare, shown = getattr(self.screen, "rare_keys", ()), []
        keys.sort(key=lambda key: key.action in rare)

        def place(key: FooterKey) -> tuple[bool, ...]:
            """What gets room first: help, the way back, undo; in a narrow window, last what enter follows."""
            is_help, narrow = key.has_class("-command-palette"), self.app.size.width < 59
            return not is_help, key.key != "escape", key.action != "undo", key.action == "follow" and narrow

        for key in sorted(keys, key=place):
            cells = cell_len(f"{key.key_display} {key.description}") + 2  # those beside each key
            if cells <= room:
                room -= cells
                shown.append(key)
        yield from (key for key in keys if key in shown)

    async def on_resize(self) -> None:
        await self.recompose()

    async def recompose(self) -> None:
        """Make the keys anew if others are shown now; Textual asks for it whenever the focus moves.

        Not while a dialog is in front: Textual lays nothing out behind it.
        """
        if self._bindings_ready and self.is_attached and self.screen is self.app.screen:
            active, idle = self.screen.active_bindings, self._idle
            shown = (each[1:] for each in active.values() if each.binding.show)
            keys = [each for each in shown if each[0].action not in idle]
            made_of = (self.app.size.width, keys, self.app.COMMAND_PALETTE_BINDING in active, "f1" in active)
            if self._composed_of != made_of:
                self._composed_of = made_of
                await super().recompose()
