"""Continuous exchange with a remote: at once when it announces changes, else at intervals."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memtui.ground.files import FileProblem

_FIRST_PAUSE = 1.0
"""Seconds between a failure and the next try; doubled after each further failure."""


def keep_syncing(
    sync: Callable[[], object],
    wait: Callable[[float, threading.Event], None],
    seconds: float,
    failed: Callable[[FileProblem], None],
    stopped: threading.Event,
) -> None:
    """Exchange repeatedly until `stopped` is set.

    Args:
        sync: makes one exchange; see `Sharing.sync`.
        wait: waits for new records; see `Sharing.wait`.
        seconds: maximum pause between two exchanges; an announced change ends it early.
        failed: receives the reason whenever exchanging or waiting failed.
        stopped: ends it after the current exchange.
    """
    pause = _FIRST_PAUSE
    while not stopped.is_set():
        try:
            sync()
            wait(seconds, stopped)
            pause = _FIRST_PAUSE
        except FileProblem as problem:
            failed(problem)
            stopped.wait(pause)
            pause = min(2 * pause, seconds)
