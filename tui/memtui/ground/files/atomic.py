"""Writing: files appear whole or not at all, under locks, in folders made for this user alone."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from memtui.ground.files.folder import CREATE, OPEN, READ, Folder, close, read_up_to, steps_below, sync
from memtui.ground.files.problems import FileChanged, FileLocked, FileNotRegular, FileOutside, writing

LEFT_OVER_SECONDS = 10 * 60
"""Age from which a temporary file counts as left behind by a killed process.

The process id proves nothing: it may belong to another container that shares the folder.
"""

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
_WAIT_SECONDS = 0.025
"""Maximum time between two tries; random, so that waiting processes do not run in step."""


# -- files ---------------------------------------------------------------------------------------------------


def write_atomic(
    path: Path,
    data: bytes | Iterable[bytes],
    *,
    mode: int | None = 0o600,
    within: Path | None = None,
    durable: bool = True,
    expected: bytes | None = None,
) -> None:
    """Write a file so that readers see the old content or the new, never a mix, whatever happens.

    Args:
        path: the file, made or replaced. A link there is replaced, not followed.
        data: its whole new content, perhaps in parts; an exception of theirs changes nothing.
        mode: the file's mode, whatever the umask; None keeps mode and owner of the file that is there
            (for files that belong to other programs), or 0600 for a new file.
        within: a folder above `path`; below it no symbolic link is followed.
        durable: flush it to the disk; False for data that may be lost in a power failure.
        expected: its content as last read, for files that others write, too.

    Raises:
        FileChanged: it does not hold `expected`; nothing was changed.
        FileProblem: one of its kinds; the old content is still there and no temporary file is left. Only if
            the folder cannot be flushed, the new content is there but may not survive a power failure.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        like = None
        if mode is None and folder.has(path.name):
            status = folder.status(path.name)
            like = status if stat.S_ISREG(status.st_mode) else None
        temp = write_temp(folder, data, mode=mode, like=like, durable=durable)
        try:
            if expected is not None and _content(folder, path.name, len(expected) + 1) != expected:
                raise FileChanged(path, "has changed meanwhile")
            folder.replace(temp, path.name)
        except BaseException:
            folder.discard(temp)
            raise
        if durable:
            with suppress(OSError) if expected is not None else nullcontext():  # it is replaced all the same
                folder.sync()


def create_exclusive(
    path: Path,
    data: bytes | Iterable[bytes],
    *,
    mode: int = 0o600,
    within: Path | None = None,
    durable: bool = True,
) -> bool:
    """Create a file that does not exist yet, whole or not at all; for the arguments see `write_atomic`.

    Returns:
        False if the name is taken (by anything, even a broken link); nothing is changed then.

    Raises:
        FileProblem: the file could not be written.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        return _create(folder, path.name, data, mode=mode, durable=durable)


def _create(
    folder: Folder, name: str, data: bytes | Iterable[bytes], *, mode: int = 0o600, durable: bool = True
) -> bool:
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
    else:
        return True
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
    data: bytes | Iterable[bytes],
    *,
    mode: int | None = 0o600,
    like: os.stat_result | None = None,
    durable: bool = True,
) -> str:
    """Write `data` to a new temporary file in `folder`, with the mode and owner of `like`; returns its name.

    Nothing is left behind on an error, even one of closing.
    """
    name = f".memtui-{os.getpid()}-{os.urandom(6).hex()}.tmp"
    fd = folder.open(name, CREATE)
    try:
        try:
            _set_mode_and_owner(fd, mode, like)
            for part in (data,) if isinstance(data, bytes) else data:
                rest = memoryview(part)
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


def _set_mode_and_owner(fd: int, mode: int | None, like: os.stat_result | None) -> None:
    if sys.platform == "win32":
        return
    if like is not None and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):  # only root may give files away
            os.fchown(fd, like.st_uid, like.st_gid)
    os.fchmod(fd, stat.S_IMODE(like.st_mode) if like is not None else 0o600 if mode is None else mode)


def _content(folder: Folder, name: str, size: int) -> bytes:
    fd = folder.open(name, READ)
    try:
        return read_up_to(fd, size)
    finally:
        os.close(fd)


def remove(path: Path, *, within: Path | None = None) -> None:
    """Remove a file; below `within` no symbolic link is followed.

    Raises:
        FileProblem: there is none, or the system refuses.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        folder.unlink(path.name)


