"""A hook's time limit: its work is interrupted with time left to log the run."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

GRANTED_SECONDS = 10
"""The `timeout` that `memtui init` sets for a hook: Claude Code waits this long."""

HARD_STOP_SECONDS = 7.0
"""Only needed on a loaded machine; optional work has shorter limits of its own."""

GRANTED_FOR_CAPTURE = 60
"""The same for PreCompact, which must not lose a capture; the summary takes longer (Claude Code fact)."""

CAPTURE_STOP_SECONDS = 50.0
"""The same as `HARD_STOP_SECONDS` for PreCompact."""

_LAST_SECONDS = 1.0
"""Time for releasing locks and writing the log. The rest of the timeout is for starting Python."""


class Stopped(BaseException):
    """The time is up. Not an `Exception`, so that only the code that logs the run catches it."""


def stop_after(seconds: float, last: Callable[[], None]) -> None:
    """Raise `Stopped` in the main thread after `seconds`, and end the process soon after that.

    Args:
        seconds: from now on.
        last: called right before the process is ended; it must not raise.
    """
    if sys.platform == "win32":  # has no such timer; only Claude Code's own limit applies
        return

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, leave)
        signal.setitimer(signal.ITIMER_REAL, _LAST_SECONDS)
        raise Stopped

    def leave(number: int, frame: FrameType | None) -> None:
        last()
        os._exit(0)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(0.01, seconds))
