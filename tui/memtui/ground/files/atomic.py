"""The one writer: a temporary file in the same folder, flushed, renamed, and the folder flushed."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

from memtui.ground.files.folder import CREATE, Folder, sync
from memtui.ground.files.problems import writing
from memtui.ground.patterns import deferred

_TEMP_PREFIX = ".memtui-"
_TEMP_NAME = deferred(rf"\{_TEMP_PREFIX}\d{{1,10}}-[0-9a-f]{{12}}\.tmp")

LEFT_OVER_SECONDS = 10 * 60
"""Age from which a temporary file counts as left behind by a killed process.

The process id proves nothing: it may belong to another container that shares the folder.
"""

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
            (for files that belong to other programs), or 0600 for a new file.
        within: a folder above `path`; below it no symbolic link is followed.
        durable: flush it to the disk; False for data that may be lost in a power failure.

    Raises: FileProblem: one of its kinds; the old content is still there and no temporary file is left. Only
    if the folder cannot be flushed, the new content is there but may not survive a power failure.
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


def create_exclusive(
    path: Path, data: bytes, *, mode: int = 0o600, within: Path | None = None, durable: bool = True
) -> bool:
    """Create a file that does not exist yet, whole or not at all; for the arguments see `write_atomic`.

    Returns:
        False if the name is taken (by anything, even a broken link); nothing is changed then.

    Raises:
        FileProblem: the file could not be written.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        return write_new(folder, path.name, data, mode=mode, durable=durable)


def write_new(folder: Folder, name: str, data: bytes, *, mode: int = 0o600, durable: bool = True) -> bool:
    """`create_exclusive` in an opened folder; raises bare `OSError`."""
    temp = write_temp(folder, data, mode=mode, durable=durable)
    try:
        created = place_new(folder, temp, name)
    finally:
        folder.discard(temp)
    if durable:
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

    Nothing is left behind on an error, even one of closing.

    Args:
        folder: where.
        data: the whole content.
        mode: its mode, whatever the umask; None is 0600.
        like: a file whose mode and owner to take instead.
        durable: flush it to the disk.
    """
    name = temp_name()
    fd = folder.open(name, CREATE)
    try:
        try:
            _set_mode_and_owner(fd, mode, like)
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


def temp_name() -> str:
    """A new name for a temporary file."""
    return f"{_TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}.tmp"


def is_temp_name(name: str) -> bool:
    """Whether a name is that of a temporary file of memtui; its process id is only for people to read."""
    return name.startswith(_TEMP_PREFIX) and _TEMP_NAME.fullmatch(name) is not None


def sweep_temps(folder: Path, *, within: Path | None = None) -> int:
    """Remove temporary files left behind by killed processes; returns their number.

    For every folder in which this package writes; other programs' files are not touched. Never raises: files
    that cannot be removed stay until the next sweep.
    """
    try:
        with Folder(folder, within=within) as opened:
            return sweep(opened)
    except OSError:
        return 0


def sweep(folder: Folder) -> int:
    """`sweep_temps` in an opened folder."""
    swept = 0
    for name in [name for name in folder.names() if is_temp_name(name)]:
        status = _status(folder, name)
        if status is None or (hasattr(os, "geteuid") and status.st_uid != os.geteuid()):
            continue
        if time.time() - status.st_mtime > LEFT_OVER_SECONDS:
            folder.discard(name)
            swept += 1
    return swept


def _status(folder: Folder, name: str) -> os.stat_result | None:
    try:
        return folder.status(name)
    except FileNotFoundError:
        return None


def _set_mode_and_owner(fd: int, mode: int | None, like: os.stat_result | None) -> None:
    if sys.platform == "win32":
        return
    if like is not None and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):  # only root may give files away
            os.fchown(fd, like.st_uid, like.st_gid)
    os.fchmod(fd, stat.S_IMODE(like.st_mode) if like is not None else 0o600 if mode is None else mode)
