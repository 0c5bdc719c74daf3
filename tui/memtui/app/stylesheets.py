"""The stylesheets of screens and widgets that are not there from the start."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).with_name("styles")


def stylesheet(name: str) -> str:
    """The text of a stylesheet, for the `DEFAULT_CSS` of the class that it styles.

    Textual adds a default style when it mounts the first widget of its class. It reads the app's `CSS_PATH`
    before the first paint, and for a screen's it reads all stylesheets again and styles every widget again.
    """
    return _FOLDER.joinpath(f"{name}.tcss").read_text(encoding="utf-8")
