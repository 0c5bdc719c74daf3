"""Starting the process that serves requests, detached so that Claude Code does not wait for it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from memtui.ground.files import FileLocked, lock
from memtui.ground.project import Home
from memtui.hooks.requests import requests_folder

SERVER = "memtui.flows.request_server"
"""The module that serves requests; not imported here, as it is in a layer above the hooks."""


def start_server(home: Home) -> None:
    """Start the server in the background, unless one is running, which will find the requests.

    Raises:
        FileProblem: its lock cannot be checked.
        OSError: the process cannot be started.
    """
    try:
        with lock(requests_folder(home) / "server", timeout=0):
            pass
    except FileLocked:
        return
    # Neither the current folder, which may be an untrusted repository, nor PYTHONPATH may change what is run.
    words = [sys.executable, "-I" if sys.flags.isolated else "-P", "-m", SERVER]
    if sys.platform == "win32":
        os.spawnv(os.P_DETACH, sys.executable, words)  # noqa: S606
        return
    _close_on_start()
    streams = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    # Not subprocess, whose import takes as long as the rest of the hook.
    try:
        os.posix_spawn(sys.executable, words, os.environ, file_actions=streams, setsid=True)
    except NotImplementedError:  # an old C library: a group of its own keeps Ctrl+C away, too
        os.posix_spawn(sys.executable, words, os.environ, file_actions=streams, setpgroup=0)


def _close_on_start() -> None:
    """Close inherited descriptors: if the server held Claude Code's pipes open, their readers would wait."""
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):  # noqa: PTH208
            with suppress(OSError, ValueError):
                if int(name) > 2:
                    os.set_inheritable(int(name), False)
