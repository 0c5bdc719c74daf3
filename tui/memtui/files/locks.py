"""Lock files that other programs understand: ``<file>.lock``, created exclusively, holding the process id.

This is the protocol of AgileFlow's ``file-lock.js``, whose scripts write session-state.json beside us. It
takes an empty lock for a broken one and removes it, so ours appears with its content in one step.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memtui.files.atomic import is_alive, is_stale, place_new, write_temp
from memtui.files.folder import READ, Folder
from memtui.files.problems import FileLocked, writing
from memtui.files.safe import Signature, signature_of

_UNWRITTEN_SECONDS = 5.0
"""A lock without a process id is being written, or was left by a process killed right then."""

_WAIT_SECONDS = 0.025
"""The longest time between two tries; at random, so that waiting processes do not march in step."""

# The locks this process holds. Process ids are reused soon in containers: a lock that names ours and is
# not in here was left by a namesake.
_held: set[Signature] = set()
_held_guard = threading.Lock()


@contextmanager
def lock(path: Path, *, timeout: float = 2.0, within: Path | None = None) -> Iterator[None]:
    """Hold ``<path>.lock`` for the length of the block, against other processes and threads.

    A lock is broken when its process does not run on this machine any more, or after 30 minutes. It is given
    back only if it is still ours.

    Args:
        path: the file that the lock is for; it need not exist, its folder must.
        timeout: seconds to wait for another holder; 0 tries once.
        within: a folder above `path` from which on down no symbolic link is followed.

    Raises:
        FileLocked: another process holds it for longer than `timeout`.
        FileProblem: the lock cannot be written.
    """
    name = path.name + ".lock"
    where = path.with_name(name)
    with writing(where):
        folder = Folder(path.parent, within=within)
    with folder:
        with writing(where):
            mine = _acquire(folder, name, where, timeout)
        try:
            yield
        finally:
            _release(folder, name, mine)


def is_dead_lock(folder: Folder, name: str) -> bool:
    """Tell whether there is a lock `name` that nobody holds any more."""
    try:
        return _look(folder, name).dead
    except OSError:
        return False


def sweep_locks(folder: Path, *, within: Path | None = None) -> int:
    """Remove the locks in a folder that nobody holds any more; returns how many.

    Only for folders in which nobody but memtui makes files that end in ``.lock``. Never raises: what cannot
    be swept lies there until the next time.
    """
    swept = 0
    try:
        with Folder(folder, within=within) as opened:
            for name in [name for name in opened.names() if name.endswith(".lock")]:
                seen = _look(opened, name)
                swept += seen.dead and _break(opened, name, seen)
    except OSError:  # gone since, or closed to us
        return swept
    return swept


def _acquire(folder: Folder, name: str, where: Path, timeout: float) -> Signature:
    deadline = time.monotonic() + timeout
    while True:
        try:
            seen = _look(folder, name)
        except FileNotFoundError:
            if mine := _take(folder, name):
                return mine
            continue
        if seen.dead and _break(folder, name, seen):
            continue
        if time.monotonic() >= deadline:
            who = f"process {seen.holder}" if seen.holder else "another program"
            raise FileLocked(where, f"is held by {who}; try again when that is done")
        time.sleep(_WAIT_SECONDS * (1 + os.urandom(1)[0]) / 256)


def _take(folder: Folder, name: str) -> Signature | None:
    temp = write_temp(folder, b"%d\n" % os.getpid(), mode=0o644, durable=False)
    try:
        with _held_guard:  # no other thread may see our lock before it is in the set
            if not place_new(folder, temp, name):
                return None
            mine = signature_of(folder.status(name))
            _held.add(mine)
            return mine
    finally:
        folder.discard(temp)


def _release(folder: Folder, name: str, mine: Signature) -> None:
    # Never raises: the work under the lock is done, and a lock that stays is found dead by the next one.
    with _held_guard:
        _held.discard(mine)
        try:
            if signature_of(folder.status(name)) == mine:
                folder.unlink(name)
        except OSError:
            return


class _Seen:
    """A lock file as found: who holds it, and whether that holder is gone."""

    def __init__(self, content: bytes, status: os.stat_result) -> None:
        digits = re.match(rb"\s*(\d{1,10})", content)
        self.holder = int(digits[1]) if digits else 0
        self.signature = signature_of(status)
        self.dead = stat.S_ISREG(status.st_mode) and (is_stale(status) or self._is_orphan(status))

    def _is_orphan(self, status: os.stat_result) -> bool:
        if not self.holder:
            return time.time() - status.st_mtime > _UNWRITTEN_SECONDS
        if self.holder == os.getpid():
            with _held_guard:
                return self.signature not in _held
        return not is_alive(self.holder)


def _look(folder: Folder, name: str) -> _Seen:
    status = folder.status(name)
    if not stat.S_ISREG(status.st_mode):
        return _Seen(b"", status)
    fd = folder.open(name, READ)
    try:
        return _Seen(os.read(fd, 64), os.fstat(fd))
    finally:
        os.close(fd)


def _break(folder: Folder, name: str, seen: _Seen) -> bool:
    """Remove a dead lock; False when somebody else is about to.

    Two processes may find the same dead lock, and the slower one must not remove the lock that the faster
    one has made since. So the dead file itself is locked, and removed only while the name still means it.
    """
    try:
        fd = folder.open(name, READ)
    except FileNotFoundError:
        return True
    try:
        if not _guard(fd):
            return False
        if signature_of(os.fstat(fd)) == signature_of(folder.status(name)) == seen.signature:
            folder.unlink(name)
    except FileNotFoundError:
        return True
    finally:
        os.close(fd)
    return True


def _guard(fd: int) -> bool:
    """Take the system's own lock on an open file for as long as it is open; False when it is taken."""
    try:
        import fcntl
    except ImportError:  # Windows refuses to remove a file that another process has open
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without flock: the comparison of names has to do
        return True
    return True