def is_temp_name(name: str) -> bool:
    """Whether a name is that of a temporary file of memtui; its process id is only for people to read."""
    return (
        name.startswith(".memtui-") and re.fullmatch(r".memtui-\d{1,10}-[0-9a-f]{12}\.tmp", name) is not None
    )


def sweep_temps(folder: Path, *, within: Path | None = None) -> int:
    """Remove temporary files left behind by killed processes; returns their number.

    For every folder in which this package writes; other programs' files are not touched. Never raises: files
    that cannot be removed stay until the next sweep.
    """
    try:
        with Folder(folder, within=within) as opened:
            return _sweep(opened)
    except OSError:
        return 0


def _sweep(folder: Folder) -> int:
    swept = 0
    for name in [name for name in folder.names() if is_temp_name(name)]:
        with suppress(FileNotFoundError):
            status = folder.status(name)
            foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
            if not foreign and time.time() - status.st_mtime > LEFT_OVER_SECONDS:
                folder.discard(name)
                swept += 1
    return swept


# -- folders -------------------------------------------------------------------------------------------------


def existing_above(folder: Path) -> Path:
    """The folder itself, or its nearest existing ancestor."""
    # Not Path.is_dir, which raises in an unreadable folder.
    return next(place for place in (folder, *folder.parents) if os.path.isdir(place))  # noqa: PTH112


def check_writable(folder: Path) -> None:
    """Ask the system whether `folder`, or what there is above it, can be written. Nothing is.

    Raises:
        FileUnwritable: it cannot.
    """
    place = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    with writing(folder):
        if not place.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(place))
        if not os.access(place, os.W_OK | os.X_OK):
            read_only = os.statvfs(place).f_flag & os.ST_RDONLY
            code = errno.EROFS if read_only else errno.EACCES
            raise OSError(code, os.strerror(code), os.fspath(place))


def private_folder(folder: Path, *, within: Path) -> None:
    """Make `folder` and its missing parents, for this user alone (0700 whatever the umask).

    A new folder gets a ``.gitignore`` with ``*`` before anything else: captures hold typed text
    and must not get into a repository by accident. Folders that exist keep their mode.

    Args:
        folder: the folder to make.
        within: an existing folder above it; below it no component may be a symbolic link.

    Raises:
        FileOutside: a component is a link or not a folder, or `folder` is not below `within`.
        FileUnwritable, FileMissing: the system refuses, or `within` does not exist.
    """
    made = _make_folders(folder, within, 0o700)
    with writing(folder), Folder(folder, within=within) as opened:
        if made or all(is_temp_name(name) for name in opened.names()):
            _sweep(opened)
            _create(opened, ".gitignore", b"*\n")


def shared_folder(folder: Path, *, within: Path) -> None:
    """Make `folder` and its missing parents with the modes of the umask; otherwise as `private_folder`."""
    _make_folders(folder, within, 0o777)


def private_parents(folder: Path) -> None:
    """Make `folder` and its missing parents for this user alone, without a ``.gitignore``.

    `Path.mkdir` gives its mode to the last folder only; the others get that of the umask.

    Raises:
        OSError: the system refuses.
    """
    for each in reversed([each for each in (folder, *folder.parents) if not os.path.lexists(each)]):
        each.mkdir(mode=0o700, exist_ok=True)


def _make_folders(folder: Path, within: Path, mode: int) -> bool:
    """Make the missing folders; whether the last one is new."""
    made = False
    above = within
    for step in steps_below(folder, within):
        where = above / step
        with writing(where), Folder(above, within=within) as opened:
            made = not opened.has(step)
            if made:
                with suppress(FileExistsError):  # another process was faster
                    opened.make(step, mode)
            found = opened.status(step).st_mode
            if stat.S_ISLNK(found):
                raise FileOutside(
                    where, "is a symbolic link; memtui does not write through links, make it a folder"
                )
            if not stat.S_ISDIR(found):
                raise FileOutside(where, "is not a folder; move it away so that memtui can make one")
            if made and mode == 0o700 and stat.S_IMODE(found) != mode:  # of a umask such as 0277
                with Folder(where, within=above) as new:
                    new.make_private()
            if made and mode == 0o700:
                opened.sync()
        above = where
    return made


