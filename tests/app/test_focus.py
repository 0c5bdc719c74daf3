"""Going to panes, rows and the detail, with keys and with the mouse."""

from __future__ import annotations

import pytest
from textual.widgets._footer import FooterKey

from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import HelpScreen
from memtui.app.widgets.footer import KeyFooter
from tests.app.harness import NARROW, SHORT, WIDE, Driver, opened
from tests.app.world import World

PANES = list(PaneId)


async def test_numbers_go_to_panes_and_tab_goes_round_both_ways(full: World) -> None:
    async with opened(full) as driver:
        for key, pane_id in zip("2431", ("memories", "state", "commands", "pending"), strict=True):
            await driver.press(key)
            assert driver.browser.current_id == pane_id
            assert driver.at(PaneId(pane_id))
        seen = []
        for _ in range(5):
            await driver.press("tab")
            seen.append(driver.browser.current_id)
        assert seen == [*PANES[1:], *PANES[:2]]
        await driver.press("shift+tab", "shift+tab")
        assert driver.browser.current_id is PaneId.STATE


async def test_escape_leaves_what_was_entered_last(full: World) -> None:
    async with opened(full) as driver:
        assert "esc back" not in driver.lines[-1]
        await driver.press("z", "slash", "f", "i", "x", "enter", "enter")
        assert driver.reading()
        assert "esc back" in driver.lines[-1]
        await driver.press("escape")
        assert driver.at(PaneId.PENDING)
        assert driver.browser.pane.filter_text == "fix"
        await driver.press("escape")
        assert driver.browser.pane.filter_text == ""
        assert driver.browser.has_class("-zoomed")
        await driver.press("escape")
        assert not driver.browser.has_class("-zoomed")
        await driver.press("escape")
        assert driver.last_said == "Nothing to go back from. q quits."


async def test_zoom_gives_a_pane_or_the_detail_the_window_and_takes_it_back(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("2", "z")
        assert driver.has("#memories")
        assert not any(driver.has(f"#{name}") for name in ("pending", "commands", "state", "detail"))
        assert driver.pane(PaneId.MEMORIES).region.width == WIDE[0]
        await driver.press("z")
        assert all(driver.has(f"#{name}") for name in ("pending", "memories", "commands", "state", "detail"))
        # The detail.
        await driver.press("1", "enter", "z")
        assert driver.browser.detail.region.width == WIDE[0]
        assert driver.reading()
        await driver.press("z")
        assert driver.browser.detail.region.width < WIDE[0]
        assert driver.has("#pending")
        # Going to another pane keeps the zoom.
        await driver.press("escape", "z", "3")
        assert driver.has("#commands")
        assert not driver.has("#pending")


async def click_text(driver: Driver, text: str, *, times: int = 1) -> None:
    """Click the first character of a text on the screen."""
    row = driver.line_of(text)
    await driver.pilot.click(offset=(driver.lines[row].index(text), row), times=times)
    await driver.settled()


async def test_a_click_goes_to_a_row_an_empty_place_or_the_detail(full: World) -> None:
    async with opened(full) as driver:
        await click_text(driver, "/research/ask")
        assert driver.at(PaneId.COMMANDS)
        assert driver.pane(PaneId.COMMANDS).selected == "research/ask"
        assert "Name your sources" in driver.detail
        region = driver.pane(PaneId.MEMORIES).region
        await driver.pilot.click(offset=(region.x + 5, region.bottom - 2))
        await driver.settled()
        assert driver.browser.current_id is PaneId.MEMORIES
        await driver.press("1")
        region = driver.browser.detail.region
        await driver.pilot.click(offset=(region.x + 5, region.y + 5))
        assert driver.reading()
        await driver.press("escape")
        assert driver.at(PaneId.PENDING)


async def test_a_click_on_a_tab_goes_to_the_pane_and_the_footer_names_its_keys(full: World) -> None:
    async with opened(full, SHORT) as driver:
        for x, pane_id in ((7, PaneId.COMMANDS), (4, PaneId.MEMORIES), (10, PaneId.STATE)):
            assert driver.lines[0].startswith(" 1  2  3  4  ") and "● live" in driver.lines[0]
            await driver.pilot.click(offset=(x, 0))
            assert driver.at(pane_id)
        await driver.press("1")
        assert "enter open  r review  l lost" in driver.lines[-1]
        await driver.press("s")
        await driver.until(lambda: "enter open" in driver.lines[-1] and "f1 help" in driver.lines[-1], "keys")


async def test_a_click_in_the_key_bar_is_the_key(full: World) -> None:
    async with opened(full) as driver:
        await click_text(driver, "/ filter")
        assert driver.browser.query("#filter:focus")
        await driver.press("escape")
        await click_text(driver, "? help")
        assert isinstance(driver.screen, HelpScreen)
        await driver.press("escape")
        await driver.pilot.click(offset=(driver.lines[-1].index("quit"), WIDE[1] - 1))
        assert driver.app.left


async def test_the_key_bar_offers_what_the_pane_can_do_and_always_the_way_out(full: World) -> None:
    async with opened(full) as driver:
        for size in (WIDE, NARROW, SHORT):
            await driver.resize(size)
            for key, offered in zip("1234", ("review", "copy id", "clear", ""), strict=True):
                await driver.press(key)
                bar = driver.lines[driver.browser.query_one(KeyFooter).region.y]
                assert "? help" in bar, size
                assert offered in bar, size


async def test_the_key_bar_is_kept_while_its_keys_are_the_same(full: World) -> None:
    async with opened(full) as driver:
        before = [*driver.browser.query(FooterKey)]
        driver.browser.refresh_bindings()
        await driver.handled()
        assert [*driver.browser.query(FooterKey)] == before
        await driver.press("2")
        assert [*driver.browser.query(FooterKey)] != before


@pytest.mark.parametrize(("size", "key"), [(WIDE, "q"), (NARROW, "ctrl+q")])
async def test_q_goes_back_from_a_detail_and_quits_from_the_panes(
    full: World, size: tuple[int, int], key: str
) -> None:
    async with opened(full, size) as driver:
        await driver.press("enter")
        assert driver.reading()
        await driver.press("q")
        assert not driver.reading()
        assert driver.app.is_running
        await driver.press(key)
        assert not driver.app.is_running


async def test_a_click_on_a_line_of_the_help_does_what_its_key_does(full: World) -> None:
    async with opened(full, WIDE) as driver:
        await driver.press("question_mark")
        await driver.pilot.click(offset=(WIDE[0] // 2, driver.line_of("go to Memories")))
        await driver.until(lambda: driver.at(PaneId.MEMORIES), "the pane")
        await driver.press("question_mark", "G")
        await driver.pilot.click(offset=(WIDE[0] // 2, driver.line_of("quit from anywhere")))
        await driver.handled()
        assert isinstance(driver.screen, HelpScreen) and not driver.app.left, "it takes a key to leave"
        await driver.press("enter")
        assert driver.at(PaneId.MEMORIES)
