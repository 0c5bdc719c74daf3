"""Faults: the N-th call into the system fails, or the process is killed after its N-th change on disk."""

from __future__ import annotations

import errno
import gc
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.warm import Warm

CALLS = (
    "open", "close", "read", "write", "fsync", "fchmod", "fstat", "stat", "lstat", "readlink", "mkdir",
    "link", "replace", "unlink", "scandir",
)  # fmt: skip
"""The functions of `os` through which memtui touches a disk."""

CHANGES = (
    "open", "write", "ftruncate", "fchmod", "fchown", "utime", "mkdir", "rmdir", "link", "replace", "unlink",
)  # fmt: skip
"""The functions of `os` with which memtui changes what lies on a disk."""

Before = Callable[[int, str], None]
"""Called with the number (from 1) and the name of a call before it is made."""


@contextmanager
def _replaced(functions: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """Let these stand in for functions of `os`."""
    real = {name: getattr(os, name) for name in functions}
    for name, function in functions.items():
        setattr(os, name, function)
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(os, name, function)


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

    with _replaced({name: wrap(name) for name in CALLS}):
        yield log


def failing(at: int, code: int) -> Before:
    """Let call number `at` fail with this errno."""

    def before(number: int, name: str) -> None:
        if number == at:
            raise OSError(code, os.strerror(code))

    return before


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Refuse every change below a folder, as a read-only disk does to root, too."""
    real = dict(vars(os))

    def place(path: str | Path, at: int | None) -> Path:
        return Path(f"/proc/self/fd/{at}").readlink() / path if at is not None else Path(path).absolute()

    def wrap(name: str) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **options: Any) -> Any:
            at = options.get("dir_fd", options.get("src_dir_fd"))
            changes = name != "open" or args[0] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if changes and not isinstance(path, int) and place(path, at).is_relative_to(folder):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
            return real[name](path, *args, **options)

        return call

    def access(path: Any, mode: int, **options: Any) -> bool:
        refused = mode & os.W_OK and Path(path).absolute().is_relative_to(folder)
        return not refused and real["access"](path, mode, **options)

    def statvfs(path: Any) -> Any:
        below = Path(path).absolute().is_relative_to(folder)
        return SimpleNamespace(f_flag=os.ST_RDONLY) if below else real["statvfs"](path)

    changed = {name: wrap(name) for name in ("open", "mkdir", "unlink", "rmdir", "replace", "link")}
    with _replaced({**changed, "access": access, "statvfs": statvfs}):
        yield


_SWEEP = """
import sys
from pathlib import Path
from {module} import {name}
from tests.disk import without_flushing
without_flushing()
print({name}(Path(sys.argv[1]), *sys.argv[2:]))
"""


def run_sweep(sweep: Callable[..., int], base: Path, *words: str) -> int:
    """Run a function that returns what `kill_sweep` does in a program of its own; returns it, too.

    Args:
        sweep: a function of a test module.
        base: its first argument.
        words: its other ones.
    """
    module, name = sweep.__module__, sweep.__name__
    process = Warm(
        _SWEEP.format(module=module, name=name), str(base), *words,
        cwd=base, env=os.environ, imports=[f"import {module}"],
    )  # fmt: skip
    try:
        printed, errors = process.communicate(timeout=240)
    finally:
        process.end()
    assert process.returncode == 0, errors.decode()
    return int(printed)


def kill_sweep(
    make: Callable[[int], Path], act: Callable[[Path], None], check: Callable[[Path], None]
) -> int:
    """Run `act` in a child that is killed at once, after its 1st, 2nd, ... change on disk; returns how many.

    A kill at any other call into the system leaves the same files as one after the change before it. To be
    called in a process of its own, since it forks: see `run_sweep`.

    Args:
        make: makes a fresh place to work in, numbered.
        act: what is interrupted.
        check: asserts what must hold afterwards, also after the last run, which is not interrupted.
    """
    gc.freeze()  # a child shares more of the memory that nobody touches
    for changes in count():
        place = make(changes)
        child = os.fork()
        if child == 0:
            _run_and_die(act, place, changes)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        check(place)
        if code == 0:
            return changes - 1
        assert code == _KILLED, f"the child failed by itself before change {changes}"
    raise AssertionError


_KILLED = 77


def _run_and_die(act: Callable[[Path], None], place: Path, changes: int) -> None:
    """Run `act` and end the process as a kill does, after so many changes."""
    left = changes
    if not left:
        os._exit(_KILLED)

    def wrap(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            nonlocal left
            done = real(*args, **options)
            if name != "open" or args[1] & (os.O_CREAT | os.O_TRUNC):
                left -= 1
                if not left:
                    os._exit(_KILLED)
            return done

        return call

    try:
        for name in CHANGES:
            setattr(os, name, wrap(name, getattr(os, name)))
        act(place)
        os._exit(0)
    finally:
        os._exit(1)
