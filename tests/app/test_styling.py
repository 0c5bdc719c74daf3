"""Apps that share a cache of style rules, and whose lines have no caches, look the same as others."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual.css.stylesheet import Stylesheet
from textual.strip import Strip

from tests.app import painting, styling
from tests.app.harness import NARROW, Driver, opened
from tests.app.world import World

_KEYS = ("j", "enter", "escape", "2", "z", "z", "slash", "escape")


def _segments(driver: Driver) -> list[list[Segment]]:
    return [list(strip) for strip in driver.paint()]


async def _pictures(world: World) -> list[list[list[Segment]]]:
    async with opened(world, NARROW) as driver:
        pictures = [_segments(driver)]
        for key in _KEYS:
            await driver.press(key)
            pictures.append(_segments(driver))
        for theme in ("textual-light", driver.app.theme):  # the last one is kept for the next app
            driver.app.theme = theme
            await driver.handled()
            pictures.append(_segments(driver))
        return pictures


async def test_what_the_tests_do_to_caches_changes_no_picture(full: World) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "apply", styling.APPLY)
        patch.setattr(Strip, "__init__", painting.MAKE_STRIP)
        plain = await _pictures(full)
    assert await _pictures(full) == plain
