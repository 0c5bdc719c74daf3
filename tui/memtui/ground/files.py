"""Files: written whole or not at all, created exclusively, locked, and read only within an allowed folder.

Standard library only: the hook process imports this. Every function raises `FileProblem` (or one of its
kinds) with a plain sentence, never a bare `OSError`, unless it says so.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

LEFT_OVER_SECONDS = 10 * 60
"""Age from which a temporary file was left behind by a killed process. Its id may be another container's."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
"""Open for reading: no link is followed, and a pipe without a writer does not block."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
"""Open for locking or appending, create if missing; for writing, because flock on NFS requires it."""

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
_CANNOT_FLUSH = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
_TEMP_NAME = r"\.memtui-\d{1,10}-[0-9a-f]{12}\.tmp"

_LINKED = "is reached through a symbolic link, which memtui does not follow here"

Signature = tuple[int, int, int]
"""(mtime in ns, size, inode): differs whenever the file has changed; the time alone is not enough"""


# -- problems ------------------------------------------------------------------------------------------------

_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space and try again",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "permission denied; check the owner and mode of it and its folder",
    errno.EPERM: "permission denied; check the owner and mode of it and its folder",
    errno.EMFILE: "too many files are open; close some programs and try again",
    errno.ENFILE: "too many files are open; close some programs and try again",
    errno.ENAMETOOLONG: "the name is too long",
}


class FileProblem(Exception):  # noqa: N818 - what the person sees is a problem, not always an error
    """A problem with one file: ``str()`` is a sentence without its stop, `reason` lacks its subject, too."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = Path(path)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.args[0]} {self.reason}"  # a subject that is no path may have two slashes


class FileMissing(FileProblem):
    """There is no such file."""


class FileOutside(FileProblem):
    """The path leaves the folder it has to stay in, or passes through a symbolic link."""


class FileUnwritable(FileProblem):
    """The system refuses to write it; what was there before is still there."""


class FileLocked(FileProblem):
    """Another process holds the lock for longer than we wait."""


class FileChanged(FileProblem):
    """The file has changed since it was read; nothing was written."""


def os_error_reason(error: OSError) -> str:
    """The reason in an `OSError`, with advice where there is some."""
    return _ADVICE.get(error.errno or 0) or (error.strerror or str(error)).lower()


def reading(path: Path | str) -> AbstractContextManager[None]:
    """Turn an `OSError` while reading `path` into a `FileProblem`."""
    return _reported(path, FileProblem, "does not exist", "cannot be read")


def writing(path: Path | str) -> AbstractContextManager[None]:
    """Turn an `OSError` while writing `path` into a `FileProblem`."""
    missing = "cannot be written: its folder does not exist"
    return _reported(path, FileUnwritable, missing, "cannot be written")


