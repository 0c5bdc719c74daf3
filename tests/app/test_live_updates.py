"""The live thread: hints, the two-second comparison, and an honest mark when something fails."""

from __future__ import annotations

import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers.api import BaseObserver

from memtui.app import watch as live_module
from memtui.app.listings import Target
from memtui.app.watch import Live, Liveness, Mark, Watcher

PATIENCE = 30.0

pytestmark = pytest.mark.usefixtures("watching")


class Listing:
    """Compares folders like the app does, and lets a test wait until the listing equals the disk."""

    def __init__(self, *folders: Path, recursive: bool = False) -> None:
        self.targets = [Target(str(index), folder, recursive) for index, folder in enumerate(folders)]
        self.seen: set[str] = set()
        self.liveness: Liveness | None = None
        self.failure: OSError | None = None
        self.comparisons = 0
        self.condition = threading.Condition()

    def compare(self, names: frozenset[str]) -> None:
        found: set[str] = set()
        for target in self.targets:
            for folder, _, files in os.walk(target.folder):
                found.update(f"{folder}/{name}" for name in files)
        with self.condition:
            self.comparisons += 1
            self.seen = found
            self.condition.notify_all()
            if self.failure:
                raise self.failure

    def marked(self, liveness: Liveness) -> None:
        with self.condition:
            self.liveness = liveness
            self.condition.notify_all()

    def wait(self, condition: Callable[[], bool]) -> bool:
        with self.condition:
            return self.condition.wait_for(condition, PATIENCE)


@pytest.fixture
def started() -> Iterator[Callable[[Listing], Live]]:
    running: list[Live] = []

    def start(listing: Listing) -> Live:
        live = Live(lambda: listing.targets, listing.compare, listing.marked)
        running.append(live)
        live.start()
        assert listing.wait(lambda: listing.liveness is not None)
        return live

    yield start
    for live in running:
        live.stop()


def test_targets_that_share_a_folder_are_watched_again(tmp_path: Path) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    hints: set[str] = set()
    both = threading.Event()

    def hint(name: str) -> None:
        hints.add(name)
        if hints == {"a", "b"}:
            both.set()

    watcher = Watcher(hint)
    targets = [Target("a", folder / "x"), Target("b", folder / "y")]
    try:
        watcher.look_at(targets)
        shutil.rmtree(folder)
        folder.mkdir()
        seen = 0
        for number in range(
            600
        ):  # the end of the first folder is noticed a little later, by late events of its own
            watcher.look_at(targets)
            hints.clear()
            both.clear()
            (folder / f"z{number}").mkdir()
            seen += both.wait(0.05)
            if seen == 10:  # more than the first folder can have left behind
                break
        assert seen == 10
    finally:
        watcher.close()


def test_a_symlinked_folder_is_seen(tmp_path: Path, started: Callable[[Listing], Live]) -> None:
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real, target_is_directory=True)
    listing = Listing(link)
    started(listing)
    (real / "a.md").write_text("x")
    assert listing.wait(lambda: str(link / "a.md") in listing.seen)


def test_a_name_that_no_folder_can_have_is_waited_for(
    tmp_path: Path, started: Callable[[Listing], Live]
) -> None:
    listing = Listing(tmp_path / ("a" * 300), tmp_path)
    started(listing)
    (tmp_path / "a.md").write_text("x")
    assert listing.wait(lambda: str(tmp_path / "a.md") in listing.seen)


def test_without_events_it_polls_and_says_so(
    tmp_path: Path, started: Callable[[Listing], Live], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(BaseObserver, "schedule", refuse)
    monkeypatch.setattr(live_module, "INTERVAL", 0.2)
    listing = Listing(tmp_path)
    started(listing)
    (tmp_path / "a.md").write_text("x")
    assert listing.wait(lambda: str(tmp_path / "a.md") in listing.seen)
    assert listing.liveness is not None
    assert listing.liveness.mark is Mark.POLLING
    assert "No space" in listing.liveness.reason


def test_stopping_is_quick_and_leaves_no_thread(tmp_path: Path) -> None:
    listing = Listing(tmp_path)
    live = Live(lambda: listing.targets, listing.compare, listing.marked)
    live.start()
    assert listing.wait(lambda: listing.liveness is not None)
    live.stop(PATIENCE)
    assert "memtui-live" not in {thread.name for thread in threading.enumerate()}


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
