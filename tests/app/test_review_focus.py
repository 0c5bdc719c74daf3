"""The focus in the review: every field and the evidence are visible when focused."""

from __future__ import annotations

import pytest

from memtui.app.screens.review_parts import FIELDS, FormField
from memtui.app.screens.transcript import TranscriptScreen
from tests.app.harness import NARROW, SHORT, SIZES, opened
from tests.app.reviewing import start
from tests.app.world import FIRST, World


async def test_every_field_is_in_sight_when_it_has_the_focus(full: World) -> None:
    async with opened(full) as driver:
        for size in SIZES:
            await driver.resize(size)
            review = await start(driver)
            for field in FIELDS:
                assert driver.screen.focused is review.field(field.name), size
                label = field.label.split(":")[0].split(" (")[0]
                form_field = review.field(field.name)

                def in_sight(label: str = label, form_field: FormField = form_field) -> bool:
                    region = form_field.region
                    height = driver.app.size.height
                    whole = region.y >= 0 and (region.bottom <= height - 1 or region.y == 0)
                    return whole and any(label in line for line in driver.lines)

                await driver.until(in_sight, f"{field.label} at {size}")
                await driver.press("tab")
            await driver.press("escape")
            await driver.until(driver.at_home, "the end of the review")


@pytest.mark.parametrize("size", [NARROW, SHORT])
async def test_in_a_narrow_window_f2_goes_between_form_and_evidence(
    full: World, size: tuple[int, int]
) -> None:
    async with opened(full, size) as driver:
        review = await start(driver)
        assert "^s save" in driver.lines[-1]
        assert driver.has("#field-title")
        assert not driver.has("#evidence")
        await driver.press("f2")
        assert driver.has("#evidence")
        assert "^s save" in driver.lines[-1]
        assert "src/tokens.py" in driver.shown
        await driver.press("space", "f2")
        assert not driver.has("#evidence")
        assert (
            driver.screen.focused is review.field("title") and "src/tokens.py" in review.field("title").text
        )


async def test_f3_opens_the_transcript_and_comes_back(full: World) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x", "f3")
        assert isinstance(driver.screen, TranscriptScreen)
        await driver.until(lambda: "Never refresh twice" in driver.shown, "the transcript")
        await driver.press("escape")
        assert driver.app.screen is review
        assert review.field("title").text == f"{FIRST}x"
        await driver.press("f2")
        await driver.until(lambda: review.facts.selected, "the facts")
        fact = next(key for key, item in review.facts._items.items() if getattr(item, "line", 0) == 1)
        review.facts.listing.select(fact)
        await driver.press("f3")
        await driver.until(lambda: driver.lines[-2].endswith(" L1 ─╯"), "the line of the fact")
