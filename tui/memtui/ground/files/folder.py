"""A folder held open, and reading confined to an allowed one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.ground.files.problems import FileNotRegular, FileOutside, FileProblem, FileTooLarge, reading

# Flags that the system lacks are 0: Windows has none of these.
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_PATIENT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

READ = os.O_RDONLY | _NOFOLLOW | _PATIENT
"""Open for reading: no link is followed, and a pipe without a writer does not block."""

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW
"""Create; fails if the name exists."""

OPEN = os.O_RDWR | os.O_CREAT | _NOFOLLOW | _PATIENT
"""Open for locking or appending, create if missing; for writing, because flock on NFS requires it."""

_HOLDS = os.open in os.supports_dir_fd
"""Whether a `Folder` is held open: Windows can neither open one nor look up a name in it, so paths are joined
there."""

_BLOCK = 1 << 18
_CANNOT_FLUSH = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}

Signature = tuple[int, int, int]
"""(mtime in ns, size, inode): differs whenever the file has changed; the time alone is not enough"""


class Content(NamedTuple):
    """The content of a file, and its signature."""

    data: bytes
    signature: Signature


class Folder:
    """A folder opened once: every name is looked up in it, never along its path. Raises bare `OSError`."""

    def __init__(self, path: Path, *, within: Path | None = None) -> None:
        """Open an existing folder.

        Args:
            path: the folder.
            within: a folder above it; below it no symbolic link is followed.

        Raises:
            FileOutside: `path` is not below `within`.
            OSError: also when a component below `within` is a link (ENOTDIR or ELOOP) or is missing.
        """
        self.path = path
        self._fd: int | None = None
        steps = steps_below(path, within) if within is not None else ()
        if not _HOLDS:
            return
        fd = os.open(path if within is None else within, _FOLDER)
        for step in steps:
            above = fd
            try:
                fd = os.open(step, _FOLDER | _NOFOLLOW, dir_fd=above)
            finally:
                os.close(above)
        self._fd = fd

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *error: object) -> None:
        if self._fd is not None:
            fd, self._fd = self._fd, None
            close(fd)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        return os.open(self._at(name), flags, mode, dir_fd=self._fd)

    def status(self, name: str) -> os.stat_result:
        """The status of `name` itself, links not followed."""
        return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)

    def has(self, name: str) -> bool:
        try:
            self.status(name)
        except FileNotFoundError:
            return False
        return True

    def is_open(self, name: str, fd: int) -> bool:
        """Whether `name` is still the open file."""
        try:
            return os.path.samestat(self.status(name), os.fstat(fd))
        except FileNotFoundError:
            return False

    def replace(self, old: str, new: str, to: Folder | None = None) -> None:
        """Rename `old` over `new`, in this folder or another one."""
        to = to or self
        os.replace(self._at(old), to._at(new), src_dir_fd=self._fd, dst_dir_fd=to._fd)

    def link(self, old: str, new: str) -> None:
        """Give `old` the second name `new`; `FileExistsError` when that is taken."""
        os.link(self._at(old), self._at(new), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def make(self, name: str, mode: int) -> None:
        os.mkdir(self._at(name), mode, dir_fd=self._fd)

    def make_private(self) -> None:
        if self._fd is not None:
            os.fchmod(self._fd, 0o700)

    def unlink(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self._fd)

    def discard(self, name: str) -> None:
        """Remove `name` and ignore errors, for code that already has an error to report."""
        with suppress(OSError):
            self.unlink(name)

    def names(self) -> Iterator[str]:
        return (entry.name for entry in self.entries())

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """The entries of this folder; valid only while it is open, and their `path` must not be used."""
        with os.scandir(self.path if self._fd is None else self._fd) as found:
            yield from found

    def sync(self) -> None:
        """Flush the names of this folder to the disk."""
        if self._fd is not None:
            sync(self._fd)

    def _at(self, name: str) -> str:
        return name if self._fd is not None else str(self.path / name)


def close(fd: int) -> None:
    """Close a file to which nothing was written, so that no error matters."""
    with suppress(OSError):
        os.close(fd)


def sync(fd: int) -> None:
    """Flush to the disk; an error that this kind of file cannot be flushed is ignored."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


