"""At every size everything is reachable by keys alone, and resizing keeps the position."""

from __future__ import annotations

import pytest
from textual.widgets import Button

from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import ConfirmScreen
from memtui.app.widgets.document import Document, line
from tests.app.harness import NARROW, SHORT, WIDE, opened
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
    (("G",), "Current phase"),
    (("1",), "Fix the token"),
    (("question_mark",), "Help for Pending"),
    (("G",), "back to the shell"),
    (("escape", "slash"), " / "),
    (("escape", "3", "X"), "Clear all 3 active commands?"),
    (("n", "1", "o"), "s-1 · "),
    (("escape", "r"), "Evidence"),
    (("f2", "shift+tab", "shift+tab"), "Title"),
    *[
        (("tab",), title)
        for title in ("Summary", "Learnings", "Goal", "Open questions", "Confidence", "Key files")
    ],
    (("f2",), "src/tokens.py"),
    (("f3",), "s-1 · "),
    (("escape", "escape"), "Fix the token"),
    (("A", "G"), "✓ Migrate billing"),
    (("ctrl+p",), "Search for commands"),
    (("escape", "z"), "Fix the token"),
    (("z", "4"), "Take the lock"),
]


async def test_everything_is_reached_by_keys_alone(full: World) -> None:
    async with opened(full, SHORT) as driver:
        for keys, text in JOURNEY:
            await driver.press(*keys)
            await driver.until(lambda text=text: text in driver.shown, f"{keys}: {text!r}")  # type: ignore[misc]
            assert all(len(line) <= SHORT[0] for line in driver.lines), keys


async def test_visible_parts_by_size(full: World) -> None:
    async with opened(full) as driver:
        for size, panes, detail in ((WIDE, 4, True), (NARROW, 4, False), (SHORT, 1, False)):
            await driver.resize(size)
            for number in "1234":
                await driver.press(number)
                assert sum(driver.has(f"#{pane_id}") for pane_id in PaneId) == panes, size
                assert driver.has("#detail") == detail, size
                if size == NARROW:
                    heights = {pane_id: driver.pane(pane_id).region.height for pane_id in PaneId}
                    current = heights.pop(driver.browser.current_id)
                    whole = driver.browser.pane.wanted_height(size[0])
                    assert current >= min(whole, max(heights.values()))
        await driver.press("1")
        for columns in (99, 100):  # from a hundred columns on the detail stands beside
            await driver.resize((columns, 30))
            assert driver.has("#detail") == (columns == 100)
        for lines in (19, 20):  # from twenty lines on all panes show
            await driver.resize((80, lines))
            assert driver.has("#state") == (lines == 20)
            assert driver.has("#tabs") == (lines == 19)
        driver.app.action_sessions()
        assert driver.screen.has_class("-narrow")  # before its first paint
        await driver.until(lambda: driver.has("#sessions"))


async def test_resizing_while_reading_keeps_the_place(full: World) -> None:
    body = "\n\n".join(f"Paragraph {number} " + "with some words to wrap " * 8 for number in range(80))
    full.memory(1, "Long", body=body)
    async with opened(full) as driver:
        await driver.press("2", "enter")
        await driver.press("pagedown")
        view = driver.browser.detail
        line = view.place.line
        assert line > 10
        for size in (NARROW, SHORT, (200, 60), (60, 30), WIDE):
            await driver.resize(size)
            assert driver.has("#detail")
            assert driver.reading()
            assert view.place.line == line
            first = view.document.lines[line].text[view.place.char :][:12].strip()
            assert not first or first in driver.shown
        await driver.press("escape")
        assert driver.at(PaneId.MEMORIES)


async def test_resizing_in_a_pane_keeps_the_selection_in_sight(full: World) -> None:
    for number in range(50):
        full.capture(300 + number, f"Capture {number}")
    async with opened(full) as driver:
        await driver.press(*"j" * 25)
        selected = driver.pane(PaneId.PENDING).selected
        title = driver.drawn(PaneId.PENDING, 30)[25]
        for size in (SHORT, WIDE, NARROW, WIDE, SHORT, NARROW):
            await driver.resize(size)
            assert driver.pane(PaneId.PENDING).selected == selected, size
            assert driver.at(PaneId.PENDING), size
            assert any(title[7:18] in line for line in driver.lines), size


async def test_a_screen_of_almost_nothing_does_not_fail(full: World) -> None:
    async with opened(full, (10, 4)) as driver:
        for size in ((1, 1), (3, 2), (10, 4)):
            await driver.resize(size)
            for keys in ("1", "2", "enter", "escape", "question_mark", "escape", "slash", "a", "escape"):
                await driver.press(keys)
        await driver.resize(WIDE)
        await driver.until(lambda: FIRST in driver.shown)


@pytest.mark.parametrize("size", [SHORT, (40, 24)])
async def test_both_answers_of_a_question_are_in_its_box(world: World, size: tuple[int, int]) -> None:
    read = Document([line("It is read before the answer. " * 6)] * 9)
    async with opened(world, size) as driver:
        for yes, no in (("Bring it back", "Leave it"), ("Write and copy", "Not now")):
            for document in (None, read):
                driver.app.push_screen(ConfirmScreen("Is it wanted? " * 6, yes=yes, no=no, document=document))
                await driver.handled()
                box = driver.screen.query_one("#confirm").content_region
                assert all(box.contains_region(each.region) for each in driver.screen.query(Button))
                assert f"{yes} (y)" in driver.shown and f"{no} (n)" in driver.shown
                await driver.press("n")
