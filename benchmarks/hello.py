"""The smallest Textual app that shows something: the reference for the first paint."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Hello(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        """Show it."""
        yield Static("hello-world-painted")


if __name__ == "__main__":
    Hello().run()
