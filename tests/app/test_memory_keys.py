"""Keys that change stored memories, several at a time when ticked; u undoes it, A shows hidden ones."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from memtui.app.listings import first_views
from memtui.app.panes.pane import PaneId
from memtui.app.screens.dialogs import AskScreen
from memtui.ground.clock import system_clock
from memtui.store.memories import MemoryStore
from tests.app.harness import SHORT, SIZES, WIDE, opened
from tests.app.memories import meta, path_of, rows
from tests.app.world import World

HERE, ELSEWHERE = "Of this project", "Of another project"


@pytest.fixture
def names(world: World) -> list[str]:
    """Three memories of the project, newest first, one of another project and one of none."""
    mine = [world.memory(number, f"{HERE} {number}", tags=("first", "zwei")) for number in (1, 2, 3)]
    other = world.memory(4, ELSEWHERE, project="/home/somebody/else")
    return [*mine, other, world.memory(5, "Of no project", project="")]


async def test_this_projects_memories_are_shown_and_a_shows_all(world: World, names: list[str]) -> None:
    a, b, c, other, homeless = names
    async with opened(world) as driver:
        await driver.press("2")
        assert rows(driver) == [a, b, c, homeless]
        assert "2 Memories 4 · 1 elsewhere" in driver.shown
        await driver.press("A")
        assert rows(driver) == [a, b, c, other, homeless]
        assert "2 Memories 5 " in driver.shown
        assert driver.last_said == "Memories of all projects are shown."
        assert "else: Of another project" in driver.drawn(PaneId.MEMORIES)[3]
        await driver.press("A")
        assert rows(driver) == [a, b, c, homeless]
        await driver.press("G", "A")  # the selection stays
        assert driver.pane(PaneId.MEMORIES).selected == f"{homeless}.md"


async def test_a_memory_that_arrives_does_not_take_the_cursor(world: World) -> None:
    mine = world.memory(2, "Mine")
    async with opened(world) as driver:
        await driver.press("2")
        new = world.memory(1, "From a shell")
        driver.app.hint("memories")
        await driver.until(lambda: rows(driver) == [new, mine])
        assert driver.pane(PaneId.MEMORIES).selected == f"{mine}.md"


async def test_with_none_of_this_project_it_says_how_many_there_are(world: World) -> None:
    world.memory(1, ELSEWHERE, project="/home/somebody/else")
    assert list(first_views(world.places))[1].more  # type: ignore[union-attr]  # until all are read
    world.capture(1, "Fix it")
    async with opened(world) as driver:
        await driver.press("2")
        assert rows(driver) == []
        assert "A shows 1 memory of others." in driver.detail
        assert "enter open" not in driver.lines[-1]
        assert "2 Memories 1 elsewhere" in driver.shown


async def test_tags_are_edited_in_one_line(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        for size in (WIDE, SHORT):
            await driver.resize(size)
            await driver.press("2", "t")
            await driver.until(lambda: isinstance(driver.screen, AskScreen), "the line")
            await driver.until(lambda: f"Tags of {names[0]}" in driver.shown, "the question")
            assert driver.screen.query_one(Input).value == "first, zwei", size
            await driver.type(", #Drei Vier,FIRST,,")
            await driver.press("enter")
            assert await driver.until_said("Tags of") == (
                f"Tags of {names[0]}: #first #zwei #Drei Vier. u brings the old ones back."
            )
            assert meta(world, names[0]).tags == ("first", "zwei", "Drei Vier"), size
            await driver.press("u")
            await driver.until_said("Undone")
            assert meta(world, names[0]).tags == ("first", "zwei"), size


async def test_tags_left_or_as_they_were_change_nothing(world: World, names: list[str]) -> None:
    before = path_of(world, names[0]).read_bytes()
    async with opened(world) as driver:
        for click in (False, True):
            await driver.press("2", "t")
            await driver.until(lambda: isinstance(driver.screen, AskScreen), "the line")
            await (driver.pilot.click("#no") if click else driver.press("enter"))
            assert await driver.until_said("unchanged") == "The tags are unchanged."
            assert driver.at(PaneId.MEMORIES)
        await driver.press("u")
        await driver.until_said("Nothing to undo")
    assert path_of(world, names[0]).read_bytes() == before


async def test_an_undo_does_not_overwrite_what_somebody_else_has_said(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "t")
        await driver.until(lambda: isinstance(driver.screen, AskScreen), "the line")
        await driver.type(", mine")
        await driver.press("enter")
        await driver.until_said("Tags of")
        other = MemoryStore(world.home, system_clock)  # as another program: not recorded
        other.update(names[0], tags=("theirs",))
        await driver.press("u")
        said = await driver.until_said("since")
        assert said.endswith(f"{names[0]} has changed since; it is kept as it is.")
        assert meta(world, names[0]).tags == ("theirs",)


async def test_delete_moves_to_the_trash_and_u_brings_it_back_to_the_byte(
    world: World, names: list[str]
) -> None:
    path = path_of(world, names[0])
    before = path.read_bytes()
    async with opened(world) as driver:
        await driver.press("2", "D")
        assert await driver.until_said("trash") == f"{names[0]} is in the trash. u brings it back."
        assert not path.exists()
        assert rows(driver)[0] == names[1]
        await driver.press("u")
        assert (
            await driver.until_said("Undone")
            == f"Undone: deleted {names[0]}, so it is back. ctrl+r does it again."
        )
        assert path.read_bytes() == before
        await driver.until(lambda: rows(driver)[0] == names[0])


REFUSED = {"t": "tagged", "D": "deleted here"}


async def test_a_reviews_memory_file_is_not_a_stored_memory(full: World) -> None:
    async with opened(full) as driver:
        await driver.press("2", "j")
        assert "Billing moved" in driver.detail
        for key, done in REFUSED.items():
            await driver.press(key)
            refused = f"This is a review's memory file: only stored memories can be {done}."
            assert driver.last_said == refused, key
            assert driver.at_home(), key


@pytest.mark.parametrize("key", REFUSED)
async def test_one_that_is_gone_is_said_to_be_gone(world: World, key: str) -> None:
    name = world.memory(1, "Gone in a moment")
    async with opened(world) as driver:
        await driver.press("2")
        path_of(world, name).unlink()
        await driver.press(key)
        await driver.until(lambda: driver.said, "a word")
        assert name in driver.last_said
        assert "wrong in memtui" not in driver.last_said


async def test_the_palette_takes_a_memory_out_of_the_trash(world: World, names: list[str]) -> None:
    path = path_of(world, names[1])
    before = path.read_bytes()
    MemoryStore(world.home, system_clock).delete(names[1])
    async with opened(world) as driver:
        await driver.press("2")
        driver.browser.memories.action_undelete()
        await driver.until(lambda: names[1] in driver.shown, "the trash")
        await driver.press("down", "enter")
        assert await driver.until_said("back") == f"{names[1]} is back."
        assert path.read_bytes() == before
        await driver.press("u")
        await driver.until_said("Undone")
        assert not path.exists()


@pytest.fixture
def four(world: World) -> list[str]:
    """Four memories, newest first."""
    tags = [("both", "a"), ("both", "b"), ("c",), ()]
    return [world.memory(number, f"Memory {number}", tags=each) for number, each in enumerate(tags, 1)]


async def test_space_marks_a_row_and_goes_on_and_esc_unmarks_all(world: World, four: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "space", "space")
        assert "2 Memories 4 · 2 marked" in driver.shown
        assert driver.shown.count("●") >= 2
        pane = driver.pane(PaneId.MEMORIES)
        assert pane.marked == {f"{name}.md" for name in four[:2]}
        assert pane.selected == f"{four[2]}.md"
        await driver.press("k", "space")
        assert pane.marked == {f"{four[0]}.md"}
        await driver.resize(SIZES[-1])
        assert "●1" in driver.shown  # the strip of a short window
        await driver.press("escape")
        assert not pane.marked
        assert "marked" not in driver.shown
        await driver.resize(SIZES[0])
        assert "marked" not in driver.shown


async def test_d_deletes_all_marked_memories(world: World, four: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "j", "space", "space", "D")
        await driver.until_said("Moved to the trash: 2 memories. u takes it back.")
        assert [path_of(world, name).exists() for name in four] == [True, False, False, True]
        await driver.press("u")
        await driver.until_said("Undone")
        assert all(path_of(world, name).exists() for name in four)


async def test_t_edits_the_tags_that_marked_memories_have_in_common(world: World, four: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "space", "space", "t")
        await driver.until(
            lambda: isinstance(driver.screen, AskScreen) and driver.has("Input"), "the question"
        )
        assert driver.screen.query_one(Input).value == "both"
        driver.screen.query_one(Input).value = "new"
        await driver.press("enter")
        await driver.until_said("Changed the tags of 2 memories. u takes it back.")
        assert meta(world, four[0]).tags == ("a", "new")
        assert meta(world, four[1]).tags == ("b", "new")
        await driver.press("u")
        await driver.until_said("Undone")
        assert meta(world, four[0]).tags == ("both", "a")
