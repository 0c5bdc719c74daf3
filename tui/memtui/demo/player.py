"""Plays the demo's running sessions, to show memtui live."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memtui.demo.build import DemoProject, javascript_time, read, scenes
from memtui.documents.commands import add_command
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem, write_atomic
from memtui.store.commands_file import lock_file

Step = tuple[float, Callable[[], object]]
"""An event of the demo: its time in seconds, and what happens."""


def script(demo: DemoProject, clock: Clock) -> list[Step]:
    """The events of the first minute, in order. Every action can be called without waiting."""

    def say(session: str, lines: str) -> Callable[[], object]:
        return lambda: demo.say(session, lines, clock())

    def put(texts: dict[str, str]) -> Callable[[], object]:
        return lambda: demo.put(texts, clock())

    arriving = read("live")
    (compaction,) = scenes("typos-live")
    events: list[Step] = [
        *((at, say("refunds", scene)) for at, scene in zip(_WORK, scenes("refunds-live"), strict=True)),
        (12, put(arriving["capture"])),
        (14, say("typos", compaction)),
        (21, lambda: _activate(demo, clock)),
        (30, put(arriving["memory"])),
    ]
    return sorted(events, key=lambda event: event[0])


def play(demo: DemoProject, clock: Clock, stopped: threading.Event) -> None:
    """Play the script, until it ends or is stopped."""
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


def _activate(demo: DemoProject, clock: Clock) -> None:
    path = demo.project.session_state_json
    state = {"incident": "2 of 214 refunds without a charge"}
    entry = {"name": "hotfix", "activated_at": javascript_time(clock()), "state": state}
    with lock_file(path, timeout=5, within=demo.project.root):
        text = add_command(path.read_text("utf-8"), entry)
        write_atomic(path, text.encode(), mode=None)


_WORK = (3, 6, 16, 19, 25, 33, 41, 49)
"""Times in seconds at which the session continues; the app follows it and writes versions of its state."""
