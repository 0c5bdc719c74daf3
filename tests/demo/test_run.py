"""The demo cleans up after itself, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from memtui.demo.run import run_demo
from memtui.ground.clock import Clock, system_clock
from memtui.ground.project import Home, Project
from memtui.store.captures import CaptureStore
from tests.demo.conftest import NOW
from tests.warm import Warm


class App:
    """Takes the place of the app."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.roots: list[Path] = []
        self.captures = 0

    def __call__(
        self, project: Project, home: Home, claude: Path, *, clock: Clock = system_clock, demo: bool = False
    ) -> None:
        assert demo
        assert clock() == NOW
        assert home.memories.is_dir()
        assert (claude / "projects").is_dir()
        self.roots.append(project.root)
        self.captures = len(CaptureStore(project).entries())
        if self.error is not None:
            raise self.error


def test_everything_is_there_and_then_removed() -> None:
    app = App()
    run_demo(app, lambda: NOW)
    (root,) = app.roots
    assert app.captures >= 6
    assert not root.parent.exists()


def test_removed_although_a_thread_still_writes() -> None:
    threads: list[threading.Thread] = []

    def app(
        project: Project, home: Home, claude: Path, *, clock: Clock = system_clock, demo: bool = False
    ) -> None:
        def write() -> None:
            for number in range(300):
                with suppress(OSError):
                    (project.root.parent / f"late-{number}").touch()

        threads.append(threading.Thread(target=write))
        threads[0].start()
        roots.append(project.root.parent)

    roots: list[Path] = []
    run_demo(app, lambda: NOW)
    threads[0].join()
    assert not roots[0].exists()


_PROGRAM = """
import sys
from memtui.demo.run import run_demo
def app(project, home, claude, *, clock, demo):
    print(project.root.parent, flush=True)
    sys.stdin.read()
run_demo(app)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_removed_when_a_signal_ends_it(number: signal.Signals, tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    process = Warm(_PROGRAM, cwd=tmp_path, env=env, imports=["import memtui.demo.run"])
    try:
        folder = Path(process.stdout.readline().decode().strip())
        assert folder.is_relative_to(tmp_path)
        assert folder.is_dir()
        process.send_signal(number)
        assert process.wait(timeout=60) != 0
    finally:
        process.end()
    assert list(tmp_path.iterdir()) == []
