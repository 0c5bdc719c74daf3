"""Runs the demo: builds it in a temporary folder, plays its running sessions, and removes it at the end."""

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

from memtui.demo.build import DemoProject, build_demo, read, scenes
from memtui.ground.clock import Clock, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.machine import handling
from memtui.store.commands_file import CommandsFile

_WORK = (3, 6, 16, 19, 25, 33, 41, 49)
"""Times in seconds at which the session continues; the app follows it and writes versions of its state."""

Step = tuple[float, Callable[[], object]]
"""An event of the demo: its time in seconds, and what happens."""


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


def script(demo: DemoProject, clock: Clock) -> list[Step]:
    """The events of the first minute, in order. Every action can be called without waiting."""

    def say(session: str, lines: str) -> Callable[[], object]:
        return lambda: demo.say(session, lines, clock())

    arriving = read("live")
    (compaction,) = scenes("typos-live")
    incident = {"incident": "2 of 214 refunds without a charge"}
    events: list[Step] = [
        *((at, say("refunds", scene)) for at, scene in zip(_WORK, scenes("refunds-live"), strict=True)),
        (12, lambda: demo.capture(clock(), **arriving["capture"])),
        (14, say("typos", compaction)),
        (21, lambda: CommandsFile(demo.project, 5).activate("hotfix", clock(), incident)),
        (30, lambda: demo.remember(clock(), **arriving["memory"])),
    ]
    return sorted(events, key=lambda event: event[0])


def play(demo: DemoProject, clock: Clock, stopped: threading.Event) -> None:
    played = 0.0
    for seconds, act in script(demo, clock):
        if stopped.wait(seconds - played):
            return
        played = seconds
        try:
            act()
        except (FileProblem, OSError):
            # The folder is being removed: the demo has ended.
            return
