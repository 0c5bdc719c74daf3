"""Exchanging again and again: pauses double while a remote fails, and begin anew when it is back."""

from __future__ import annotations

import threading
from pathlib import Path

from memtui.flows.sync_watch import keep_syncing
from memtui.ground.files import FileProblem


class Clockless(threading.Event):
    """An event whose waits are noted and over at once; it is set when enough were noted."""

    def __init__(self, enough: int) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._enough = enough

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0.0)
        if len(self.waits) >= self._enough:
            self.set()
        return self.is_set()


def test_pauses_double_up_to_the_interval_and_begin_anew() -> None:
    stopped = Clockless(enough=8)
    outcomes = iter("fffff" + "s" + "ff")  # f: out of reach
    failures: list[FileProblem] = []

    def sync() -> None:
        if next(outcomes) == "f":
            raise FileProblem(Path("team"), "cannot be reached")

    def wait(seconds: float, event: threading.Event) -> None:
        event.wait(seconds)

    keep_syncing(sync, wait, 10.0, failures.append, stopped)
    assert stopped.waits == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 1.0, 2.0]
    assert len(failures) == 7


def test_a_remote_that_ends_the_waiting_is_tried_again_after_a_pause() -> None:
    stopped = Clockless(enough=2)
    synced = 0

    def sync() -> None:
        nonlocal synced
        synced += 1

    def lost(seconds: float, event: threading.Event) -> None:
        raise FileProblem(Path("team"), "the connection was lost")

    keep_syncing(sync, lost, 10.0, lambda problem: None, stopped)
    assert (synced, stopped.waits) == (2, [1.0, 2.0])
