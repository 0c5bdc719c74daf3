"""At every size everything is reached by keys alone, and resizing keeps one's place."""

from __future__ import annotations

import pytest

from memtui.app.keys.commands import PaneId
from tests.app.harness import NARROW, SHORT, SIZES, WIDE, Driver, opened
from tests.app.world import FIRST, World

JOURNEY = [
    (("1",), "Fix the token"),
    (("enter",), "First message"),
    (("G",), "pytest -q"),
    (("escape",), "Fix the token"),
    (("2",), "JWT keys rotate"),
    (("enter",), "Recovery ID"),
    (("escape", "3"), "/babysit"),
    (("enter",), "active"),
    (("G",), "Ask before every step"),
    (("escape", "4"), "Take the lock"),
    (("enter",), "IDENTITY"),
    (("G",), "Technical state"),
    (("1",), "Fix the token"),
    (("question_mark",), "Keys in Pending"),
    (("G",), "quit"),
    (("escape", "slash"), " / "),
    (("escape", "3", "X"), "Clear all 3 active commands?"),
    (("n", "1", "o"), "s-1 · "),
    (("escape", "r"), "Title"),
    (("tab",), "Summary"),
    (("tab",), "Goal"),
    (("tab",), "Learnings"),
    (("tab",), "Open questions"),
    (("tab",), "Confidence"),
    (("tab",), "Key files"),
    (("f2",), "src/tokens.py"),
    (("f3",), "s-1 · "),
    (("escape", "escape"), "Fix the token"),
    (("R", "G"), "✓ Migrate billing"),
    (("ctrl+p",), "Search for commands"),
    (("escape", "z"), "Fix the token"),
    (("z", "4"), "Take the lock"),
]


@pytest.mark.parametrize("size", [*SIZES, (100, 20), (120, 15)])
async def test_everything_is_reached_by_keys_alone(full: World, size: tuple[int, int]) -> None:
    async with opened(full, size) as driver:
        for keys, text in JOURNEY:
            await driver.press(*keys)
            await driver.until(lambda text=text: text in driver.shown, f"{keys}: {text!r}")  # type: ignore[misc]
            assert all(len(line) <= size[0] for line in driver.lines)


@pytest.mark.parametrize(
    ("size", "panes", "detail"), [(WIDE, 4, True), (NARROW, 4, False), (SHORT, 1, False)]
)
async def test_what_a_size_shows(full: World, size: tuple[int, int], panes: int, detail: bool) -> None:
    async with opened(full, size) as driver:
        for number in "1234":
            await driver.press(number)
            assert sum(driver.has(f"#{pane_id}") for pane_id in PaneId) == panes
            assert driver.has("#detail") == detail
            if size == NARROW:
                heights = {pane_id: driver.pane(pane_id).region.height for pane_id in PaneId}
                current = heights.pop(driver.browser.current_id)
                whole = driver.browser.pane.wanted_height
                assert current >= min(whole, max(heights.values()))


@pytest.mark.parametrize("columns", [99, 100])
async def test_from_a_hundred_columns_on_the_detail_stands_beside(full: World, columns: int) -> None:
    async with opened(full, (columns, 30)) as driver:
        assert driver.has("#detail") == (columns == 100)


@pytest.mark.parametrize("rows", [19, 20])
async def test_from_twenty_rows_on_all_panes_show(full: World, rows: int) -> None:
    async with opened(full, (80, rows)) as driver:
        assert driver.has("#state") == (rows == 20)
        assert driver.has("#tabs") == (rows == 19)


async def resize(driver: Driver, size: tuple[int, int]) -> None:
    await driver.pilot.resize_terminal(*size)
    await driver.settled()
    await driver.pilot.pause()


async def test_resizing_while_reading_keeps_the_place(full: World) -> None:
    body = "\n\n".join(f"Paragraph {number} " + "with some words to wrap " * 8 for number in range(80))
    full.memory(1, "Long", body=body)
    async with opened(full) as driver:
        await driver.press("2", "enter")
        await driver.press("pagedown")
        view = driver.browser.detail_view
        line = view.place.line
        assert line > 10
        for size in (NARROW, SHORT, (200, 60), (60, 30), WIDE):
            await resize(driver, size)
            assert driver.has("#detail")
            assert driver.reading()
            assert view.place.line == line
            first = view.document.lines[line].text[view.place.char :][:12].strip()
            assert not first or first in driver.shown
        await driver.press("escape")
        assert driver.at(PaneId.MEMORIES)


@pytest.mark.parametrize("first", [WIDE, NARROW, SHORT])
async def test_resizing_in_a_pane_keeps_the_selection_in_sight(full: World, first: tuple[int, int]) -> None:
    for number in range(50):
        full.capture(300 + number, f"Capture {number}")
    async with opened(full, first) as driver:
        await driver.press(*"jjjjjjjjjjjjjjjjjjjjjjjjj")
        selected = driver.pane(PaneId.PENDING).selected
        title = driver.drawn(PaneId.PENDING, 30)[25]
        for size in (SHORT, WIDE, NARROW):
            await resize(driver, size)
            assert driver.pane(PaneId.PENDING).selected == selected
            assert driver.at(PaneId.PENDING)
            assert any(title[7:18] in line for line in driver.lines)


async def test_a_detail_that_was_clicked_stays_in_sight_in_a_narrow_window(full: World) -> None:
    async with opened(full) as driver:
        region = driver.browser.detail_view.region
        await driver.pilot.click(offset=(region.x + 3, region.y + 3))
        await resize(driver, NARROW)
        assert driver.reading()
        assert driver.has("#detail")


async def test_a_pane_that_was_clicked_after_reading_is_in_sight_in_a_narrow_window(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("enter")
        region = driver.pane(PaneId.COMMANDS).region
        await driver.pilot.click(offset=(region.x + 3, region.y + 2))
        assert driver.at(PaneId.COMMANDS)
        await resize(driver, NARROW)
        assert driver.has("#commands")
        assert not driver.has("#detail")


async def test_resizing_in_the_review_keeps_the_field(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("r", "tab", "tab")
        await driver.until(lambda: driver.review.field("goal").text == driver.review.field("goal").text)
        for size in (NARROW, SHORT, WIDE):
            await resize(driver, size)
            assert driver.review.focused is driver.review.field("goal")
            assert driver.review.field("goal").region.height > 0
        await driver.press("f2")
        for size in (NARROW, SHORT, WIDE):
            await resize(driver, size)
            assert driver.review.facts.listing.has_focus
            assert driver.has("#evidence")


async def test_a_screen_of_almost_nothing_does_not_fail(full: World) -> None:
    async with opened(full, (10, 4)) as driver:
        for size in ((1, 1), (3, 2), (10, 4)):
            await resize(driver, size)
            for keys in ("1", "2", "enter", "escape", "question_mark", "escape", "slash", "a", "escape"):
                await driver.press(keys)
        await resize(driver, WIDE)
        await driver.until(lambda: FIRST in driver.shown)
