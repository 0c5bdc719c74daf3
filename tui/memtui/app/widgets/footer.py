"""The bottom line: Textual's footer, compact, with help always in sight at the right."""

from __future__ import annotations

from textual.widgets import Footer


class KeyFooter(Footer):
    """The keys that do something here, each clickable; the app's `COMMAND_PALETTE_BINDING` is help's."""

    def __init__(self) -> None:
        super().__init__(compact=True)

    async def recompose(self) -> None:
        """Make the keys anew, unless a dialog is in front: Textual lays nothing out behind it."""
        if self.is_attached and self.screen is self.app.screen:
            await super().recompose()
