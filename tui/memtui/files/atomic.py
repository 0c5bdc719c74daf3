"""The one writer: a temporary file in the same folder, flushed, renamed, and the folder flushed."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

from memtui.files.folder import CREATE, READ, Folder, read_up_to, sync
from memtui.files.problems import FileChanged, reading, writing

TEMP_NAME = re.compile(r"\.memtui-(\d{1,10})-[0-9a-f]{12}\.tmp")
"""The name of a temporary file: whose it is (process id), and something random."""

STALE_SECONDS = 30 * 60
"""A lock or temporary file older than this is abandoned, even if its process id is in use again."""

_MOST = 64 << 20
"""Bytes of the largest file that is compared."""

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


def write_atomic(
    path: Path,
    data: bytes,
    *,
    mode: int | None = 0o600,
    within: Path | None = None,
    durable: bool = True,
) -> None:
    """Write a file so that readers see the old content or the new, never a mix, whatever happens.

    Args:
        path: the file, made or replaced. A link there is replaced, not followed.
        data: its whole new content.
        mode: the file's mode, whatever the umask; None keeps mode and owner of the file that is there
            (for files that belong to other programs), 0600 if there is none.
        within: a folder above `path` from which on down no symbolic link is followed.
        durable: flush it to the disk; False for what may be lost in a power failure.

    Raises:
        FileProblem: one of its kinds; the old content is still there and no temporary file is left. Only
            when the folder cannot be flushed the new content is there, but may not survive a power failure.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        keep = _status(folder, path.name) if mode is None else None
        if keep is not None and not stat.S_ISREG(keep.st_mode):
            keep = None
        temp = write_temp(folder, data, mode=mode, like=keep, durable=durable)
        try:
            folder.replace(temp, path.name)
        except BaseException:
            folder.discard(temp)
            raise
        if durable:
            folder.sync()


class Replaced:
    """A file that has been replaced, still open.

    A program that was writing it at that moment does not notice, and keeps writing into this old file.
    """

    def __init__(self, path: Path, fd: int | None = None, content: bytes = b"") -> None:
        self._path = path
        self._fd = fd
        self._content = content

    def __enter__(self) -> Replaced:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the old file."""
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with suppress(OSError):  # it was only read
                os.close(fd)

    def late(self) -> bytes | None:
        """What was written into it since it was replaced; None for nothing.

        Raises:
            FileUnreadable: the system refuses to read it.
        """
        if self._fd is None:
            return None
        with reading(self._path):
            os.lseek(self._fd, 0, os.SEEK_SET)
            content = read_up_to(self._fd, _MOST)
        return None if content == self._content else content


def replace_expected(
    path: Path, data: bytes, *, expected: bytes, within: Path | None = None, durable: bool = True
) -> Replaced:
    """Replace another program's file, keeping its mode and owner, if it holds `expected` right before.

    Args:
        path: an existing file.
        data: its whole new content.
        expected: what it must hold.
        within: a folder above `path` from which on down no symbolic link is followed.
        durable: flush before and after, which takes long in comparison with the replacement.

    Returns:
        The old file, to be looked into for a while, and to be closed.

    Raises:
        FileChanged: it does not hold `expected`; nothing was changed.
        FileProblem: see `write_atomic`.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        temp = write_temp(folder, data, like=folder.status(path.name), durable=durable)
        try:
            old = _swap(folder, temp, path, expected)
        except BaseException:
            folder.discard(temp)
            raise
        if durable:
            with suppress(OSError):  # it is replaced, flushed or not
                folder.sync()
        return old


def _swap(folder: Folder, temp: str, path: Path, expected: bytes) -> Replaced:
    old = Replaced(path, folder.open(path.name, READ), expected)
    try:
        if old.late() is not None:
            raise FileChanged(path, "has changed meanwhile")
        if sys.platform == "win32":  # refuses to replace an open file
            old.close()
        folder.replace(temp, path.name)
    except BaseException:
        old.close()
        raise
    return old


