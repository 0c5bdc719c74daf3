"""Text from files is text: in no view does it become markup, an action, a control code or a crash."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from textual.events import Paste
from textual.widgets import Input

from memtui.app.panes.pane import PaneId
from tests.app.harness import SHORT, Driver, opened
from tests.app.hostile import CONTROL, EVERYTHING, MARKUP, PAYLOADS, TEXTS, attacked, in_name
from tests.app.world import World

pytestmark = pytest.mark.usefixtures("unwatched")
MIDDLE = (110, 30)
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")


def check(driver: Driver) -> str:
    """Check that the screen is harmless, exactly filled, and has no actions; returns its text."""
    width, height = driver.app.size
    strips = driver.paint()
    assert len(strips) == height
    for strip in strips:
        found = UNSAFE.search(strip.text)
        assert not found, f"{found!r} is painted: {strip.text!r}"
        assert strip.cell_length == width
        strip.text.encode()
        for segment in strip:
            assert not (segment.style and "@click" in segment.style.meta), segment
            assert not (segment.style and segment.style.link), segment
    assert not driver.app.left
    return "\n".join(strip.text for strip in strips)


async def each_row(driver: Driver, pane_id: PaneId, keys: Iterable[str]) -> None:
    """Select row by row and look at list and detail."""
    pane = driver.pane(pane_id)
    for key in keys:
        assert pane.select(key)
        await driver.pilot.pause(0.01)
        await driver.settled()
        check(driver)


@pytest.fixture(scope="module")
def attack(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One world for all tests of this file that only look."""
    return attacked(World(tmp_path_factory.mktemp("attack"), name=in_name(EVERYTHING)[:60]))


async def test_the_rows_of_all_panes_and_what_is_pasted_into_the_filter(attack: World) -> None:
    async with opened(attack, MIDDLE) as driver:
        await driver.press("A", "1")
        captures = driver.pane(PaneId.PENDING).rows
        assert len(captures) == len(PAYLOADS) + 2 * len(TEXTS)
        await each_row(driver, PaneId.PENDING, captures[::4])
        await driver.press("2", "A")
        memories = driver.pane(PaneId.MEMORIES).rows
        assert len(memories) == 2 * len(TEXTS)
        await each_row(driver, PaneId.MEMORIES, memories[::2])
        await driver.press("3")
        commands = driver.pane(PaneId.COMMANDS).rows
        assert len(commands) >= len(PAYLOADS)
        await each_row(driver, PaneId.COMMANDS, commands[::4])
        await driver.press("1", "slash")
        for payload in TEXTS:
            driver.browser.query_one("#filter", Input).value = ""
            await paste(driver, payload)
            check(driver)
        assert driver.browser.pane.filter_text
        await driver.press("escape")
        await driver.resize(SHORT)
        await driver.press("1", "enter")
        await each_row(driver, PaneId.PENDING, captures[1::8])


async def paste(driver: Driver, text: str) -> None:
    driver.app.post_message(Paste(text))
    await driver.pilot.pause()
    await driver.settled()


async def test_what_is_pasted_into_the_review(full: World) -> None:
    async with opened(full, MIDDLE) as driver:
        await driver.press("r")
        await driver.until(lambda: driver.review.form.fields["title"].text, "the draft")
        await driver.press("tab", "tab")
        for payload in CONTROL.values():
            await paste(driver, payload)
        check(driver)
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed")
        saved = full.capture_path(10).with_name(full.capture_path(10).name.replace("autocompact", "memory"))
        assert UNSAFE.search(saved.read_text().replace("\n", "")) is None


async def test_markup_is_shown_as_it_is_written(world: World) -> None:
    for number, text in enumerate(MARKUP.values()):
        world.capture(number + 1, text)
    async with opened(world) as driver:
        for row, text in zip(driver.drawn(PaneId.PENDING, 120), MARKUP.values(), strict=True):
            assert " ".join(text.split()) in row
        for key, text in zip(driver.pane(PaneId.PENDING).rows, MARKUP.values(), strict=True):
            driver.pane(PaneId.PENDING).select(key)
            await driver.until(lambda text=text: text in driver.detail)  # type: ignore[misc]
