"""L lists the changes made by memtui; undo and redo work across restarts."""

from __future__ import annotations

import pytest

from memtui.app.keys.commands import PaneId
from memtui.app.screens import changes as screen_module
from memtui.app.screens.changes import ChangesScreen
from memtui.app.screens.document import ReadingScreen
from memtui.app.widgets.document_view import DocumentView
from memtui.store.memory_files import FilesBackend
from tests.app.harness import SIZES, Driver, opened
from tests.app.hostile import PAYLOADS
from tests.app.test_hostile import check
from tests.app.world import World, clock
from tests.store.undoing import Undoing


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_module, "_LOOK", 3600.0)  # a screen that keeps looking is never at rest


@pytest.fixture
def names(world: World) -> list[str]:
    """Two memories, the newer one first."""
    return [world.memory(number, f"Memory {number}") for number in (1, 2)]


def rows(driver: Driver) -> list[str]:
    """The list, as it is drawn."""
    assert isinstance(driver.screen, ChangesScreen)
    screen = driver.screen
    return [screen._draw(key, 90).plain.rstrip() for key in screen.listing.rows]


def reads(driver: Driver) -> bool:
    """Whether a change is shown, and its screen is laid out."""
    screen = driver.screen
    return isinstance(screen, ReadingScreen) and any(view.size.height for view in screen.query(DocumentView))


async def log_of(driver: Driver, number: int) -> None:
    await driver.press("L")
    await driver.until(lambda: isinstance(driver.screen, ChangesScreen), "the screen")
    await driver.until(lambda: len(rows(driver)) == number, "the changes")


async def test_u_takes_back_the_last_change_of_an_earlier_run_and_ctrl_r_redoes_it(
    world: World, names: list[str]
) -> None:
    async with opened(world) as driver:
        await driver.press("2", "a")
        await driver.until_said("Archived")
    async with opened(world) as driver:
        await driver.press("u")
        assert await driver.until_said("Undone") == f"Undone: archived {names[0]}."
        await driver.until(lambda: len(driver.pane(PaneId.MEMORIES).rows) == 2, "the memory")
    async with opened(world) as driver:
        await driver.press("ctrl+r")
        assert await driver.until_said("Redone") == f"Redone: archived {names[0]}."
        await driver.press("ctrl+r")
        assert await driver.until_said("Nothing") == "Nothing to redo."
        await driver.press("u")
        await driver.until_said("Undone")
        await driver.press("2", "P")
        await driver.until_said("Pinned")
        await driver.press("ctrl+r")
        assert await driver.until_said("Nothing") == "Nothing to redo; L lists what was undone before."


@pytest.mark.parametrize("size", SIZES)
async def test_the_log_is_listed_newest_first_and_each_change_can_be_undone(
    world: World, names: list[str], size: tuple[int, int]
) -> None:
    async with opened(world, size) as driver:
        await driver.press("2", "P")
        await driver.until_said("Pinned")
        await driver.press("j", "a")
        await driver.until_said("Archived")
        Undoing(world.home, world.project.root, by="hook", clock=clock).changes.wrote(
            "captured it", world.project.root / "x", None, b"x"
        )
        await log_of(driver, 3)
        what = [row.split("  by ")[0] for row in rows(driver)]
        assert what[0] == "captured it"
        assert sorted(what[1:]) == [f"archived {names[1]}", f"pinned {names[0]}"]
        await driver.press("j", "j", "u")
        await driver.until_said("Undone")
        await driver.until(lambda: rows(driver)[2].startswith("undone "), "the row")
        await driver.press("u")
        assert "undone already" in await driver.until_said("already")
        await driver.press("ctrl+r")
        await driver.until_said("Redone")
        await driver.until(lambda: not rows(driver)[2].startswith("undone "), "the row")
        await driver.press("escape")
        assert driver.at_home()


async def test_a_change_is_not_undone_after_a_newer_one(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "P")
        await driver.until_said("Pinned")
        await driver.press("a")
        await driver.until_said("Archived")
        await log_of(driver, 2)
        await driver.press("j", "u")
        assert f"{names[0]} has changed since (archived {names[0]}, now, by the app)" in (
            await driver.until_said("since")
        )


async def test_enter_reads_the_files_of_a_change_the_trash_included(world: World, names: list[str]) -> None:
    async with opened(world) as driver:
        await driver.press("2", "D")
        await driver.until_said("trash")
        await log_of(driver, 1)
        await driver.press("enter")
        await driver.until(lambda: reads(driver), "the change")
        await driver.settled()
        text = driver.screen.query_one(DocumentView).document.text
        assert text.startswith(f"deleted {names[0]}\n")
        assert "This file is not there any more: as it was." in text
        assert "Memory 1" in text


async def test_changes_of_other_projects_are_shown_on_request(world: World, names: list[str]) -> None:
    other = Undoing(world.home, world.base / "other", clock=clock)
    FilesBackend(world.home, clock, other.changes.wrote).update(names[1], pinned=True)
    async with opened(world) as driver:
        await driver.press("L")
        await driver.until(lambda: isinstance(driver.screen, ChangesScreen), "the screen")
        await driver.until(lambda: "memtui has changed nothing here yet." in driver.shown, "the list")
        await driver.press("enter")
        assert await driver.until_said("nothing here yet") == (
            "memtui has changed nothing here yet. A shows the changes of all projects."
        )
        await driver.press("A")
        await driver.until(lambda: rows(driver), "the changes")
        assert rows(driver)[0].startswith(f"pinned {names[1]}")


async def test_what_cannot_be_undone_says_so_on_its_row(world: World) -> None:
    Undoing(world.home, world.project.root, clock=clock).changes.for_good(
        "forgot session s-1", "it was deleted for good"
    )
    async with opened(world) as driver:
        await log_of(driver, 1)
        assert "forgot session s-1  cannot be undone  by the app" in rows(driver)[0]
        await driver.press("u")
        assert "cannot be undone: it was deleted for good" in await driver.until_said("for good")
        await driver.press("enter")
        await driver.until(lambda: reads(driver), "the change")
        assert "It cannot be undone: it was deleted for good." in (
            driver.screen.query_one(DocumentView).document.text
        )


async def test_a_hostile_log_is_shown_as_text(world: World) -> None:
    changes = Undoing(world.home, world.project.root, clock=clock).changes
    for number, text in enumerate(PAYLOADS.values()):
        changes.wrote(text, world.project.root / f"{number}", None, text.encode("utf-8", "replace"))
    async with opened(world) as driver:
        await log_of(driver, len(PAYLOADS))
        check(driver)
        await driver.press("enter")
        await driver.until(lambda: reads(driver), "the change")
        await driver.settled()
        check(driver)