def read_up_to(fd: int, size: int) -> bytes:
    """Read `size` bytes, or to the end of the file."""
    parts: list[bytes] = []
    while size > 0 and (part := os.read(fd, min(size, _BLOCK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def steps_below(path: Path, within: Path) -> tuple[str, ...]:
    """The components of `path` below `within`.

    Raises:
        FileOutside: `path` is not below `within`, or climbs with ``..``.
    """
    try:
        parts = path.relative_to(within).parts
    except ValueError:
        raise FileOutside(path, f"is outside {within}") from None
    if ".." in parts:
        raise FileOutside(path, "contains '..'")
    return parts


def read_within(
    path: Path, root: Path, *, limit: int, follow: bool = True, inside: Path | None = None
) -> bytes:
    """Return the whole content of a regular file that lies in `root` when every link is resolved.

    The path is resolved once. Its components are then opened one within the other, from `root`, without
    following links: a folder that becomes a link meanwhile is refused.

    Args:
        path: the file.
        root: the folder it must be in, which is trusted.
        limit: the most bytes to accept.
        follow: False refuses a file that is itself a link; its folder may still be reached through links.
        inside: a folder in `root` above `path` that must contain the file, too.

    Raises:
        FileMissing, FileOutside, FileNotRegular, FileTooLarge, FileUnreadable: see there.
    """
    return load_within(path, root, limit=limit, follow=follow, inside=inside).data


def load_within(
    path: Path, root: Path, *, limit: int, follow: bool = True, inside: Path | None = None
) -> Content:
    """Like `read_within`, with the signature of the very file that was read."""
    with reading(path):
        fd = _open_within(path, root, follow, inside)
        try:
            status = os.fstat(fd)
            data = read_up_to(fd, limit + 1)
        finally:
            os.close(fd)
    if len(data) > limit:
        size = next((f"{limit // unit} {name}" for unit, name in _UNITS if limit >= unit), f"{limit} bytes")
        raise FileTooLarge(path, f"is larger than {size}")
    return Content(data, signature_of(status))


_UNITS = ((1 << 20, "MB"), (1 << 10, "KB"))


def head_within(path: Path, root: Path, *, size: int) -> bytes:
    """Return the first `size` bytes of a file within `root`, under the rules of `read_within`."""
    with reading(path):
        fd = _open_within(path, root, follow=False)
        try:
            return read_up_to(fd, size)
        finally:
            os.close(fd)


def tail_within(path: Path, root: Path, *, size: int) -> bytes:
    """Return the last `size` bytes of a file within `root`, under the rules of `read_within`."""
    with reading(path):
        fd = _open_within(path, root, follow=True)
        try:
            os.lseek(fd, max(0, os.fstat(fd).st_size - size), os.SEEK_SET)
            return read_up_to(fd, size)
        finally:
            os.close(fd)


def heads_within(folder: Path, names: Iterable[str], root: Path, *, size: int) -> Iterator[bytes | None]:
    """The first `size` bytes of many files of one folder, at a tenth of the cost of separate calls.

    None where `head_within` would raise.
    """
    try:
        opened = folder_within(folder, root)
    except (FileProblem, OSError):
        yield from (None for _ in names)
        return
    with opened:
        for name in names:
            data = None
            with suppress(FileNotRegular, OSError, ValueError):
                fd = _open_regular(opened, name, folder)
                try:
                    data = read_up_to(fd, size)
                finally:
                    os.close(fd)
            yield data


def folder_within(folder: Path, root: Path) -> Folder:
    """Open a folder that lies in `root` when every link is resolved, under the rules of `read_within`.

    Raises:
        FileOutside: it leads out of `root`.
        OSError: it cannot be opened.
    """
    real, top = resolved(folder), resolved(root)
    if not real.is_relative_to(top):
        raise FileOutside(
            folder, "leads out of the project through a symbolic link; memtui does not look there"
        )
    return Folder(real, within=top)


def signature_of(status: os.stat_result) -> Signature:
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def resolved(path: Path) -> Path:
    """The path with every link resolved; it may be outdated at once: open it component by component.

    Raises:
        FileProblem: it changes meanwhile, or is not a possible path.
    """
    with reading(path):
        return Path(os.path.realpath(path))


def is_within(path: Path, root: Path) -> bool:
    """Whether `path`, every link resolved, is `root` or below it; it may be outdated at once."""
    try:
        return resolved(path).is_relative_to(resolved(root))
    except FileProblem:
        return False


def _open_within(path: Path, root: Path, follow: bool, inside: Path | None = None) -> int:
    top = resolved(root)
    above = resolved(inside) if inside is not None else top
    if not above.is_relative_to(top):
        raise FileOutside(path, f"leads out of {root}")
    if inside is not None:
        path = above.joinpath(*steps_below(path, inside))
    real = resolved(path) if follow else resolved(path.parent) / path.name
    if not real.is_relative_to(above) or real == above:
        raise FileOutside(path, f"leads out of {inside or root}")
    with Folder(real.parent, within=top) as folder:
        return _open_regular(folder, real.name, path)


def _open_regular(folder: Folder, name: str, path: Path) -> int:
    # Checked first: opening a link fails differently on every system, opening a device may have effects.
    mode = folder.status(name).st_mode
    if not stat.S_ISREG(mode):
        raise FileNotRegular(path, f"is {KINDS.get(stat.S_IFMT(mode), 'no regular file')}")
    fd = folder.open(name, READ)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise FileNotRegular(path, "is not a regular file")
    return fd


KINDS = {
    stat.S_IFLNK: "a symbolic link, which memtui does not follow here",
    stat.S_IFDIR: "a folder, not a file",
    stat.S_IFIFO: "a pipe, not a file",
    stat.S_IFSOCK: "a socket, not a file",
}
