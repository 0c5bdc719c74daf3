"""`!` pins any line: of the reader, of the state pane and its document, of the facts in a review."""

from __future__ import annotations

import pytest

from memtui.app.keys.commands import PaneId
from memtui.app.screens.transcript import TranscriptScreen
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.formats.pins import Pin
from memtui.lost.pins import Pins
from memtui.store.archive import Archive
from memtui.store.archive_settings import ArchiveSettings
from tests.app.harness import SIZES, Driver, opened
from tests.app.world import World, clock

STATE = """=== SESSION STATE v3 ===

## IDENTITY
- Project: harbor
- Branch: main
- Session goal: first asked (L1): "Fix the token refresh race"

## TASK TREE
- [ ] **IN PROGRESS**: Write the migration (L4)
- [x] Read the code (L2)

=== END STATE ===
"""


@pytest.fixture
def talked(world: World) -> World:
    """A session with an ask, a command, an answer and a compaction, its capture and its state."""
    session = world.session("s-1", minutes=55)
    session.prompt("Fix the token refresh race\nand never refresh twice")
    session.bash("pytest -q", "Run the tests", "2 passed in 0.31s")
    session.say("Both tokens are revoked now: token ghp_0123456789abcdefghijABCDEFGHIJ012345")
    session.compaction("The race was fixed.")
    world.save(session, minutes=40)
    world.capture(56, "Fix the token refresh race")
    world.state(STATE, version=3)
    return world


def pinned(world: World) -> list[Pin]:
    return [each.pin for each in Pins(world.project, world.home).all()]


async def at_row(driver: Driver, words: str) -> TranscriptView:
    """Open the reader and make the row with these words the current one."""
    await driver.press("1", "o")
    assert isinstance(driver.screen, TranscriptScreen)
    view = await driver.until_transcript()
    await driver.until(lambda: "turn" in driver.lines[0], "the index")
    go_to(view, words)
    return view


def go_to(view: TranscriptView, words: str) -> None:
    view.put_line(next(n for n, each in enumerate(view.document.lines) if words in each.text))


@pytest.mark.parametrize("size", SIZES)
async def test_a_line_of_the_reader(talked: World, size: tuple[int, int]) -> None:
    async with opened(talked, size) as driver:
        await at_row(driver, "never refresh twice")
        await driver.press("!")
        await driver.until_said("Pinned “and never refresh twice”, but no summary gets it: the hooks are not")
        assert pinned(talked) == [Pin("and never refresh twice", "s-1", 1)]
        await driver.press("u")
        await driver.until_said("Undone: pinned “and never refresh twice”.")
        assert pinned(talked) == []


async def test_the_words_of_each_kind_of_row(talked: World) -> None:
    async with opened(talked) as driver:
        view = await at_row(driver, "❯ Fix")
        await driver.press("!")
        await driver.until_said("Pinned “Fix the")
        go_to(view, "● Bash")
        await driver.press("!")
        await driver.until_said("Pinned “pytest -q”")
        go_to(view, "2 passed")
        await driver.press("!")
        await driver.until_said("Pinned “2 passed in 0.31s”")
        await driver.press("!")
        await driver.until_said("has this pin already")
        go_to(view, "revoked now")
        await driver.press("!")
        await driver.until_said("Pinned “Both tokens")
        *others, masked = pinned(talked)
        assert others == [
            Pin("Fix the token refresh race", "s-1", 1),
            Pin("pytest -q", "s-1", 2),
            Pin("2 passed in 0.31s", "s-1", 3),
        ]
        assert "ghp_0123" not in masked.text + " ".join(driver.app.said)
        for row in ("COMPACTED", "▸ Summary"):
            go_to(view, row)
            await driver.press("!")
            assert driver.last_said == "Nothing to pin here: ! pins what was said, run or read."


async def test_a_session_of_another_project_cannot_be_pinned_here(talked: World) -> None:
    other = World(talked.base, "other")
    session = other.session("s-9", minutes=5)
    session.prompt("Something else")
    path = other.save(session, minutes=1)
    async with opened(talked) as driver:
        await driver.app.push_screen(TranscriptScreen(path))
        await driver.settled()
        go_to(await driver.until_transcript(), "Something else")
        await driver.press("!")
        await driver.until_said("Only lines of this project's sessions can be pinned here.")
        assert pinned(talked) == []


async def test_a_line_of_an_archived_session(talked: World) -> None:
    archive = Archive(talked.home, clock)
    archive.keep(talked.transcript_path("s-1"), ArchiveSettings())
    talked.transcript_path("s-1").unlink()
    (kept,) = archive.entries()
    async with opened(talked) as driver:
        await driver.app.push_screen(TranscriptScreen(archive.readable(kept)))
        await driver.settled()
        go_to(await driver.until_transcript(), "never refresh twice")
        await driver.press("!")
        await driver.until_said("Pinned")
        assert pinned(talked) == [Pin("and never refresh twice", "s-1", 1)]


async def test_rows_and_detail_of_the_state_pane(talked: World) -> None:
    async with opened(talked) as driver:
        await driver.until(lambda: driver.browser.panes[PaneId.STATE].rows, "the state")
        await driver.press("4", "j", "!")
        await driver.until_said("Pinned “Write the migration”")
        await driver.press("j", "!")
        assert driver.last_said.startswith("A row of this pane is no line to pin")
        await driver.press("enter")
        await driver.until(lambda: "TASK TREE" in driver.detail, "the document")
        await driver.press("!")
        await driver.until_said("Pinned “Fix the token refresh race”")
        assert pinned(talked) == [
            Pin("Write the migration", "s-1", 4),
            Pin("Fix the token refresh race", "s-1", 1),
        ]


async def test_other_panes_say_what_can_be_pinned(talked: World) -> None:
    async with opened(talked) as driver:
        for pane in "123":
            await driver.press(pane, "!")
            assert driver.last_said.startswith("A row of this pane is no line to pin")
            driver.app.said.clear()
        assert pinned(talked) == []


async def test_a_fact_of_a_review(talked: World) -> None:
    async with opened(talked) as driver:
        await driver.press("1", "r")
        await driver.until(lambda: driver.review.field("title").text, "the draft")
        await driver.press("f2")
        rows = driver.review.facts
        await driver.until(lambda: rows.listing.rows, "the facts")
        rows.listing.select(
            next(key for key in rows.listing.rows if "never refresh" in str(rows._items[key]))
        )
        await driver.press("!")
        await driver.until_said("Pinned")
        (pin,) = pinned(talked)
        assert "never refresh twice" in pin.text and "(L1" not in pin.text
        assert (pin.session, pin.line) == ("s-1", 1)
        await driver.press("u")
        await driver.until_said("Undone: pinned")
        assert pinned(talked) == []