def create_exclusive(path: Path, data: bytes, *, mode: int = 0o600, within: Path | None = None) -> bool:
    """Make a file that is not there yet, whole or not at all.

    Returns:
        False when the name is taken (by anything, also a broken link); nothing is changed then.

    Raises:
        FileProblem: the file could not be written.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        return write_new(folder, path.name, data, mode=mode)


def write_new(folder: Folder, name: str, data: bytes, *, mode: int = 0o600) -> bool:
    """`create_exclusive` in an opened folder; raises bare `OSError`."""
    temp = write_temp(folder, data, mode=mode)
    try:
        created = place_new(folder, temp, name)
    finally:
        folder.discard(temp)
    folder.sync()
    return created


def place_new(folder: Folder, temp: str, name: str) -> bool:
    """Give a finished temporary file the name `name` if that is free; `temp` may remain as a second name."""
    try:
        folder.link(temp, name)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _claim(folder, temp, name)
    return True


def _claim(folder: Folder, temp: str, name: str) -> bool:
    # A file system without hard links (exFAT, some network ones): claim the name empty, then fill it at once.
    try:
        os.close(folder.open(name, CREATE))
    except FileExistsError:
        return False
    try:
        folder.replace(temp, name)
    except BaseException:
        folder.discard(name)
        raise
    return True


def write_temp(
    folder: Folder,
    data: bytes,
    *,
    mode: int | None = 0o600,
    like: os.stat_result | None = None,
    durable: bool = True,
) -> str:
    """Write `data` to a new temporary file in `folder`; returns its name.

    Nothing is left behind on an error, be it the one of closing.

    Args:
        folder: where.
        data: the whole content.
        mode: its mode, whatever the umask; None is 0600.
        like: a file whose mode and owner to take instead.
        durable: flush it to the disk.
    """
    name = f".memtui-{os.getpid()}-{os.urandom(6).hex()}.tmp"
    fd = folder.open(name, CREATE)
    try:
        try:
            _dress(fd, mode, like)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
            if durable:
                sync(fd)
        finally:
            os.close(fd)
    except BaseException:
        folder.discard(name)
        raise
    return name


def sweep_temps(folder: Path, *, within: Path | None = None) -> int:
    """Remove the temporary files that processes left behind when they were killed; returns how many.

    Never raises: what cannot be swept lies there until the next time.
    """
    try:
        with Folder(folder, within=within) as opened:
            return sweep(opened)
    except OSError:
        return 0


def sweep(folder: Folder) -> int:
    """`sweep_temps` in an opened folder."""
    swept = 0
    for name in list(folder.names()):
        match = TEMP_NAME.fullmatch(name)
        if match and is_abandoned(folder, name, int(match[1])):
            folder.discard(name)
            swept += 1
    return swept


def is_abandoned(folder: Folder, name: str, pid: int) -> bool:
    """Tell whether the process that made `name` is gone, or `name` is too old to be in use."""
    return not is_alive(pid) or is_stale(_status(folder, name))


def is_stale(status: os.stat_result | None) -> bool:
    """Tell whether a file was last written so long ago that nobody is at work on it."""
    return status is not None and time.time() - status.st_mtime > STALE_SECONDS


def is_alive(pid: int) -> bool:
    """Tell whether a process with this id runs on this machine; in doubt, yes."""
    if sys.platform == "win32":
        return True  # os.kill ends the process there; the age has to decide
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's; or no possible id
        return pid < 1 << 31
    return True


def _status(folder: Folder, name: str) -> os.stat_result | None:
    try:
        return folder.status(name)
    except FileNotFoundError:
        return None


def _dress(fd: int, mode: int | None, like: os.stat_result | None) -> None:
    if sys.platform == "win32":
        return
    if like is not None and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):  # only root may give files away
            os.fchown(fd, like.st_uid, like.st_gid)
    os.fchmod(fd, stat.S_IMODE(like.st_mode) if like is not None else 0o600 if mode is None else mode)
