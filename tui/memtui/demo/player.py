"""Plays the demo's running session, to show memtui live."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from memtui.demo import session_state
from memtui.demo.build import DemoProject
from memtui.demo.story.load import act, story
from memtui.documents.commands import add_command
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem, write_atomic
from memtui.store.commands_file import lock_file

Wait = Callable[[float], bool]
"""Waits that many seconds; returns True to stop at once."""


class Step(NamedTuple):
    """An event of the demo."""

    seconds: float
    """Time of the event in seconds."""
    name: str
    act: Callable[[], None]


class Player:
    """Plays the script in a thread, until it ends or is stopped."""

    def __init__(self, demo: DemoProject, clock: Clock, wait: Wait | None = None) -> None:
        """Make a player; `wait` replaces the waiting in tests."""
        self._demo, self._clock = demo, clock
        self._stopped = threading.Event()
        self._wait = wait or self._stopped.wait
        self._thread = threading.Thread(target=self._play, name="memtui-demo", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def script(self) -> list[Step]:
        """The events of the first minute, in order. Every action can be called without waiting."""
        work = [Step(at, f"work {number}", partial(self._work, number)) for number, at in enumerate(_WORK)]
        events = [
            Step(12, "capture", self._capture),
            Step(14, "compaction", self._compaction),
            Step(21, "command", self._command),
            Step(30, "memory", self._memory),
        ]
        return sorted([*work, *events], key=lambda step: step.seconds)

    def _play(self) -> None:
        played = 0.0
        for step in self.script():
            if self._wait(step.seconds - played):
                return
            played = step.seconds
            try:
                step.act()
            except (FileProblem, OSError):
                # The folder is being removed: the demo has ended.
                return

    def _work(self, number: int) -> None:
        self._demo.session.at(self._clock())
        live = story().refunds.live
        act(live[number % len(live)], self._demo.session, str(self._demo.project.root))
        self._demo.say(self._demo.session, self._clock())

    def _capture(self) -> None:
        typos = story().typos
        self._demo.put_capture(typos.id, typos.prompt, self._clock())

    def _compaction(self) -> None:
        self._demo.other.at(self._clock())
        self._demo.other.compaction(story().typos.summary)
        self._demo.say(self._demo.other, self._clock())

    def _command(self) -> None:
        path = self._demo.project.session_state_json
        entry = session_state.entry(
            session_state.HOTFIX, self._clock(), {"incident": "2 of 214 refunds without a charge"}
        )
        with lock_file(path, timeout=5, within=self._demo.project.root):
            text = add_command(path.read_text("utf-8"), entry)
            write_atomic(path, text.encode(), mode=None)

    def _memory(self) -> None:
        self._demo.put_memory(story().arriving, self._clock())


_WORK = (3, 6, 16, 19, 25, 33, 41, 49)
"""Times in seconds at which the session continues; the app follows it and writes versions of its state."""
