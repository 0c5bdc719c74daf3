"""Keys typed faster than the app handles them act as if typed one by one."""

from __future__ import annotations

import pytest
from textual.events import Key

from memtui.app.panes.pane import PaneId
from tests.app.harness import Driver, opened
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


@pytest.mark.parametrize(("keys", "rows"), [("2G", (0, 2)), ("3G1G", (2, 0)), ("2j1j2j", (1, 2))])
async def test_moves_go_to_the_pane_that_was_asked_for(full: World, keys: str, rows: tuple[int, int]) -> None:
    async with opened(full) as driver:
        await at_once(driver, keys)
        assert (driver.pane(PaneId.PENDING).index, driver.pane(PaneId.MEMORIES).index) == rows


async def test_what_is_typed_after_r_goes_to_the_facts_and_not_to_the_browser(full: World) -> None:
    async with opened(full) as driver:
        await at_once(driver, "rqrjq")
        assert driver.at_home() and not driver.app.left
        assert driver.pane(PaneId.PENDING).index == 0
        await at_once(driver, "rj")
        await driver.until(lambda: driver.review.field("goal").text, "the draft")
