"""The health of captures: the quiet line, installing the hooks, and backfilling."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from memtui.app import readings
from memtui.app.listings import HealthView
from memtui.app.screens.lost import LostScreen
from memtui.app.screens.review import ReviewScreen
from memtui.app.status import StatusBar, health_line
from memtui.ground.project import memtui_home
from memtui.hooks.records import Run, record
from memtui.plugin.installing import settings_block
from memtui.store import captures as store
from memtui.store.archive_settings import archive_settings
from memtui.store.captures import Compaction
from tests.app.harness import WIDE, Driver, opened
from tests.app.world import World, clock
from tests.faults import read_only

DONE = Run("2026-03-05T13:30:00+00:00", "pre-compact", 41, "ok")


def line(driver: Driver) -> str:
    return health_line(driver.browser.query_one(StatusBar).captures, clock())[0]


@pytest.mark.parametrize("place", ["project", "home"])
async def test_what_cannot_be_written_is_said_in_red(world: World, place: str) -> None:
    folder = world.root if place == "project" else world.home.state.parent
    folder.mkdir(exist_ok=True)
    with read_only(folder):
        async with opened(world, WIDE) as driver:
            await driver.until(lambda: f"captures are lost: {folder}/" in driver.lines[0])
            line = driver.browser.query_one(StatusBar).render()
            (red,) = (each for each in line.spans if each.style == "$error")
            assert "captures are lost" in line.plain[red.start : red.end]


async def test_a_session_that_is_not_archived_is_said_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.app.app._KEEP_AFTER", 0.01)
    session = world.session(minutes=22 * 24 * 60)
    session.prompt("Fix the login")
    world.save(session, minutes=22 * 24 * 60)
    with read_only(world.home.archive):
        async with opened(world, WIDE) as driver:
            said = await driver.until_said("Claude Code deletes a session soon, and it is not archived: ")
            assert said.endswith("the disk is read-only.")


async def test_installing_shows_what_is_done_and_asks(world: World) -> None:
    command = world.claude / "commands" / "review-compact.md"
    async with opened(world, WIDE) as driver:
        await driver.press("i")
        await driver.until(lambda: "claude is not on the PATH: type these lines" in driver.shown)
        await driver.until(lambda: "/plugin install memtui@memtui" in driver.shown)
        await driver.press("n")
        assert not command.exists()
        await driver.press("i")
        await driver.until(lambda: "claude is not on the PATH" in driver.shown)
        await driver.press("y")
        said = await driver.until_said("the first line for Claude Code's prompt")
        assert "type /plugin install memtui@memtui" in said
        assert (
            driver.app.clipboard.startswith("/plugin marketplace add ") and "\n" not in driver.app.clipboard
        )
        assert command.exists() and driver.at_home()


async def test_missed_compactions_are_counted_and_captured(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = world.session(minutes=90)
    session.prompt("Fix the login")
    session.compaction("Summary of what came before.")
    session.prompt("go on")
    session.compaction("Another summary.", trigger="manual")
    world.save(session)
    async with opened(world, WIDE) as driver:
        await driver.until(lambda: "Pending 1 without a capture · 1 by /compact" in driver.shown)
        await driver.until(lambda: "/compact 2 · Fix the" in driver.shown, "the user's own one")
        pane = driver.browser.pending
        assert "/compact" in pane.text_of(pane.rows[0])
        for key in "re":
            await driver.press(key)
            assert driver.last_said.startswith("/compact made this compaction, so it has no capture: l ")
        await driver.press("l")
        assert isinstance(driver.screen, LostScreen)
        await driver.press("escape", "j")
        await driver.until(lambda: "∅ 1 · Fix the login" in driver.shown, "its session's name")
        x = driver.lines[0].index("no hooks")
        assert driver.screen.get_style_at(x, 0).meta["@click"] == "screen.install"
        assert line(driver) == "no hooks: i installs them"
        assert "installs the hooks" not in driver.shown
        for key in "re":
            await driver.press(key)
            assert driver.last_said == "This compaction has no capture yet: b captures all that were missed."
        await driver.press("l")
        assert isinstance(driver.screen, LostScreen)
        await driver.press("escape")
        await driver.press("b")
        await driver.until(lambda: "Make 1 capture" in driver.shown)
        await driver.press("enter")
        await driver.until_said("Captured 1 of 1")
        await driver.until(lambda: "without a capture" not in driver.shown)
        assert "Fix the login" in driver.shown and "Pending 1 · 1 by /compact" in driver.shown
        captures = list((world.root / ".project" / "compacts").glob("*-autocompact.md"))
        assert len(captures) == 1
        await driver.press("b")
        await driver.until_said("Nothing was missed")
        await driver.press("u")
        await driver.until(lambda: "Pending 1 without" in driver.shown, "the missed one again")
        real = store.write_missing

        def late(*each: Any) -> Path | None:
            until = time.monotonic() + 2
            while not driver.app._waiting and time.monotonic() < until:  # r waits for it
                time.sleep(0.01)
            return real(*each)

        monkeypatch.setattr(store, "write_missing", late)
        for key in "byr":  # typed ahead
            driver.app.post_message(Key(key, key))
        await driver.until(lambda: isinstance(driver.screen, ReviewScreen), "the review of it")


def test_compactions_are_not_all_compared(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compaction, "__eq__", lambda *_: pytest.fail("compared"))
    missing, manual = (Compaction(clock(), "", each, world.root, each) for each in ("s-1", "s-2"))
    assert HealthView(True, missing=(missing,), manual=(manual,)).rows(world.project, {})


def test_the_line_says_the_most_urgent_thing() -> None:
    now = clock()
    assert health_line(HealthView(installed=True), now) == ("hooks installed", "$quiet")
    assert health_line(HealthView(installed=True, last=DONE), now)[0].startswith("hooks ✓ last ran ")
    failed = DONE._replace(outcome="disk full")
    assert health_line(HealthView(installed=True, last=failed), now)[1] == "$error"
    assert health_line(HealthView(installed=False, last=failed), now)[0] == "no hooks: i installs them"


async def test_the_last_run_of_this_project_is_shown(world: World) -> None:
    log = memtui_home(world.env).hook_log
    record(log, DONE._replace(project=str(world.root)))
    record(log, DONE._replace(project="/somewhere/else", ms=999))
    world.write(world.root / ".claude" / "settings.json", json.dumps(settings_block()))
    async with opened(world, WIDE) as driver:
        await driver.until(lambda: line(driver).startswith("hooks ✓"))
        assert "i install" not in driver.shown


async def test_the_first_screen_shows_what_was_missed(world: World) -> None:
    session = world.session(minutes=90)
    session.prompt("Fix the login")
    for number in range(15):
        session.prompt(f"Paint buoy {number}")
    session.compaction("Summary of what came before.")
    session.prompt("go on")
    world.save(session)
    async with opened(world, WIDE) as driver:
        await driver.until(
            lambda: "no capture yet" in driver.detail and "LOST" in driver.detail, "its losses"
        )
        assert "Nothing waits" not in driver.shown
        assert "… and 4 more (b captures it, then r shows all)" in driver.detail


async def test_keeping_transcripts_is_asked_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "_REST", 3_600.0)
    (world.home.state / "keep-sessions").unlink()
    world.write(world.root / ".claude" / "settings.json", json.dumps(settings_block()))
    async with opened(world, WIDE) as driver:
        await driver.until(lambda: "keep sessions? i" in line(driver))
        await driver.press("i")
        await driver.until(lambda: "Keep transcripts beyond 30 days?" in driver.shown)
        await driver.press("n")
        await driver.until_said("Transcripts are not kept.")
        assert archive_settings(world.home).keep is False
        await driver.until(lambda: "keep sessions" not in line(driver), "the end of the question")
        await driver.press("i")
        await driver.until(lambda: "/plugin install memtui@memtui" in driver.shown)


@pytest.mark.parametrize("said", [[], ["An old hook is gone."]])
async def test_an_installation_is_done_before_transcripts_are_asked_about(
    world: World, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    monkeypatch.setattr("memtui.plugin.installing.apply", lambda *_: said)
    done = (*said, "Done. Sessions started from now on go by it; open ones once")[0]
    (world.home.state / "keep-sessions").unlink()
    world.write(world.base / "bin" / "claude", "#!/bin/sh\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{world.base / 'bin'}:/usr/bin:/bin")
    async with opened(world, WIDE) as driver:
        await driver.press("i")
        await driver.until(lambda: "Install memtui's plugin" in driver.shown, "the question")
        await driver.press("y")
        await driver.until(lambda: "Keep transcripts beyond 30 days?" in driver.shown, "the next one")
        assert done in driver.shown
        await driver.press("n")
        await driver.until_said(f"Transcripts are not kept. {done}")
