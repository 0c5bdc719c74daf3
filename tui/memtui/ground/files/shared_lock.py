"""The lock file of AgileFlow's scripts: ``<file>.lock``, created exclusively, holding the process id.

This is the protocol of its ``file-lock.js``, whose scripts write session-state.json, too. It takes an
empty lock for a broken one and removes it, so ours appears with its content in one step.

Such a lock is held for milliseconds. Its process id may belong to another container, so an abandoned lock
is recognised by its age alone.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memtui.ground.files.atomic import place_new, write_temp
from memtui.ground.files.folder import READ, Folder
from memtui.ground.files.locks import flock, folder_of, lock_path, pause, same_file
from memtui.ground.files.problems import FileLocked, writing
from memtui.ground.files.safe import KINDS, Signature, signature_of

ABANDONED_SECONDS = 30.0
"""A lock whose file is older, or dated that far in the future, was left behind."""

HELD_SECONDS = 2.0
"""Maximum seconds to wait for one holder, however many follow each other."""


@contextmanager
def lock_file(path: Path, *, timeout: float = 2.0, within: Path | None = None) -> Iterator[None]:
    """Hold ``<path>.lock`` during the block, against all programs that know this protocol.

    It is removed afterwards only if it is still ours.

    Args:
        path: the file that the lock is for; it need not exist, its folder must.
        timeout: seconds to wait for other holders, one after the other; 0 tries once.
        within: a folder above `path`; below it no symbolic link is followed.

    Raises:
        FileLocked: one program holds it for longer than `HELD_SECONDS`, several do for longer than `timeout`,
            or something else has its name.
        FileProblem: the lock cannot be written.
    """
    where = lock_path(path)
    with folder_of(where, within) as folder:
        with writing(where):
            mine = _acquire(folder, where, path.name, timeout)
        try:
            yield
        finally:
            _release(folder, where.name, mine)


def _acquire(folder: Folder, where: Path, locked: str, timeout: float) -> Signature:
    name = where.name
    started = since = time.monotonic()
    last: Signature | None = None
    while True:
        try:
            status = folder.status(name)
        except FileNotFoundError:
            if mine := _take(folder, name):
                return mine
            continue
        seen, now = signature_of(status), time.monotonic()
        if _is_abandoned(status) and _break(folder, name, seen):
            continue
        if seen != last:
            last, since = seen, now
        if now - started >= timeout or now - since > HELD_SECONDS:
            raise FileLocked(where, _described(folder, name, status, locked))
        pause()


def _take(folder: Folder, name: str) -> Signature | None:
    temp = write_temp(folder, b"%d\n" % os.getpid(), mode=0o644, durable=False)
    try:
        return signature_of(folder.status(name)) if place_new(folder, temp, name) else None
    finally:
        folder.discard(temp)


def _release(folder: Folder, name: str, mine: Signature) -> None:
    # Never raises: the work under the lock is done, and a lock that stays soon counts as abandoned.
    with suppress(OSError):
        if signature_of(folder.status(name)) == mine:
            folder.unlink(name)


def _is_abandoned(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and abs(time.time() - status.st_mtime) > ABANDONED_SECONDS


def _break(folder: Folder, name: str, seen: Signature) -> bool:
    """Remove an abandoned lock; False when another process is about to.

    Two processes may find the same one, and the slower must not remove the lock that the faster has made
    since. So the abandoned file itself is locked, and removed only while the name still means it.
    """
    try:
        fd = folder.open(name, READ)
    except FileNotFoundError:
        return True
    try:
        if not flock(fd):
            return False
        if signature_of(os.fstat(fd)) == seen and same_file(folder, name, fd):
            folder.unlink(name)
    except FileNotFoundError:
        return True
    finally:
        os.close(fd)
    return True


def _described(folder: Folder, name: str, status: os.stat_result, locked: str) -> str:
    """A clause on the lock in the way, and what to do about it."""
    if not stat.S_ISREG(status.st_mode):
        what = KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        return f"is {what}, and keeps {locked} locked; move it away"
    age = max(0, round(time.time() - status.st_mtime))
    return (
        f"keeps {locked} locked: {_holder(folder, name)} made it {age} s ago; "
        f"try again, and delete it if no program is changing {locked}"
    )


def _holder(folder: Folder, name: str) -> str:
    with suppress(OSError):
        fd = folder.open(name, READ)
        try:
            if digits := re.match(rb"\s*(\d{1,10})\s*$", os.read(fd, 64)):
                return f"process {int(digits[1])}"
        finally:
            os.close(fd)
    return "another program"
