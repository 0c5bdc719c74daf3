"""Exchanging with a remote again and again: at once when it announces something, else after some time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memtui.files import FileProblem

_FIRST_PAUSE = 1.0
"""Seconds after a failure until the next try; each further one doubles them."""


def keep_syncing(
    sync: Callable[[], object],
    wait: Callable[[float, threading.Event], None],
    seconds: float,
    failed: Callable[[FileProblem], None],
    stopped: threading.Event,
) -> None:
    """Exchange until `stopped` is set.

    Args:
        sync: exchanges once; see `Sharing.sync`.
        wait: waits for something new; see `Sharing.wait`.
        seconds: the longest pause between two exchanges; a remote that announces changes ends it early.
        failed: called with the reason whenever there was no exchange, or no waiting.
        stopped: ends it; an exchange that is going on is finished first.
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
