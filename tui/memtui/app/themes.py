"""memtui's themes, and the colours that other themes need to be legible."""

from __future__ import annotations

from dataclasses import replace

from textual.color import Color
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
# Colours of Okabe and Ito, distinguishable with any kind of colour blindness.
COLOUR_BLIND = replace(
    MEMTUI,
    name="memtui-colour-blind",
    primary="#56b4e9",
    secondary="#cc79a7",
    accent="#f0e442",
    foreground="#d8dce6",
    success="#56b4e9",
    warning="#e69f00",
    error="#d55e00",
)

_TEXTS = ("quiet", "accent", "warning", "success", "error", "secondary", "heading", "foreground", "text")
_CONTRAST = 4.6
"""WCAG 2 requires 4.5 for small text; a little more, as colours are rounded when they are blended."""


def legible(theme: Theme, variables: dict[str, str]) -> dict[str, str]:
    """The variables of a theme, with colours that can be read as text.

    Adds `$quiet` for secondary text, `$heading`, `$frame` for borders and `$cursor` for the selected row;
    scroll bars are as quiet as borders.
    Colours of many themes are made for backgrounds: the warning of textual-light has a contrast of 1.3 on its
    panels. Ansi themes keep the colours of the terminal.
    """
    if variables["background"].startswith("ansi"):
        return {
            **variables,
            **dict.fromkeys(("quiet", "frame", "heading"), "ansi_default"),
            **_scroll_bars("ansi_bright_black", "ansi_default"),
            "cursor": "ansi_blue",
        }
    own = {"quiet": "#7f88a3", "frame": variables["surface-lighten-2"]}
    if not theme.dark:
        frame = Color.parse(variables["background"]).blend(Color.parse(variables["foreground"]), 0.4)
        own = {"quiet": "#4c5366", "accent": "#7a4300", "frame": frame.hex}
    ground = Color.parse(variables["background"])
    cursor = ground.blend(Color.parse(variables["primary"]), 0.3 if theme.dark else 0.2)
    wanted = {**variables, **own, "cursor": cursor.hex, "heading": variables["primary"]}
    wanted["text"] = variables["foreground"]
    grounds = [Color.parse(wanted[name]) for name in ("background", "panel", "surface", "cursor")]
    readable = {name: _readable(Color.parse(wanted[name]), grounds, dark=theme.dark).hex for name in _TEXTS}
    return {**wanted, **readable, **_scroll_bars(wanted["frame"], variables["background"])}


def _scroll_bars(bar: str, ground: str) -> dict[str, str]:
    """Scroll bars that are as quiet as the frames: Textual's are the brightest part of a screen of text."""
    bars = ("scrollbar", "scrollbar-hover", "scrollbar-active")
    grounds = ("background", "background-hover", "background-active", "corner-color")
    return dict.fromkeys(bars, bar) | {f"scrollbar-{each}": ground for each in grounds}


def _readable(colour: Color, grounds: list[Color], *, dark: bool) -> Color:
    """The colour, brightened or darkened until it is readable on all backgrounds."""
    end = Color(255, 255, 255) if dark else Color(0, 0, 0)
    steps = (colour.blend(end, step / 10) for step in range(10))
    return next((each for each in steps if min(contrast(each, on) for on in grounds) >= _CONTRAST), end)


def contrast(one: Color, other: Color) -> float:
    """The contrast of two colours, from 1 to 21, by the formula of WCAG 2."""
    dark, bright = sorted((_luminance(one), _luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
