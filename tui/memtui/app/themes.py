"""memtui's themes, and the colours that other themes need to be legible."""

from __future__ import annotations

from textual.theme import Theme

MEMTUI = Theme(
    name="memtui",
    primary="#7aa2f7",
    secondary="#9d7cd8",
    accent="#e0af68",
    foreground="#c8cede",
    background="#14161f",
    surface="#1b1e2b",
    panel="#222637",
    success="#8fc77a",
    warning="#e0af68",
    error="#f7768e",
    dark=True,
)
# Colours of Okabe and Ito, which people with any kind of colour blindness tell apart.
COLOUR_BLIND = Theme(
    name="memtui-colour-blind",
    primary="#56b4e9",
    secondary="#cc79a7",
    accent="#f0e442",
    foreground="#d8dce6",
    background="#14161f",
    surface="#1b1e2b",
    panel="#222637",
    success="#56b4e9",
    warning="#e69f00",
    error="#d55e00",
    dark=True,
)

_QUIET_ON_DARK, _QUIET_ON_LIGHT = "#7f88a3", "#4c5366"
_ACCENT_ON_LIGHT = "#7a4300"


def legible(theme: Theme, variables: dict[str, str]) -> dict[str, str]:
    """The variables of a theme, with `$quiet` for secondary text and an accent that can be read as text.

    Accents of light themes are made for grounds: the one of textual-light has a contrast of 1.5 on its
    background. Ansi themes keep to the colours of the terminal.
    """
    if variables["background"].startswith("ansi"):
        return {**variables, "quiet": "ansi_default"}
    if theme.dark:
        return {**variables, "quiet": _QUIET_ON_DARK}
    return {**variables, "quiet": _QUIET_ON_LIGHT, "accent": _ACCENT_ON_LIGHT}
