"""Ending on a signal or when the terminal is gone, even if the screen is stuck."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from textual.app import App

SIGNALS: tuple[signal.Signals, ...] = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that ask a program in a terminal to end."""

_GRACE = 5.0
"""Seconds for an orderly end."""
_LOOK = 2.0
"""Seconds between checks that the terminal still exists."""


def end_with_terminal(app: App[Any]) -> None:
    """End `app` on SIGTERM and SIGHUP, and when its terminal is gone; call this in its event loop."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, end, app)

    def look() -> None:
        if terminal_gone():
            end(app)

    if not terminal_gone():
        app.set_interval(_LOOK, look)


def end(app: App[Any]) -> None:
    """End the app in order, or the process after a grace period.

    Without a terminal, Textual's output thread dies at its first write. Its queue holds 30 writes; the next
    one waits forever, in the middle of the shutdown.
    """
    timer = threading.Timer(_GRACE, os._exit, (1,))
    timer.daemon = True
    timer.start()
    app.exit()


def terminal_gone() -> bool:
    """Whether standard input is no longer a terminal."""
    return sys.__stdin__ is None or not os.isatty(sys.__stdin__.fileno())
