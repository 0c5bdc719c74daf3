"""The demo cleans up after itself, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from memtui.demo.build import run_demo
from memtui.ground.clock import Clock
from memtui.ground.project import Home, Project
from memtui.store.captures import CaptureStore
from tests.demo.conftest import NOW
from tests.warm import Warm


def test_everything_is_there_and_then_removed_although_a_thread_still_writes() -> None:
    threads: list[threading.Thread] = []
    folders: list[Path] = []

    def app(project: Project, home: Home, claude: Path, *, clock: Clock, demo: bool) -> None:
        def write() -> None:
            for number in range(300):
                with suppress(OSError):
                    (project.root.parent / f"late-{number}").touch()

        assert demo
        assert clock() == NOW
        assert home.memories.is_dir()
        assert (claude / "projects").is_dir()
        assert len(CaptureStore(project).entries()) >= 6
        folders.append(project.root.parent)
        threads.append(threading.Thread(target=write))
        threads[0].start()

    run_demo(app, lambda: NOW)
    threads[0].join()
    assert not folders[0].exists()


_PROGRAM = """
import sys
from memtui.demo.build import run_demo
def app(project, home, claude, *, clock, demo):
    print(project.root.parent, flush=True)
    sys.stdin.read()
run_demo(app)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_removed_when_a_signal_ends_it(number: signal.Signals, tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    process = Warm(_PROGRAM, cwd=tmp_path, env=env, imports=["import memtui.demo.build"])
    try:
        folder = Path(process.stdout.readline().decode().strip())
        assert folder.is_relative_to(tmp_path)
        assert folder.is_dir()
        process.send_signal(number)
        assert process.wait(timeout=60) != 0
    finally:
        process.end()
    assert list(tmp_path.iterdir()) == []