@contextmanager
def _reported(path: Path | str, kind: type[FileProblem], missing: str, refused: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        problem: FileProblem
        if not isinstance(error, OSError):
            problem = FileOutside(path, "is not a possible path")  # a NUL in it
        elif isinstance(error, FileNotFoundError):
            problem = FileMissing(path, missing)
        elif error.errno == errno.ELOOP:  # raised by O_NOFOLLOW
            problem = FileOutside(path, _LINKED)
        elif error.errno == errno.ENOTDIR:
            problem = FileOutside(path, "is not in a folder: a part of its path is a file or a link")
        elif error.errno == errno.ENXIO or isinstance(error, IsADirectoryError):
            problem = FileProblem(path, "is not a regular file")
        else:
            problem = kind(path, f"{refused}: {os_error_reason(error)}")
        raise problem from error


# -- writing -------------------------------------------------------------------------------------------------


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

    A link there is replaced, not followed; below `within` no link may lead to another place. The file has
    `mode` whatever the umask; None keeps mode and owner of an existing file (of other programs). `durable`
    flushes it to the disk. `FileChanged` if it does not hold `expected`, its content as last read. After any
    error the old content is still there, and no temporary file is left.
    """
    with writing(path):
        check_below(path.parent, within)
        like = None
        with suppress(FileNotFoundError):
            like = path.lstat() if mode is None else None
        with _temporary(path.parent, data, 0o600 if mode is None else mode, durable, like) as temp:
            if expected is not None and _read(os.open(path, _READ), len(expected) + 1) != expected:
                raise FileChanged(path, "has changed meanwhile")
            temp.replace(path)


def edit(path: Path, change: Callable[[bytes], bytes], *, within: Path, limit: int, mode: int) -> None:
    """Change a file that other programs write, too, or make it with this `mode`; it is empty before.

    What another one writes meanwhile is read again; `FileChanged` if that happens five times.
    """
    for _ in range(5):
        before = None
        with suppress(FileMissing):
            before = read_within(path, within, limit=limit)
        if (after := change(before or b"")) == (before or b""):
            return
        with suppress(FileChanged):
            if before is not None:
                write_atomic(path, after, mode=None, within=within, expected=before)
            elif not create_exclusive(path, after, mode=mode, within=within):
                continue
            return
    raise FileChanged(path, "is being written by another program; try again in a moment")


def create_exclusive(
    path: Path,
    data: bytes | Iterable[bytes],
    *,
    mode: int = 0o600,
    within: Path | None = None,
    durable: bool = True,
) -> bool:
    """As `write_atomic`, but False if the name is taken, even by a broken link; nothing is changed then."""
    with writing(path):
        check_below(path.parent, within)
        with _temporary(path.parent, data, mode, durable) as temp:
            try:
                path.hardlink_to(temp)
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                # Without hard links, as on exFAT, a process in the same moment is overwritten.
                if os.path.lexists(path):
                    return False
                temp.replace(path)
    return True


@contextmanager
def _temporary(
    folder: Path, data: bytes | Iterable[bytes], mode: int, durable: bool, like: os.stat_result | None = None
) -> Iterator[Path]:
    """A new file, with the mode and owner of `like` if that is one, removed in the end unless renamed."""
    path = folder / f".memtui-{os.getpid()}-{os.urandom(6).hex()}.tmp"
    fd = os.open(path, _CREATE, 0o600)
    try:
        try:
            if like is not None and stat.S_ISREG(like.st_mode):
                mode = stat.S_IMODE(like.st_mode)
                with suppress(PermissionError):  # only root may give files away
                    os.fchown(fd, like.st_uid, like.st_gid)
            os.fchmod(fd, mode)
            for part in (data,) if isinstance(data, bytes) else data:
                rest = memoryview(part)
                while rest:
                    rest = rest[os.write(fd, rest) :]
            if durable:
                _flush(fd)
        finally:
            os.close(fd)
        yield path
    finally:
        with suppress(OSError):  # what failed before is to be reported
            path.unlink()
    if durable:
        sync_folder(folder)


def _flush(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


def remove(path: Path, *, within: Path | None = None) -> None:
    with writing(path):
        check_below(path.parent, within)
        path.unlink()


def sync_folder(folder: Path) -> None:
    """Flush the names of a folder to the disk, as far as the system can: they are written all the same."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def sweep_temps(folder: Path, *, within: Path | None = None) -> None:
    """Remove temporary files left behind by killed processes, not those of other programs.

    Never raises: files that cannot be removed stay until the next sweep.
    """
    with suppress(OSError, FileProblem):
        check_below(folder, within)
        for path in [each for each in folder.iterdir() if re.fullmatch(_TEMP_NAME, each.name)]:
            with suppress(OSError):
                if time.time() - path.lstat().st_mtime > LEFT_OVER_SECONDS:
                    path.unlink()


# -- folders -------------------------------------------------------------------------------------------------


def existing_above(folder: Path) -> Path:
    """The folder itself, or its nearest existing ancestor."""
    # Not Path.is_dir, which raises in an unreadable folder.
    return next(place for place in (folder, *folder.parents) if os.path.isdir(place))  # noqa: PTH112


def private_folder(folder: Path, *, within: Path | None = None) -> None:
    """Make `folder` and its missing parents below `within`, for this user alone (0700 whatever the umask).

    A new folder gets a ``.gitignore`` with ``*`` before anything else: captures hold typed text and must not
    get into a repository by accident. Existing folders keep their mode; none below `within` may be a link.
    """
    made = _make_folders(folder, within or existing_above(folder), 0o700)
    with writing(folder):
        if made or all(re.fullmatch(_TEMP_NAME, each.name) for each in folder.iterdir()):
            sweep_temps(folder)
            create_exclusive(folder / ".gitignore", b"*\n")


def shared_folder(folder: Path, *, within: Path) -> None:
    """Make `folder` and its missing parents with the modes of the umask; otherwise as `private_folder`."""
    _make_folders(folder, within, 0o777)


def private_parents(folder: Path) -> None:
    """Make `folder` and its parents for this user: `Path.mkdir` sets the last mode. Raises `OSError`."""
    for each in reversed([each for each in (folder, *folder.parents) if not os.path.lexists(each)]):
        each.mkdir(mode=0o700, exist_ok=True)


def _make_folders(folder: Path, within: Path, mode: int) -> bool:
    """Make the missing folders; whether the last one is new."""
    made = False
    where = within
    for step in _steps_below(folder, within):
        where /= step
        with writing(where):
            made = False
            with suppress(FileExistsError):
                where.mkdir(mode)
                made = True
            if where.is_symlink():
                reason = "is a symbolic link; memtui does not write through links, make it a folder"
                raise FileOutside(where, reason)
            if not where.is_dir():
                raise FileOutside(where, "is not a folder; move it away so that memtui can make one")
            if made and mode == 0o700:  # after a umask such as 0277
                where.chmod(mode)
    return made


def _steps_below(path: Path, within: Path) -> tuple[str, ...]:
    """The components of `path` below `within`; `FileOutside` if it is elsewhere, or climbs with ``..``."""
    try:
        parts = path.relative_to(within).parts
    except ValueError:
        raise FileOutside(path, f"is outside {within}") from None
    if ".." in parts:
        raise FileOutside(path, "contains '..'")
    return parts


def check_below(folder: Path, within: Path | None) -> None:
    """Raise `FileOutside` for a folder that is not below `within`, or only through a symbolic link."""
    if within is None:
        return
    steps = _steps_below(folder, within)
    if os.path.realpath(folder) != os.path.join(os.path.realpath(within), *steps):  # noqa: PTH118
        raise FileOutside(folder, _LINKED)


# -- locks ---------------------------------------------------------------------------------------------------


@contextmanager
def lock(path: Path, *, timeout: float = 2.0, within: Path | None = None) -> Iterator[None]:
    """Hold ``<path>.lock`` during the block, against memtui's other processes and threads.

    It is locked with flock, which the system releases when its process ends, however it ends, and which all
    containers that share the folder see; the mere existence of the file means nothing. On a file system
    without locks it has no effect. `FileLocked` if it is held for longer than `timeout` seconds.
    """
    where = path.with_name(path.name + ".lock")
    deadline = time.monotonic() + timeout
    with writing(where):
        check_below(where.parent, within)
        while (fd := _locked(where)) is None:
            if time.monotonic() >= deadline:
                raise FileLocked(where, "is held by another process; try again when that is done")
            pause()
    try:
        yield
    finally:
        with suppress(OSError):  # before it is released: the next holder makes a file of its own
            where.unlink()
        _close(fd)


def _locked(where: Path) -> int | None:
    """The open and locked file of a lock; None while another process holds it, or has just removed it."""
    fd = os.open(where, OPEN, 0o600)
    with ExitStack() as failing:
        failing.callback(_close, fd)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise FileProblem(where, "is in the way of a lock file; move it away")
        if flock(fd) and is_open(where, fd):
            failing.pop_all()
            return fd
    return None


def _close(fd: int) -> None:
    """Close a file to which nothing was written, so that no error matters."""
    with suppress(OSError):
        os.close(fd)


def is_open(path: Path, fd: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(path.lstat(), os.fstat(fd))
    return False


def flock(fd: int) -> bool:
    """Lock an open file for as long as it is open; False when another process holds the lock."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            return False
        if error.errno not in _NO_LOCKS:
            raise
    return True


def pause() -> None:
    """Wait a moment before trying again: up to 25 ms at random, so that processes do not run in step."""
    time.sleep(0.025 * (1 + os.urandom(1)[0]) / 256)


# -- reading -------------------------------------------------------------------------------------------------


def read_within(path: Path, root: Path, *, limit: int, follow: bool = True) -> bytes:
    """The content of a regular file, at most `limit` bytes, that lies in `root` with links resolved.

    `follow=False` refuses a file that is itself a link; its folder may still be reached through links.
    """
    with reading(path):
        data = _read(_open_within(path, root, follow), limit + 1)
    if len(data) > limit:
        size = f"{limit >> 20} MB" if limit >> 20 else f"{limit >> 10} KB"
        raise FileProblem(path, f"is larger than {size}")
    return data


def head_within(path: Path, root: Path, *, size: int) -> bytes:
    """Return the first `size` bytes of a file within `root`, under the rules of `read_within`."""
    with reading(path):
        return _read(_open_within(path, root, follow=False), size)


def tail_within(path: Path, root: Path, *, size: int) -> bytes:
    """Return the last `size` bytes of a file within `root`, under the rules of `read_within`."""
    with reading(path):
        fd = _open_within(path, root, follow=True)
        os.lseek(fd, max(0, os.fstat(fd).st_size - size), os.SEEK_SET)
        return _read(fd, size)


def heads_within(folder: Path, names: Iterable[str], root: Path, *, size: int) -> Iterator[bytes | None]:
    """The first `size` bytes of many files of a folder, quickly; None where `head_within` would raise."""
    real = None
    with suppress(FileProblem):
        real = resolved_within(folder, root)
    for name in names:
        data, path = None, f"{real}{os.sep}{name}"
        with suppress(FileProblem, OSError, ValueError):
            data = _read(_open_regular(path, path), size) if real else None
        yield data


def resolved_within(path: Path, root: Path) -> Path:
    """The path with every link resolved; `FileOutside` if it leads out of `root`."""
    real = resolved(path)
    if not real.is_relative_to(resolved(root)):
        raise FileOutside(path, "leads out of the project through a symbolic link")
    return real


def resolved(path: Path) -> Path:
    """The path with every link resolved; a `FileProblem` for an impossible one."""
    with reading(path):
        return Path(os.path.realpath(path))


def is_within(path: Path, root: Path) -> bool:
    """Whether `path`, every link resolved, is `root` or below it."""
    with suppress(FileProblem):
        return resolved(path).is_relative_to(resolved(root))
    return False


def _open_within(path: Path, root: Path, follow: bool) -> int:
    top = resolved(root)
    real = resolved(path) if follow else resolved(path.parent) / path.name
    if not real.is_relative_to(top) or real == top:
        raise FileOutside(path, f"leads out of {root}")
    return _open_regular(real, path)


def _open_regular(real: Path | str, path: Path | str) -> int:
    # Checked first: opening a link fails differently on every system, opening a device may have effects.
    mode = os.lstat(real).st_mode
    if not stat.S_ISREG(mode):
        link = "a symbolic link, which memtui does not follow here"
        raise FileProblem(path, f"is {link if stat.S_ISLNK(mode) else 'not a regular file'}")
    return os.open(real, _READ)


def _read(fd: int, size: int) -> bytes:
    """Read `size` bytes, or to the end of the file, and close it."""
    parts: list[bytes] = []
    try:
        while size > 0 and (part := os.read(fd, min(size, 1 << 18))):
            parts.append(part)
            size -= len(part)
    finally:
        os.close(fd)
    return b"".join(parts)
