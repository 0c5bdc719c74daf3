"""Space marks several rows; the next action applies to all of them, and u undoes it as one."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import AskScreen
from memtui.app.screens.review import ReviewScreen
from tests.app.harness import SIZES, opened
from tests.app.memories import meta, path_of
from tests.app.world import World


@pytest.fixture
def names(world: World) -> list[str]:
    """Four memories, newest first."""
    tags = [("both", "a"), ("both", "b"), ("c",), ()]
    return [world.memory(number, f"Memory {number}", tags=each) for number, each in enumerate(tags, 1)]


async def test_space_marks_a_row_and_goes_on_and_esc_unmarks_all(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "space", "space")
        assert "2 Memories 4 · 2 marked" in driver.shown
        assert driver.shown.count("●") >= 2
        pane = driver.pane(PaneId.MEMORIES)
        assert pane.marked == {f"{name}.md" for name in names[:2]}
        assert pane.selected == f"{names[2]}.md"
        await driver.press("k", "space")
        assert pane.marked == {f"{names[0]}.md"}
        await driver.resize(SIZES[-1])
        assert "●1" in driver.shown  # the strip of a short window
        await driver.press("escape")
        assert not pane.marked
        assert "marked" not in driver.shown
        await driver.resize(SIZES[0])
        assert "marked" not in driver.shown


async def test_d_deletes_all_marked_memories(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "j", "space", "space", "D")
        await driver.until_said("Moved to the trash: 2 memories. u takes it back.")
        assert [path_of(world, name).exists() for name in names] == [True, False, False, True]
        await driver.press("u")
        await driver.until_said("Undone")
        assert all(path_of(world, name).exists() for name in names)


async def test_t_edits_the_tags_that_marked_memories_have_in_common(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "space", "space", "t")
        await driver.until(
            lambda: isinstance(driver.screen, AskScreen) and driver.has("Input"), "the question"
        )
        assert driver.screen.query_one(Input).value == "both"
        driver.screen.query_one(Input).value = "new"
        await driver.press("enter")
        await driver.until_said("Changed the tags of 2 memories. u takes it back.")
        assert meta(world, names[0]).tags == ("a", "new")
        assert meta(world, names[1]).tags == ("b", "new")
        await driver.press("u")
        await driver.until_said("Undone")
        assert meta(world, names[0]).tags == ("both", "a")


async def test_marked_captures_are_reviewed_one_after_the_other(world: World) -> None:
    for minutes in (1, 2, 3):
        world.capture(minutes, f"Capture {minutes}")
    async with opened(world) as driver:
        await driver.press("1", "space", "j", "space", "r")
        await driver.until(lambda: isinstance(driver.screen, ReviewScreen), "the first review")
        first = driver.screen
        await driver.press("ctrl+s")
        await driver.until(
            lambda: isinstance(driver.screen, ReviewScreen) and driver.screen is not first,
            "the second review",
        )
        assert len(driver.browser.pending.marked) == 1
        await driver.press("ctrl+s")
        await driver.until(driver.at_home, "the end of the walk")
        assert not driver.browser.pending.marked
        await driver.until(lambda: len(driver.pane(PaneId.PENDING).rows) == 1, "one capture is left")
