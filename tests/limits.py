"""A time limit for tests that hang, and default signals for child processes."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys

SECONDS = 300.0
"""Time limit of a test: an order of magnitude more than the slowest on a busy machine."""

_stderr = 2


def reset_signals() -> None:
    """Let the signals that end a program end those that the tests start.

    A job started with `&` ignores SIGINT, one started by nohup SIGHUP, and their children inherit that.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)


def keep_stderr() -> None:
    """Remember where standard error goes, before pytest captures it."""
    global _stderr
    _stderr = os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2)


def begin(seconds: float = SECONDS) -> None:
    """From now on the process has so many seconds; then it prints all stacks and exits with 1."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=_stderr)


def end() -> None:
    """The test has ended in time."""
    faulthandler.cancel_dump_traceback_later()
