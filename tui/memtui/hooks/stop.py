"""A hook's time limit: its work is broken off, with a moment left to release locks and write the log."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

HARD_STOP_SECONDS = 1.35
"""With the start of the interpreter and the last moment the process lives 1.5 s at most."""

_LAST_SECONDS = 0.06


class Stopped(BaseException):
    """The time is up. Not an `Exception`, so that only the code that logs the run catches it."""


def stop_after(seconds: float) -> None:
    """Raise `Stopped` in the main thread after so many seconds, and end the process soon after that."""
    if sys.platform == "win32":  # has no such timer; Claude Code's own limit has to do
        return
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _stop(number: int, frame: FrameType | None) -> None:
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGALRM, _leave)
    signal.setitimer(signal.ITIMER_REAL, _LAST_SECONDS)
    raise Stopped


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(0)
