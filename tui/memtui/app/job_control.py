"""ctrl+z: the shell that started memtui gets the terminal back until `fg`."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from memtui.app.host import HostApp

_NO_SHELL = "No shell waits below memtui: ctrl+z has nothing to go back to."


def step_down(app: HostApp) -> None:
    """Stop the app until the shell goes on with it, or say why that cannot be."""
    try:
        with app.suspend():
            stopped = _stop_group()
    except SuspendNotSupported:
        stopped = False
    if not stopped:
        app.say(_NO_SHELL, severity="warning")


def _stop_group() -> bool:
    """Stop every process of the group, as a terminal does on ctrl+z; False if that had no effect.

    `make run` has to stop as well, or it would keep the terminal. The kernel drops the signal where no shell
    could ever go on with the group.
    """
    went_on = []
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    going_on = signal.signal(signal.SIGCONT, lambda *_: went_on.append(True))
    try:
        os.kill(0, signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)
        signal.signal(signal.SIGCONT, going_on)
    return bool(went_on)