# -- locks ---------------------------------------------------------------------------------------------------


@contextmanager
def lock(path: Path, *, timeout: float = 2.0, within: Path | None = None) -> Iterator[None]:
    """Hold ``<path>.lock`` during the block, against memtui's other processes and threads.

    The file is locked with flock: the system releases that when its process ends, however it ends, and all
    containers that share the folder see it. The mere existence of the file means nothing. On a file system
    without locks it has no effect.

    Args:
        path: the file that the lock is for; it need not exist, its folder must.
        timeout: seconds to wait for another holder; 0 tries once.
        within: a folder above `path`; below it no symbolic link is followed.

    Raises:
        FileLocked: another process or thread holds it for longer than `timeout`.
        FileProblem: the lock file cannot be made, or something else has its name.
    """
    where = path.with_name(path.name + ".lock")
    with writing(where):
        folder = Folder(where.parent, within=within)
    with folder:
        with writing(where):
            fd = _acquire(folder, where, time.monotonic() + timeout)
        try:
            yield
        finally:
            folder.discard(where.name)  # before it is released: the next holder makes a file of its own
            close(fd)


def _acquire(folder: Folder, where: Path, deadline: float) -> int:
    while True:
        fd = folder.open(where.name, OPEN)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise FileNotRegular(where, "is in the way of a lock file; move it away")
            free = flock(fd)
            if free and folder.is_open(where.name, fd):
                return fd
        except BaseException:
            close(fd)
            raise
        close(fd)
        if not free:  # otherwise its last holder has just removed it
            if time.monotonic() >= deadline:
                raise FileLocked(where, "is held by another process; try again when that is done")
            pause()


def flock(fd: int) -> bool:
    """Lock an open file for as long as it is open; False when another process holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            return False
        if error.errno not in _NO_LOCKS:
            raise
    return True


def pause() -> None:
    """Wait a moment before trying again."""
    time.sleep(_WAIT_SECONDS * (1 + os.urandom(1)[0]) / 256)


# -- logs ----------------------------------------------------------------------------------------------------


def append_line(path: Path, line: str, *, limit: int) -> bool:
    """Append a line to a log; a log over `limit` bytes is first renamed to `older`.

    Returns:
        Whether the log was renamed, which deletes the previous `older`.

    Raises:
        OSError, ValueError: it cannot be written.
    """
    private_parents(path.parent)
    with Folder(path.parent) as folder:
        fd = folder.open(path.name, OPEN | os.O_APPEND)
        try:
            size = os.fstat(fd).st_size
            whole = not size or not hasattr(os, "pread") or os.pread(fd, 1, size - 1) == b"\n"
            # One write, so that lines do not mix; first a line end if a full disk cut off the last line.
            os.write(fd, (b"" if whole else b"\n") + line.encode("utf-8", "replace") + b"\n")
            # The log itself is locked, so that only one of several processes renames it.
            if os.fstat(fd).st_size > limit and flock(fd) and folder.is_open(path.name, fd):
                folder.replace(path.name, older(path).name)
                return True
            return False
        finally:
            os.close(fd)


def older(path: Path) -> Path:
    """Path of the previous log: ``hooks.1.jsonl``."""
    return path.with_name(f"{path.stem}.1{path.suffix}")


def read_lines(path: Path, *, limit: int) -> list[str]:
    """The lines of a log and the one before it, oldest first; of each, the first `limit` bytes.

    Raises:
        OSError: the log exists and cannot be read.
    """
    lines: list[str] = []
    for each in (path, older(path)):  # if a new log is begun meanwhile, lines are read twice, not missed
        with suppress(FileNotFoundError), each.open("rb") as log:
            lines = [*log.read(limit).decode("utf-8", "replace").split("\n"), *lines]
    return lines
