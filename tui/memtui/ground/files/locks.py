"""Locks among memtui's own processes and threads: ``<file>.lock``, locked with flock.

The system releases such a lock when its process ends, however it ends, and all containers that share the
folder see it. The mere existence of the file means nothing: one left by a killed process is free.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memtui.ground.files.folder import LOCK, Folder
from memtui.ground.files.problems import FileLocked, FileNotRegular, writing

_WAIT_SECONDS = 0.025
"""Maximum time between two tries; random, so that waiting processes do not run in step."""

_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}


@contextmanager
def lock(path: Path, *, timeout: float = 2.0, within: Path | None = None) -> Iterator[None]:
    """Hold ``<path>.lock`` during the block, against other processes and threads.

    On a file system without locks it has no effect.

    Args:
        path: the file that the lock is for; it need not exist, its folder must.
        timeout: seconds to wait for another holder; 0 tries once.
        within: a folder above `path`; below it no symbolic link is followed.

    Raises:
        FileLocked: another process or thread holds it for longer than `timeout`.
        FileProblem: the lock file cannot be made, or something else has its name.
    """
    where = lock_path(path)
    with folder_of(where, within) as folder:
        with writing(where):
            fd = _acquire(folder, where, timeout)
        try:
            yield
        finally:
            folder.discard(where.name)  # before it is released: the next holder makes a file of its own
            _close(fd)


def lock_path(path: Path) -> Path:
    """The lock file of a file: ``<path>.lock``."""
    return path.with_name(path.name + ".lock")


def folder_of(where: Path, within: Path | None) -> Folder:
    """The folder of a lock file, opened.

    Raises:
        FileProblem: it cannot be opened.
    """
    with writing(where):
        return Folder(where.parent, within=within)


def sweep_locks(folder: Path, *, within: Path | None = None) -> int:
    """Remove the lock files of a folder that nothing holds; returns their number.

    Only for folders in which memtui alone makes files that end in ``.lock``. Never raises: files that cannot
    be removed stay until the next sweep.
    """
    swept = 0
    try:
        with Folder(folder, within=within) as opened:
            for name in [name for name in opened.names() if name.endswith(".lock")]:
                swept += _remove_free(opened, name)
    except OSError:  # gone since, or unreadable
        return swept
    return swept


def flock(fd: int) -> bool:
    """Lock an open file for as long as it is open; False when another process holds the lock."""
    try:
        _system_lock(fd)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            return False
        if error.errno not in _NO_LOCKS:
            raise
    return True


if sys.platform == "win32":

    def _system_lock(fd: int) -> None:
        import msvcrt

        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
else:

    def _system_lock(fd: int) -> None:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def same_file(folder: Folder, name: str, fd: int) -> bool:
    """Whether `name` is still the open file."""
    try:
        return os.path.samestat(folder.status(name), os.fstat(fd))
    except FileNotFoundError:
        return False


def pause() -> None:
    """Wait a moment before trying again."""
    time.sleep(_WAIT_SECONDS * (1 + os.urandom(1)[0]) / 256)


def _acquire(folder: Folder, where: Path, timeout: float) -> int:
    name, deadline = where.name, time.monotonic() + timeout
    while True:
        fd = folder.open(name, LOCK)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise FileNotRegular(where, "is in the way of a lock file; move it away")
            free = flock(fd)
            if free and same_file(folder, name, fd):
                return fd
        except BaseException:
            _close(fd)
            raise
        _close(fd)
        if not free:  # otherwise its last holder has just removed it
            if time.monotonic() >= deadline:
                raise FileLocked(where, "is held by another process; try again when that is done")
            pause()


def _remove_free(folder: Folder, name: str) -> bool:
    if not stat.S_ISREG(folder.status(name).st_mode):
        return False
    fd = folder.open(name, LOCK & ~os.O_CREAT)
    try:
        if flock(fd) and same_file(folder, name, fd):
            folder.unlink(name)
            return True
    finally:
        _close(fd)
    return False


def _close(fd: int) -> None:
    with suppress(OSError):  # nothing was written to it
        os.close(fd)
