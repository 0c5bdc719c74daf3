"""What one reads stays, what is typed ahead arrives, and every text is legible."""

from __future__ import annotations

import pytest
from rich.style import Style
from textual.color import Color
from textual.events import Key
from textual.theme import BUILTIN_THEMES
from textual.widgets import Input

from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import AskScreen, ConfirmScreen
from memtui.app.themes import COLOUR_BLIND, MEMTUI, contrast
from tests.app.harness import WIDE, Driver, opened
from tests.app.test_typed_ahead import at_once
from tests.app.world import World

THEMES = (MEMTUI.name, COLOUR_BLIND.name, *(name for name in BUILTIN_THEMES if "ansi" not in name))


async def test_a_capture_that_arrives_moves_neither_selection_nor_detail(full: World) -> None:
    async with opened(full) as driver:
        pane = driver.pane(PaneId.PENDING)
        read = pane.selected
        await driver.press("enter")
        before = driver.detail
        full.capture(1, "Just compacted")
        driver.app.hint("compacts")
        await driver.until(lambda: "Just compacted" in driver.shown, "the capture")
        assert pane.selected == read
        assert driver.detail.splitlines()[0] == before.splitlines()[0]
        await driver.press("escape")
        assert pane.selected == read


async def test_two_keys_in_one_read_reach_a_question_and_its_line(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("3")
        await at_once(driver, "Xn")
        assert driver.at_home()
        assert driver.said == []
        await at_once(driver, "2tq")
        assert isinstance(driver.screen, AskScreen) or "tagged" in driver.last_said
        if isinstance(driver.screen, AskScreen):
            assert driver.screen.query_one(Input).value.endswith("q")


async def test_a_question_opens_at_once_and_counts_inside(full: World) -> None:
    async with opened(full) as driver:
        driver.app.post_message(Key("b", "b"))
        await driver.until(lambda: isinstance(driver.screen, ConfirmScreen) or driver.said, "the question")
        await driver.until_said("Nothing to backfill")


@pytest.mark.parametrize("key", ["slash", "s"])
async def test_backspaces_act_where_they_were_typed(full: World, key: str) -> None:
    async with opened(full) as driver:
        await driver.press(key)
        for typed in ("a", "b", "backspace", "backspace", "c"):
            driver.app.post_message(Key(typed, typed if len(typed) == 1 else None))
        field = driver.screen.query_one("#filter, #query", Input)
        await driver.until(lambda: field.value, "the text")
        await driver.handled()
        assert field.value == "c"


def faults(driver: Driver) -> set[tuple[str, float]]:
    """The texts on the screen with too little contrast."""
    found = set()
    for strip in driver.paint():
        for text, style, _ in strip:
            assert isinstance(style, Style)
            if not any(each.isalnum() for each in text) or style.color is None or style.bgcolor is None:
                continue
            ink, ground = (Color.from_rich_color(each) for each in (style.color, style.bgcolor))
            if style.reverse:
                ink, ground = ground, ink
            if (ratio := contrast(ink, ground)) < 4.5:
                found.add((text.strip()[:30], round(ratio, 2)))
    return found


@pytest.mark.parametrize("keys", [(), ("2",), ("4", "enter"), ("l",), ("S",)], ids=str)
async def test_every_text_of_every_theme_has_a_contrast_of_4_5(full: World, keys: tuple[str, ...]) -> None:
    async with opened(full, WIDE) as driver:
        await driver.press(*keys)
        wrong = {}
        for theme in THEMES:
            driver.app.theme = theme
            await driver.handled()
            if found := faults(driver):
                wrong[theme] = sorted(found)
        assert wrong == {}
