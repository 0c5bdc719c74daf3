"""a, t, P and D change a stored memory and report it, u undoes it; A shows hidden memories."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from memtui.app.keys.commands import PaneId
from memtui.app.panes.memories import MemoriesPane
from memtui.app.screens.line_prompt import AskScreen
from memtui.formats.stored_memory import parse_stored
from memtui.ground.clock import system_clock
from memtui.store.memory_files import FilesBackend
from tests.app.harness import SIZES, opened
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
        assert "2 Memories 4 · 1 hidden" in driver.shown
        await driver.press("A")
        assert rows(driver) == [a, b, c, other, homeless]
        assert "2 Memories 5 " in driver.shown
        assert driver.last_said == "Memories of all projects are shown, archived ones, too."
        assert "else: Of another project" in driver.drawn(PaneId.MEMORIES)[3]
        await driver.press("A")
        assert rows(driver) == [a, b, c, homeless]
        await driver.press("G", "A")  # the selection stays
        assert driver.pane(PaneId.MEMORIES).selected == f"{homeless}.md"


async def test_a_project_below_the_root_is_the_projects(world: World) -> None:
    below = world.memory(1, "Below", project=str(world.root / "packages" / "api"))
    beside = world.memory(2, "Beside", project=f"{world.root}-old")
    async with opened(world) as driver:
        assert rows(driver) == [below]
        await driver.press("2", "A")
        assert rows(driver) == [below, beside]


async def test_with_none_of_this_project_it_says_how_many_there_are(world: World) -> None:
    world.memory(1, ELSEWHERE, project="/home/somebody/else")
    async with opened(world) as driver:
        await driver.press("2")
        assert rows(driver) == []
        assert "A shows 1 memory of other projects, or archived." in driver.detail
        assert "2 Memories 1 hidden" in driver.shown


async def test_unrecorded_changes_do_not_offer_undo(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        log = world.home.changes_log
        log.parent.mkdir(parents=True, exist_ok=True)
        log.mkdir()  # in the way: nothing can be recorded
        await driver.press("2", "D")
        said = await driver.until_said("trash")
        assert said.startswith(f"{names[0]} is in the trash. u cannot undo it: {log} ")


async def test_archive_hides_and_says_how_to_see_it(world: World, names: list[str]) -> None:
    a, b, c, _other, homeless = names
    before = path_of(world, b).read_bytes()
    async with opened(world) as driver:
        await driver.press("2", "j", "a")
        await driver.until_said("Archived")
        assert driver.last_said == f"Archived {b}: A shows archived ones, too. u brings it back."
        assert meta(world, b).archived
        assert rows(driver) == [a, c, homeless]
        assert driver.pane(PaneId.MEMORIES).selected == f"{c}.md"
        await driver.press("A")
        await driver.until(lambda: b in rows(driver))
        await driver.until(lambda: "archived" in driver.drawn(PaneId.MEMORIES)[1])
        await driver.press("A", "u")
        assert await driver.until_said("Undone") == f"Undone: archived {b}."
        await driver.until(lambda: rows(driver) == [a, b, c, homeless])
        assert parse_stored(path_of(world, b).read_bytes()).body == parse_stored(before).body
        assert not meta(world, b).archived


async def test_pressed_twice_it_archives_two(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "a", "a")
        await driver.until(lambda: rows(driver) == [names[2], names[4]])
        assert [meta(world, name).archived for name in names[:3]] == [True, True, False]


async def test_an_archived_memory_is_unarchived(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "A", "a")
        await driver.until_said("Archived")
        await driver.until(lambda: "archived" in driver.drawn(PaneId.MEMORIES)[0])
        assert rows(driver)[0] == names[0]
        await driver.press("a")
        assert await driver.until_said("unarchived") == f"{names[0]} is unarchived."
        assert not meta(world, names[0]).archived


async def test_a_pinned_memory_goes_to_the_top_and_stays_selected(world: World, names: list[str]) -> None:
    a, b, c, _other, homeless = names
    async with opened(world) as driver:
        await driver.press("2", "j", "j", "P")
        assert await driver.until_said("Pinned") == f"Pinned {c}: it stays on top."
        await driver.until(lambda: rows(driver) == [c, a, b, homeless])
        await driver.until(lambda: "★ Of this project 3" in driver.drawn(PaneId.MEMORIES)[0])
        assert driver.pane(PaneId.MEMORIES).selected == f"{c}.md"
        newer = world.memory(0, "Newer still")
        driver.browser.feed.live.hint("memories")
        await driver.until(lambda: rows(driver) == [c, newer, a, b, homeless])
        await driver.press("P")
        assert await driver.until_said("Unpinned") == f"Unpinned {c}."
        await driver.until(lambda: rows(driver) == [newer, a, b, c, homeless])
        await driver.press("u")
        await driver.until(lambda: rows(driver) == [c, newer, a, b, homeless])


async def test_tags_are_edited_in_one_line(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        for size in SIZES:
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
        for key in ("escape", "enter"):
            await driver.press("2", "t")
            await driver.until(lambda: isinstance(driver.screen, AskScreen), "the line")
            await driver.press(key)
            assert await driver.until_said("unchanged") == "The tags are unchanged."
            assert driver.at(PaneId.MEMORIES)
        await driver.press("u")
        assert driver.last_said == "Nothing to undo in this project."
    assert path_of(world, names[0]).read_bytes() == before


async def test_an_undo_does_not_overwrite_what_somebody_else_has_said(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "P")
        await driver.until_said("Pinned")
        other = FilesBackend(world.home, system_clock)  # as another program: not recorded
        other.update(names[0], tags=("theirs",))
        await driver.press("u")
        assert await driver.until_said("since") == (
            f"{names[0]} has changed since; it is kept as it is: another program did that."
        )
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
        assert await driver.until_said("Undone") == f"Undone: deleted {names[0]}."
        assert path.read_bytes() == before
        await driver.until(lambda: rows(driver)[0] == names[0])


@pytest.mark.parametrize("key", ["a", "D"])
async def test_an_undo_selects_the_row_that_comes_back(world: World, names: list[str], key: str) -> None:
    a, b, c, _other, homeless = names
    async with opened(world) as driver:
        await driver.press("2", "j", key)
        await driver.until(lambda: rows(driver) == [a, c, homeless])
        await driver.until_said("u brings it back")
        await driver.press("1", "u")
        await driver.until(lambda: rows(driver) == [a, b, c, homeless])
        await driver.until(lambda: driver.pane(PaneId.MEMORIES).selected == f"{b}.md", "the selection")


REFUSED = {"a": "archived", "t": "tagged", "P": "pinned", "D": "deleted here"}


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


async def test_the_filter_looks_in_what_is_shown(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "slash", *"project", "enter")
        assert rows(driver) == [*names[:3], names[4]]
        await driver.press("A")
        assert rows(driver) == names
        pane = driver.pane(PaneId.MEMORIES)
        assert isinstance(pane, MemoriesPane)
        await driver.press("escape", "A")
        assert pane.reveal(f"{names[3]}.md")
        assert pane.selected == f"{names[3]}.md"
        assert pane.everything


async def test_the_older_of_two_marked_memories_is_superseded_from_the_palette(
    world: World, names: list[str]
) -> None:
    newest, older = names[0], names[1]
    async with opened(world) as driver:
        await driver.press("2")
        await driver.app.screen.run_action("screen.run('supersede')")
        assert await driver.until_said("Mark two") == driver.last_said
        await driver.press("space", "space")
        await driver.app.screen.run_action("screen.run('supersede')")
        assert await driver.until_said("superseded") == f"{older} is superseded by {newest}. u takes it back."
        await driver.until(lambda: "superseded " in driver.drawn(PaneId.MEMORIES)[1])
        assert meta(world, newest).supersedes == (older,)
        await driver.press("k")
        await driver.until(lambda: f"superseded by {newest}" in driver.detail)
        await driver.app.screen.run_action("screen.run('supersede')")
        assert await driver.until_said("no longer") == f"{older} is no longer superseded."
        await driver.press("u")
        await driver.until_said("Undone")
        assert meta(world, older).superseded_by == newest
