"""Starting the process that serves requests: detached, so that Claude Code waits for nothing."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from memtui.files import FileLocked, lock
from memtui.hooks.requests import requests_folder
from memtui.project import Home

SERVER = "memtui.flows.server"
"""The module that serves requests; it may not be imported here, as it lies above the hooks."""


def start_server(home: Home) -> None:
    """Start the server and go on at once, unless one is at work: that one looks for requests when it is done.

    Raises:
        FileProblem: its lock cannot be looked at.
        OSError: the process cannot be started.
    """
    try:
        with lock(requests_folder(home) / "server", timeout=0):
            pass
    except FileLocked:
        return
    # Neither the current folder, which may be anybody's repository, nor PYTHONPATH decides what is run.
    words = [sys.executable, "-I" if sys.flags.isolated else "-P", "-m", SERVER]
    if sys.platform == "win32":
        os.spawnv(os.P_DETACH, sys.executable, words)  # noqa: S606
        return
    _close_on_start()
    streams = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    # Not subprocess: importing that takes as long as all that a hook does.
    try:
        os.posix_spawn(sys.executable, words, os.environ, file_actions=streams, setsid=True)
    except NotImplementedError:  # an old C library: a group of its own keeps Ctrl+C away, too
        os.posix_spawn(sys.executable, words, os.environ, file_actions=streams, setpgroup=0)


def _close_on_start() -> None:
    """What Claude Code left open to the hook must not be held open by the server: who reads it would wait."""
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):  # noqa: PTH208
            with suppress(OSError, ValueError):
                if int(name) > 2:
                    os.set_inheritable(int(name), False)
