"""Runs the demo: builds it in a temporary folder, plays the session, and removes it at the end."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.demo.build import build_demo
from memtui.demo.player import play
from memtui.ground.clock import Clock, system_clock
from memtui.ground.machine import handling


def run_demo(run_app: Callable[..., None], clock: Clock = system_clock) -> None:
    """Let `run_app` open a demo project with a running session; all of it is removed in the end."""
    # A closed terminal and `kill` become an exception, so that nothing is left behind.
    ended = handling(lambda number, _: sys.exit(128 + number), signal.SIGTERM, signal.SIGHUP)
    with ended, _folder() as folder:
        demo = build_demo(folder, clock)
        stopped = threading.Event()
        player = threading.Thread(target=play, args=(demo, clock, stopped), name="memtui-demo", daemon=True)
        player.start()
        try:
            run_app(demo.project, demo.home, demo.claude_config, clock=clock, demo=True)
        finally:
            stopped.set()
            player.join(timeout=5)


@contextmanager
def _folder() -> Iterator[Path]:
    """A new folder for this user alone, removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="memtui-demo-"))
    try:
        yield folder
    finally:
        # An ending thread of the app may write once more during the removal.
        for _ in range(40):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.05)
