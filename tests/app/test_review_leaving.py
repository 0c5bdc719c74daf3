"""Leaving the review loses nothing unasked, and saving overwrites nothing that others have changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.app.screens.dialogs import ConfirmScreen
from memtui.documents.capture import parse_capture, render_capture, reviewed
from memtui.documents.memory_file import MemoryFile
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry
from tests.app.harness import WIDE, opened
from tests.app.reviewing import everything, memory_path, start, texts
from tests.app.world import FIRST, World


async def test_escape_asks_when_something_would_be_lost(full: World) -> None:
    before = everything(full)
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x", "escape")
        assert isinstance(driver.screen, ConfirmScreen)
        assert "What you wrote is not saved." in driver.shown
        await driver.press("n")
        assert driver.app.screen is review
        assert review.field("title").text == f"{FIRST}x"
        await driver.press("escape", "enter")  # the button that keeps has the focus
        assert driver.app.screen is review
        await driver.press("escape", "y")
        await driver.until(driver.at_home)
        assert everything(full) == before
        await driver.press("u")
        assert driver.last_said.startswith("Nothing to undo")


@pytest.mark.parametrize("size", [WIDE, (30, 8)])
async def test_the_whole_question_and_both_answers_show(full: World, size: tuple[int, int]) -> None:
    async with opened(full, size) as driver:
        await start(driver)
        await driver.press("x", "escape")
        await driver.until(lambda: isinstance(driver.screen, ConfirmScreen), "the question")
        await driver.settled()
        asked = driver.screen.query_one("#question").region
        rows = (row[asked.x : asked.right].strip() for row in driver.lines[asked.y : asked.bottom])
        assert " ".join(rows) == "Leave the review? What you wrote is not saved."
        assert any("Leave (y)" in row and "Stay (n)" in row for row in driver.lines)


def touched(world: World) -> None:
    path = world.capture_path(10)
    path.write_text(path.read_text().replace(FIRST, "Something else"))


def reviewed_elsewhere(world: World) -> None:
    path = world.capture_path(10)
    path.write_text(render_capture(reviewed(parse_capture(path.read_text()), summary="Mine", memory="m.md")))


def deleted(world: World) -> None:
    world.capture_path(10).unlink()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (touched, "has changed since it was listed; look at it again"),
        (reviewed_elsewhere, "is already reviewed; nothing was changed"),
        (deleted, "does not exist"),
    ],
)
async def test_what_changed_meanwhile_is_refused_and_nothing_is_lost(
    full: World, change: Callable[[World], None], reason: str
) -> None:
    async with opened(full) as driver:
        review = await start(driver)
        await driver.press("end", "x")
        change(full)
        before = everything(full)
        filled = texts(review)
        await driver.press("ctrl+s")
        said = await driver.until_said("Not saved: ")
        assert reason in said
        assert driver.app.screen is review
        assert texts(review) == filled
        assert everything(full) == before


async def test_a_capture_that_changed_can_be_reviewed_once_it_is_read_again(full: World) -> None:
    async with opened(full) as driver:
        await start(driver)
        touched(full)
        await driver.press("ctrl+s")
        await driver.until_said("Not saved")
        await driver.press("escape")
        driver.app.hint("compacts")
        await driver.until(lambda: "Something else" in driver.shown, "the change")
        await start(driver)
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed")


async def test_a_memory_file_that_is_there_already_is_not_overwritten(full: World) -> None:
    memory_path(full).write_text("# Memory: Somebody's own\n")
    async with opened(full) as driver:
        await start(driver)
        await driver.press("ctrl+s")
        await driver.until_said("Reviewed: ")
        assert list(full.project.compacts.glob("*-memory-2.md"))
        assert memory_path(full).read_text() == "# Memory: Somebody's own\n"


async def test_a_second_ctrl_s_and_escape_come_too_late(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pressed = threading.Event()
    write = CaptureStore.review

    def slowly(store: CaptureStore, entry: Entry, *, memory: MemoryFile, summary: str) -> Path:
        assert pressed.wait(10)
        return write(store, entry, memory=memory, summary=summary)

    monkeypatch.setattr(CaptureStore, "review", slowly)
    async with opened(full) as driver:
        await start(driver)
        await driver.pilot.press("ctrl+s", "ctrl+s", "escape")
        pressed.set()
        await driver.until(driver.at_home, "the end of the review")
        await driver.until_said("Reviewed")
        assert not [said for said in driver.said if "Not saved" in said]
        await driver.press("u")
        await driver.until_said("Undone: review")
