"""What one reads stays, what is typed ahead arrives, and every text is legible."""

from __future__ import annotations

import asyncio

import pytest
from rich.style import Style
from textual.color import Color
from textual.events import Key
from textual.theme import BUILTIN_THEMES
from textual.widgets import Input

from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import AskScreen
from memtui.app.themes import COLOUR_BLIND, MEMTUI, contrast
from tests.app.harness import WIDE, Driver, opened
from tests.app.world import World


async def at_once(driver: Driver, keys: str) -> None:
    """Let keys arrive in one go, as a terminal hands them over when the app was busy."""
    names = {"/": "slash", "\r": "enter", " ": "space", "\x1b": "escape"}
    for key in keys:
        driver.app.post_message(Key(names.get(key, key), key))
    for _ in range(5):
        await driver.pilot.pause()
    await driver.settled()


async def test_a_filter_typed_ahead_filters_and_clears_no_command(full: World) -> None:
    before = full.project.session_state_json.read_bytes()
    async with opened(full) as driver:
        await driver.press("3")
        await at_once(driver, "/xX")
        assert driver.pane(PaneId.COMMANDS).filter_text == "xX"
        assert driver.said == []
        assert driver.at_home()
    assert full.project.session_state_json.read_bytes() == before


async def test_a_whole_filter_and_what_follows_it(full: World) -> None:
    async with opened(full) as driver:
        await at_once(driver, "/stream q\r")
        assert driver.pane(PaneId.PENDING).filter_text == "stream q"
        assert driver.at(PaneId.PENDING)
        assert not driver.app.left
        await at_once(driver, "/\x1b/e\rGk2G")
        assert driver.pane(PaneId.PENDING).filter_text == "e"
        assert driver.at(PaneId.MEMORIES) and driver.pane(PaneId.MEMORIES).index == 2
        await driver.press("1", "g", "o")
        view = await driver.until_transcript()
        await at_once(driver, "/refresh\rl")
        await driver.until_said("This is not a compaction")
        assert view.window.query.text == "refresh"


@pytest.mark.parametrize("turns", range(6))
async def test_letters_that_come_while_the_line_opens_keep_their_order(full: World, turns: int) -> None:
    async with opened(full) as driver:
        for key, character in (("slash", "/"), *zip("abcdefgh", "abcdefgh", strict=True)):
            driver.app.post_message(Key(key, character))
            for _ in range(turns):
                await asyncio.sleep(0)
        await driver.handled()
        await driver.settled()
        assert driver.pane(PaneId.PENDING).filter_text == "abcdefgh"


async def test_moves_go_to_the_pane_that_was_asked_for(full: World) -> None:
    async with opened(full) as driver:
        for keys, rows in (("2G", (0, 2)), ("3G1G", (2, 0)), ("2j1j2j", (1, 2))):
            await driver.press("2", "g", "1", "g")
            await at_once(driver, keys)
            assert (driver.pane(PaneId.PENDING).index, driver.pane(PaneId.MEMORIES).index) == rows, keys


async def test_what_is_typed_after_r_goes_to_the_facts_and_not_to_the_browser(full: World) -> None:
    async with opened(full) as driver:
        await at_once(driver, "rqrjq")
        assert driver.at_home() and not driver.app.left
        assert driver.pane(PaneId.PENDING).index == 0
        await at_once(driver, "rj")
        await driver.until(lambda: driver.review.form.fields["goal"].text, "the draft")


async def test_keys_for_rows_that_are_being_read_wait_for_them(full: World) -> None:
    async with opened(full) as driver:
        pane = driver.pane(PaneId.PENDING)
        pane.unread = True
        await at_once(driver, "jz")
        assert pane.index == 0 and not driver.browser.has_class("-zoomed")
        driver.app.post_message(Key("ctrl+c", None))  # works everywhere, so it does not wait
        await driver.until(lambda: driver.browser.has_class("-zoomed"), "the keys")
        assert pane.index == 1
        await driver.press("k", "o", "slash")
        assert driver.at_home() and not driver.has("InputLine")
        pane.unread = False
        pane.show_rows()
        await driver.until_transcript()


async def test_the_second_click_on_a_row_adds_but_pin_and_back_to_the_footer(full: World) -> None:
    async with opened(full, WIDE) as driver:
        keys = driver.lines[-1]
        await driver.press("enter")
        await driver.until(lambda: "esc back" in driver.lines[-1], "the detail")
        assert driver.lines[-1].replace("! pin  ", "").replace("esc back  ", "").split() == keys.split()


async def test_a_message_of_a_key_goes_with_the_next_key_and_with_its_screen(full: World) -> None:
    async with opened(full) as driver:
        driver.app.warn("Not of a key")
        await driver.press("j")
        assert driver.app._notifications
        driver.app.say("Failed", severity="error")
        driver.app.said_at -= 2
        await driver.press("k")
        assert len(driver.app._notifications) == 1
        await driver.press("a")
        await driver.until(lambda: "a does nothing here" in driver.shown, "the message")
        await driver.press("j")
        assert driver.app._notifications  # nobody reads so fast
        driver.app.said_at -= 2
        await driver.press("k")
        await driver.until(lambda: "a does nothing here" not in driver.shown, "no message")
        await driver.press("S")
        await driver.press("ctrl+c")
        await driver.until(lambda: "No text is selected" in driver.shown, "the message")
        await driver.press("escape")
        assert driver.at_home()
        assert "No text is selected" not in driver.shown
        await driver.press("1", "r")
        await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")
        await driver.press("ctrl+s")  # said by the key that closes the screen
        await driver.until(lambda: "Reviewed:" in driver.shown, "the message")


THEMES = (MEMTUI.name, COLOUR_BLIND.name, *(name for name in BUILTIN_THEMES if "ansi" not in name))


async def test_scroll_bars_are_quieter_than_any_text(full: World) -> None:
    async with opened(full) as driver:
        for theme in THEMES:
            driver.app.theme = theme
            colours = {
                name: Color.parse(value)
                for name, value in driver.app.get_css_variables().items()
                if name in ("scrollbar", "scrollbar-background", "quiet", "background")
            }
            ground = colours["background"]
            assert contrast(colours["scrollbar"], ground) < contrast(colours["quiet"], ground), theme
            assert colours["scrollbar-background"] == ground, theme


async def test_a_capture_that_arrives_moves_neither_selection_nor_detail(full: World) -> None:
    async with opened(full) as driver:
        pane = driver.pane(PaneId.PENDING)
        read = pane.selected
        await driver.press("enter")
        before = driver.detail
        full.capture(1, "Just compacted", session="s-9")
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


async def test_backspaces_act_where_they_were_typed(full: World) -> None:
    async with opened(full) as driver:
        for key, selector in (("slash", "#filter"), ("s", "#query")):
            await driver.press("escape", key)
            for typed in ("a", "b", "backspace", "backspace", "c"):
                driver.app.post_message(Key(typed, typed if len(typed) == 1 else None))
            await driver.handled()
            assert driver.screen.query_one(selector, Input).value == "c"


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


async def test_every_text_of_every_theme_has_a_contrast_of_4_5(full: World) -> None:
    async with opened(full, WIDE) as driver:
        wrong = {}
        for keys in (("2",), ("4", "enter"), *(("escape", "1", key) for key in "loSs")):
            await driver.press(*keys)
            for theme in THEMES:
                driver.app.theme = theme
                await driver.handled()
                if found := faults(driver):
                    wrong[theme, keys] = sorted(found)
        assert wrong == {}
