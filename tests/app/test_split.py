"""The border between panes and detail can be dragged, and stays there."""

from __future__ import annotations

import pytest

from memtui.app.settings import load_settings, save_split
from tests.app.harness import NARROW, WIDE, Driver, opened
from tests.app.world import World


def border(driver: Driver) -> int:
    return driver.browser.detail.region.x


async def drag(driver: Driver, to: int, *, grip: int = 0) -> None:
    await driver.pilot.mouse_down(offset=(border(driver) + grip, 10))
    await driver.pilot.hover(offset=(to, 12))
    await driver.pilot.mouse_up(offset=(to, 12))
    await driver.handled()


@pytest.mark.parametrize("grip", [0, -1])
async def test_the_border_follows_the_mouse(full: World, grip: int) -> None:
    async with opened(full, WIDE) as driver:
        await drag(driver, 70, grip=grip)
        assert border(driver) == 70
        assert driver.screen.get_selected_text() is None
        assert load_settings(full.home).columns == 70
        await drag(driver, 3)
        assert border(driver) == 24
        await drag(driver, WIDE[0] - 1)
        assert border(driver) == WIDE[0] - 24
        await driver.press("1", "z")
        assert driver.browser.pane.region.width == WIDE[0]
        await driver.press("z")
        assert border(driver) == WIDE[0] - 24


async def test_it_stays_for_the_next_time_and_fits_other_windows(full: World) -> None:
    full.home.state.mkdir(parents=True, exist_ok=True)
    save_split(full.home, 90)
    async with opened(full, WIDE) as driver:
        assert border(driver) == 90
        await driver.pilot.resize_terminal(*NARROW)
        await driver.handled()
        assert driver.browser.pane.region.width == NARROW[0]
        await driver.press("enter")
        assert driver.browser.detail.region.width == NARROW[0]
        await driver.pilot.resize_terminal(110, 40)
        await driver.handled()
        assert border(driver) == 86
