"""The panes follow the disk while the app is open, and the mark says how current they are."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from queue import Queue

import pytest
from watchdog.observers.api import BaseObserver

from memtui.app import watch
from memtui.app.listings import Target, View
from memtui.app.panes.pane import PaneId
from memtui.app.watch import Mark, Watcher
from memtui.documents.capture import parse_capture, render_capture, reviewed
from tests.app.harness import NARROW, SHORT, opened
from tests.app.world import STATE, World, captured_session

pytestmark = pytest.mark.usefixtures("watching")


@pytest.fixture
def events_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking every two seconds is off, so what shows came by an event."""
    monkeypatch.setattr(watch, "INTERVAL", 3600.0)


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every two seconds but often, so that tests need not wait."""
    monkeypatch.setattr(watch, "INTERVAL", 0.1)


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda world: world.capture(1, "Just captured", session="s-9"), "05 Mar 13:19 Just captured"),
        (lambda world: world.memory(1, "Stored by another"), "Stored by another"),
        (lambda world: world.commands("babysit", "epic"), "/epic"),
        (lambda world: world.state(STATE.replace(version=8), version=8), "4 Session state v8"),
        (lambda world: world.branch("hot/fix"), " harbor  hot/fix "),
    ],
)
async def test_what_another_program_writes_shows_by_its_event(
    full: World, events_only: None, change: Callable[[World], object], shown: str
) -> None:
    async with opened(full) as driver:
        assert shown not in driver.shown
        change(full)
        await driver.until(lambda: shown in driver.shown, shown)


async def test_in_a_project_without_any_folder_yet(world: World, events_only: None) -> None:
    async with opened(world) as driver:
        world.capture(1, "The very first")
        await driver.until(lambda: "The very first" in driver.shown, "the capture")


async def test_selection_and_scroll_stay_when_rows_come_above(world: World) -> None:
    for number in range(60):
        world.capture(100 + number, f"Capture number {number}")
    async with opened(world) as driver:
        pane = driver.pane(PaneId.PENDING)
        await driver.press("pagedown", "pagedown", "k", "k")
        selected, top, before = pane.selected, pane.scroll_offset.y, pane.index
        assert top > 0
        for number in range(5):
            world.capture(number + 1, f"New {number}")
        await driver.until(lambda: len(pane.rows) == 65, "the captures")
        await driver.pilot.pause()
        assert pane.selected == selected
        assert pane.scroll_offset.y == top + 5
        assert pane.index == before + 5


async def test_a_reviewed_capture_leaves_and_its_memory_comes(full: World) -> None:
    async with opened(full) as driver:
        path = full.capture_path(10)
        memory = path.name.replace("autocompact", "memory")
        after = reviewed(parse_capture(path.read_text()), summary="Elsewhere", memory=memory)
        (path.parent / memory).write_text("# Memory: By another hand\n\n## Goal\nx\n")
        path.write_text(render_capture(after))
        await driver.until(lambda: "By another hand" in driver.shown, "the memory")
        await driver.until(lambda: len(driver.pane(PaneId.PENDING).rows) == 2, "the capture's leaving")
        assert "Fix the token" not in "\n".join(driver.drawn(PaneId.PENDING))
        assert "Make the export stream" in driver.detail


async def test_a_folder_deleted_and_made_again(full: World) -> None:
    async with opened(full) as driver:
        shutil.rmtree(full.project.compacts)
        await driver.until(lambda: not driver.pane(PaneId.PENDING).rows, "the emptying")
        full.capture(1, "Back again", session="s-8")
        await driver.until(lambda: "Back again" in driver.shown, "the capture")
        full.capture(2, "And one more", session="s-9")
        await driver.until(lambda: "And one more" in driver.shown, "the second capture")


async def test_a_storm_reaches_the_screen_in_few_views(
    world: World, events_only: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.capture(500, "The first")
    async with opened(world) as driver:
        told_views: list[object] = []
        publish = driver.browser.publish

        def count(view: View) -> None:
            told_views.append(view)
            publish(view)

        monkeypatch.setattr(driver.browser, "publish", count)
        for number in range(400):
            world.capture(number + 1, f"Capture {number}")
        await driver.until(lambda: len(driver.pane(PaneId.PENDING).rows) == 401, "the captures")
        assert 0 < len(told_views) < 200


async def test_a_half_written_capture_is_read_again_when_it_is_whole(full: World) -> None:
    async with opened(full) as driver:
        path = full.capture(1, "In two parts")
        whole = path.read_text()
        path.write_text(whole[:30])
        await driver.until(lambda: "⚠2" in driver.shown, "the broken one")
        path.write_text(whole)
        await driver.until(lambda: "In two parts" in driver.shown, "the whole one")
        assert "⚠1" in driver.shown


async def test_an_edited_memory_is_read_again_where_it_was(full: World) -> None:
    body = "".join(f"Line {number}\n\n" for number in range(200))
    name = full.memory(1, "A long one", body=body)
    async with opened(full) as driver:
        await driver.press("2", "enter")
        await driver.press("pagedown", "pagedown")
        view = driver.browser.detail
        place = view.place
        assert place.line > 20
        full.memory(1, "A long one", body=body + "The end of it\n")
        await driver.until(lambda: "The end of it" in driver.detail, "the change")
        assert view.place == place
        assert driver.reading()
        path = full.home.memories / "2026-03" / f"{name}.md"
        path.unlink()
        await driver.until(lambda: "The end of it" not in driver.detail, "the deletion")


async def test_a_half_written_state_file_is_no_empty_one(full: World) -> None:
    async with opened(full) as driver:
        file = full.project.session_state_json
        whole = file.read_text()
        file.write_text(whole[: len(whole) // 2])
        file.write_text(whole.replace("nofile", "later"))
        await driver.until(lambda: "/later" in driver.shown, "the new command")
        assert "broken" not in driver.drawn(PaneId.COMMANDS)[0]
        file.write_text(whole[: len(whole) // 2])
        await driver.until(lambda: "broken" in driver.drawn(PaneId.COMMANDS)[0], "the complaint")
        file.write_text(whole)
        await driver.until(lambda: "/nofile" in driver.shown, "the recovery")


async def test_a_draft_moves_on_with_its_transcript(world: World, events_only: None) -> None:
    captured_session(world)
    async with opened(world) as driver:
        await driver.until(lambda: "drafted" in driver.shown, "the draft")
        await driver.press("4")
        session = world.session("s-1", minutes=3)
        session.prompt("Never log the tokens, please.")
        world.save(session)
        await driver.until(lambda: "Never log the tokens" in driver.detail, "the newer draft")


async def test_polling_says_why(full: World, monkeypatch: pytest.MonkeyPatch, often: None) -> None:
    monkeypatch.setattr(watch, "silent_file_system", lambda folder: "nfs4")
    async with opened(full) as driver:
        assert driver.mark is Mark.POLLING
        assert driver.lines[0].rstrip().endswith("◐ polling: nfs4 reports no changes")
        full.capture(1, "Seen all the same")
        await driver.until(lambda: "Seen all the same" in driver.shown, "the capture")


async def test_lost_says_why_and_comes_back(full: World, often: None) -> None:
    async with opened(full) as driver:
        aside = full.project.compacts.rename(full.base / "aside")
        full.project.compacts.write_text("not a folder")
        await driver.until(lambda: driver.mark is Mark.LOST, "the loss")
        assert driver.lines[0].rstrip().endswith("○ lost: compacts is not a folder; move it away")
        full.project.compacts.unlink()
        aside.rename(full.project.compacts)
        await driver.until(lambda: driver.mark is Mark.LIVE, "the return")


async def test_a_deleted_project_is_lost_until_it_is_there_again(full: World, often: None) -> None:
    async with opened(full) as driver:
        aside = full.root.rename(full.base / "aside")
        await driver.until(lambda: driver.mark is Mark.LOST, "the loss")
        assert driver.lines[0].rstrip().endswith("○ lost: harbor does not exist")
        full.root.write_text("not a folder")
        await driver.until(lambda: "○ lost: harbor is not a folder" in driver.lines[0], "the file")
        full.root.unlink()
        aside.rename(full.root)
        await driver.until(lambda: driver.mark is Mark.LIVE, "the return")
        full.capture(1, "Just captured", session="s-9")
        await driver.until(lambda: "Just captured" in driver.shown, "the capture")


async def test_a_loss_in_one_place_does_not_stop_the_others(full: World, often: None) -> None:
    shutil.rmtree(full.project.compacts)
    full.project.compacts.write_text("not a folder")
    async with opened(full) as driver:
        assert driver.mark is Mark.LOST
        full.commands("epic")
        await driver.until(lambda: "/epic" in driver.shown, "the command")


async def test_a_reason_never_pushes_the_mark_off_the_screen_and_a_short_window_says_it(full: World) -> None:
    shutil.rmtree(full.project.compacts)
    full.project.compacts.write_text("not a folder")
    for size in (NARROW, SHORT):
        async with opened(full, size) as driver:
            for pane in "1234":
                await driver.press(pane)
                assert "○ lost" in driver.lines[0]
    assert driver.last_said == "Not up to date: compacts is not a folder; move it away"


async def test_claudes_folder_that_cannot_be_listed(full: World) -> None:
    shutil.rmtree(full.claude)
    full.write(full.claude / "projects", "not a folder")
    async with opened(full) as driver:
        assert driver.mark is Mark.LOST
        assert "projects is not a folder" in driver.lines[0]
        assert "Fix the token" in driver.shown


async def test_a_bug_in_looking_is_reported_and_looking_goes_on(
    full: World, often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(full) as driver:
        entries = driver.app.model.captures.entries

        def broken() -> None:
            raise RuntimeError("a bug")

        monkeypatch.setattr(driver.app.model.captures, "entries", broken)
        await driver.until(lambda: driver.mark is Mark.LOST, "the loss")
        log = full.home.failure_log
        assert "○ lost: Something is wrong in memtui (RuntimeError while looking" in driver.lines[0]
        assert "a bug" in log.read_text()
        monkeypatch.setattr(driver.app.model.captures, "entries", entries)
        await driver.until(lambda: driver.mark is Mark.LIVE, "the return")
        log.unlink()


async def test_nothing_is_published_while_nothing_changes(full: World, often: None) -> None:
    async with opened(full) as driver:
        views: list[object] = []
        driver.app.model.compare({target.name for target in driver.app.model.targets()}, views.append)
        assert views == []


def test_linked_folders_and_those_that_are_not_there_are_watched(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real, target_is_directory=True)
    hints: Queue[str] = Queue()
    watcher = Watcher(hints.put)
    try:
        targets = [Target("link", link), Target("no name", tmp_path / ("a" * 300))]
        assert watcher.look_at(targets) == ""
        assert {hints.get(timeout=30), hints.get(timeout=30)} == {"link", "no name"}
        (real / "a.md").write_text("x")
        assert hints.get(timeout=30) == "link"
    finally:
        watcher.close()


def test_without_events_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(BaseObserver, "schedule", refuse)
    watcher = Watcher(lambda name: None)
    assert watcher.look_at([Target("a", tmp_path)]) == "no file events: No space left on device"
    watcher.close()


def test_watching_the_same_again_schedules_nothing_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints: list[str] = []
    watcher = Watcher(hints.append)
    try:
        target = Target("a", tmp_path)
        assert watcher.look_at([target]) == ""
        assert watcher.look_at([target]) == ""
        assert hints == ["a"]
        watcher.look_at([])
        watcher.look_at([target])
        assert hints == ["a", "a"]
    finally:
        watcher.close()


def test_what_watchdog_logs_is_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])  # pytest's own
    monkeypatch.setattr(logging.getLogger("watchdog"), "handlers", [])
    watcher = Watcher(lambda name: None)
    watcher.look_at([Target("0", tmp_path, False)])
    logging.getLogger("watchdog.observers.inotify").error("called when the thread is inactive")
    watcher.close()
    assert capsys.readouterr().err == ""
