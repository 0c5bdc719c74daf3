"""The session state's pane follows the files: stored, drafted, nothing, and back again."""

from __future__ import annotations

import shutil

import pytest

from memtui.app.panes.pane import PaneId
from memtui.app.panes.pending import PendingPane
from memtui.app.watch import Mark
from memtui.documents.session_state import WorkingContext
from memtui.store.states import StateStore
from tests.app.harness import WIDE, Driver, make_app, opened
from tests.app.world import STATE, World, captured_session


async def shows(driver: Driver, count: str) -> None:
    for name in ("states", "transcripts 0"):
        driver.app.hint(name)
    await driver.until(lambda: driver.pane(PaneId.STATE).count() == count, f"“{count}”")


async def test_a_stored_state_that_is_removed_gives_way_to_the_draft_again(world: World) -> None:
    captured_session(world)
    async with opened(world) as driver:
        await shows(driver, "drafted")
        path = world.state(STATE, version=7)
        await shows(driver, "v7")
        aside = path.rename(world.base / "aside.md")
        await shows(driver, "drafted")
        aside.rename(path)
        await shows(driver, "v7")


@pytest.mark.parametrize(
    ("told_of", "row"),
    [
        ("pytest failed: no lock (resolved)", "resolved pytest failed: no lock"),
        ("pytest failed: no lock (fixed by a lock)", "resolved pytest failed: no lock"),
        ("pytest failed: no lock (open)", "error pytest failed: no lock (open)"),
        ("f(resolved) raised", "error f(resolved) raised"),
    ],
)
async def test_an_error_that_is_over_is_not_shown_as_one(world: World, told_of: str, row: str) -> None:
    captured_session(world)
    world.state(STATE.model_copy(update={"working": WorkingContext(last_error=told_of)}), version=7)
    async with opened(world, WIDE) as driver:
        await shows(driver, "v7")
        assert row in [text.strip() for text in driver.drawn(PaneId.STATE)]


async def test_a_transcript_that_is_removed_takes_its_draft_along(world: World) -> None:
    async with opened(world) as driver:
        await shows(driver, "")
        captured_session(world)
        await shows(driver, "drafted")
        folder = world.transcript_path("s-1").parent
        aside = folder.rename(world.base / "aside")
        await shows(driver, "")
        aside.rename(folder)
        await shows(driver, "drafted")
        shutil.rmtree(folder)
        await shows(driver, "")


async def test_a_failure_in_one_listing_hides_none_of_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OverflowError

    monkeypatch.setattr(StateStore, "sessions", fail)
    world.capture(1, "Still listed")
    app = make_app(world)
    async with app.run_test(size=WIDE) as pilot:
        driver = Driver(app, pilot)
        await driver.until(lambda: driver.mark is Mark.LOST, "the mark")
        pane = driver.browser.panes[PaneId.PENDING]
        assert isinstance(pane, PendingPane)
        (row,) = pane.view.rows.values()
        assert row.capture is not None  # read, not only glanced at
