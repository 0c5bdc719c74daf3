"""Apps that share a cache of style rules look the same as without."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual.css.stylesheet import Stylesheet

from tests.app import styling
from tests.app.harness import NARROW, Driver, opened
from tests.app.world import World

_KEYS = ("j", "enter", "escape", "2", "z", "z", "slash", "escape", "question_mark")


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


async def test_a_shared_style_cache_changes_no_picture(full: World) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "apply", styling.APPLY)
        plain = await _pictures(full)
    assert await _pictures(full) == plain
