"""Plays the demo's running sessions, to show memtui live."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memtui.demo.build import DemoProject, read, scenes
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.store.commands_file import CommandsFile

Step = tuple[float, Callable[[], object]]
"""An event of the demo: its time in seconds, and what happens."""


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


_WORK = (3, 6, 16, 19, 25, 33, 41, 49)
"""Times in seconds at which the session continues; the app follows it and writes versions of its state."""
