"""Plays the demo's running sessions, to show memtui live."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from memtui.demo.build import DemoProject, javascript_time, read, scenes
from memtui.documents.commands import add_command
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem, write_atomic
from memtui.store.commands_file import lock_file


class Step(NamedTuple):
    """An event of the demo."""

    seconds: float
    """Time of the event in seconds."""
    name: str
    act: Callable[[], object]


class Player:
    """Plays the script in a thread, until it ends or is stopped."""

    def __init__(self, demo: DemoProject, clock: Clock) -> None:
        self._demo, self._clock = demo, clock
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._play, name="memtui-demo", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def script(self) -> list[Step]:
        """The events of the first minute, in order. Every action can be called without waiting."""
        arriving = read("live")
        (compaction,) = scenes("typos-live")
        work = enumerate(zip(_WORK, scenes("refunds-live"), strict=True))
        events = [
            *(Step(at, f"work {number}", self._say("refunds", scene)) for number, (at, scene) in work),
            Step(12, "capture", self._put(arriving["capture"])),
            Step(14, "compaction", self._say("typos", compaction)),
            Step(21, "command", self._command),
            Step(30, "memory", self._put(arriving["memory"])),
        ]
        return sorted(events, key=lambda step: step.seconds)

    def _play(self) -> None:
        played = 0.0
        for step in self.script():
            if self._stopped.wait(step.seconds - played):
                return
            played = step.seconds
            try:
                step.act()
            except (FileProblem, OSError):
                # The folder is being removed: the demo has ended.
                return

    def _say(self, session: str, lines: str) -> Callable[[], object]:
        return lambda: self._demo.say(session, lines, self._clock())

    def _put(self, texts: dict[str, str]) -> Callable[[], object]:
        return lambda: self._demo.put(texts, self._clock())

    def _command(self) -> None:
        path = self._demo.project.session_state_json
        activated = javascript_time(self._clock())
        entry = {"name": "hotfix", "activated_at": activated, "state": {"incident": _INCIDENT}}
        with lock_file(path, timeout=5, within=self._demo.project.root):
            text = add_command(path.read_text("utf-8"), entry)
            write_atomic(path, text.encode(), mode=None)


_INCIDENT = "2 of 214 refunds without a charge"

_WORK = (3, 6, 16, 19, 25, 33, 41, 49)
"""Times in seconds at which the session continues; the app follows it and writes versions of its state."""
