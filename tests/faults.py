"""Faults at every call into the system: the N-th one fails, or is the last that the process makes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CALLS = (
    "open",
    "close",
    "read",
    "write",
    "fsync",
    "fchmod",
    "fstat",
    "stat",
    "lstat",
    "readlink",
    "mkdir",
    "link",
    "replace",
    "unlink",
    "scandir",
)
"""The functions of `os` through which memtui touches a disk."""

Before = Callable[[int, str], None]
"""Called with the number (from 1) and the name of a call before it is made."""


@contextmanager
def watched(before: Before) -> Iterator[list[str]]:
    """Call `before` at every call of this thread into the system; yields the names of the calls so far."""
    log: list[str] = []
    ours = threading.get_ident()  # what an earlier test has left running may touch the disk, too
    real = {name: getattr(os, name) for name in CALLS}

    def wrap(name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if threading.get_ident() != ours:
                return real[name](*args, **options)
            log.append(name)
            try:
                before(len(log), name)
            except OSError:
                if name == "close":  # Linux closes, also when it reports an error
                    real[name](*args, **options)
                raise
            return real[name](*args, **options)

        return call

    for name in CALLS:
        setattr(os, name, wrap(name))
    try:
        yield log
    finally:
        for name, function in real.items():
            setattr(os, name, function)


def failing(at: int, code: int) -> Before:
    """Let call number `at` fail with this errno."""

    def before(number: int, name: str) -> None:
        if number == at:
            raise OSError(code, os.strerror(code))

    return before


def run_sweep(module: str, *words: object) -> int:
    """Run a module that prints what `kill_sweep` returns as a program of its own; returns it, too."""
    command = [sys.executable, "-m", module, *map(str, words)]
    repository = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def kill_sweep(
    make: Callable[[int], Path], act: Callable[[Path], None], check: Callable[[Path], None]
) -> int:
    """Run `act` in a child that is killed before its 1st, 2nd, ... call into the system; returns how many.

    To be called in a process of its own, since it forks: see `run_sweep`.

    Args:
        make: makes a fresh place to work in, numbered.
        act: what is interrupted.
        check: asserts what must hold afterwards, also after the last run, which is not interrupted.
    """
    at = 0
    while True:
        at += 1
        place = make(at)
        child = os.fork()
        if child == 0:
            _run_and_die(act, place, at)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        check(place)
        if code == 0:
            return at - 1
        assert code == _KILLED, f"the child failed by itself at point {at}"


_KILLED = 77


def _run_and_die(act: Callable[[Path], None], place: Path, at: int) -> None:
    def die(number: int, name: str) -> None:
        if number == at:
            os._exit(_KILLED)

    try:
        with watched(die):
            act(place)
        os._exit(0)
    finally:
        os._exit(1)
