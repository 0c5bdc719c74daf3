"""A folder held open, so that all work stays in it even if its path changes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from memtui.ground.files.problems import FileOutside

# Flags that the system lacks are 0: Windows has none of these.
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)

_PATIENT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

READ = os.O_RDONLY | _NOFOLLOW | _CLOEXEC | _BINARY | _PATIENT
"""Open for reading: no link is followed, and a pipe without a writer does not block."""

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC | _BINARY
"""Create; fails if the name exists."""

LOCK = os.O_RDWR | os.O_CREAT | _NOFOLLOW | _CLOEXEC | _BINARY | _PATIENT
"""Open for locking, create if missing; for writing, because flock on NFS requires it."""

CHECKS_LINKS = os.open in os.supports_dir_fd and bool(_DIRECTORY)
"""Whether a `Folder` is held open, and refuses links: Windows can neither open a folder nor look up a name in
one, so paths are joined there."""

_BLOCK = 1 << 18
_FSYNC_UNSUPPORTED = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}


class Folder:
    """A folder opened once; every name is looked up in it, never along its path again.

    Raises bare `OSError`: callers add the context.
    """

    def __init__(self, path: Path, *, within: Path | None = None) -> None:
        """Open `path`.

        Args:
            path: an existing folder.
            within: a folder above it; below it no symbolic link is followed.

        Raises:
            FileOutside: `path` is not below `within`.
            OSError: also when a component below `within` is a link (ENOTDIR or ELOOP) or is missing.
        """
        self.path = path
        self._fd = _open_folder(path, within)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with suppress(OSError):  # nothing was written to it, so nothing can be lost
                os.close(fd)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open `name` in this folder; returns the descriptor."""
        return os.open(self._at(name), flags, mode, dir_fd=self._fd)

    def status(self, name: str) -> os.stat_result:
        """The status of `name` itself, links not followed."""
        return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)

    def replace(self, old: str, new: str) -> None:
        """Rename `old` over `new`."""
        os.replace(self._at(old), self._at(new), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def move(self, name: str, to: Folder, new: str) -> None:
        """Rename `name` to `new` in another folder, replacing an existing file."""
        os.replace(self._at(name), to._at(new), src_dir_fd=self._fd, dst_dir_fd=to._fd)

    def link(self, old: str, new: str) -> None:
        """Give `old` the second name `new`; `FileExistsError` when that is taken."""
        os.link(self._at(old), self._at(new), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def make(self, name: str, mode: int = 0o700) -> None:
        """Create a subfolder, by default for this user alone."""
        os.mkdir(self._at(name), mode, dir_fd=self._fd)

    def make_private(self) -> None:
        """Remove the access of all other users."""
        if self._fd is not None:
            os.fchmod(self._fd, 0o700)

    def unlink(self, name: str) -> None:
        """Remove `name`."""
        os.unlink(self._at(name), dir_fd=self._fd)

    def discard(self, name: str) -> None:
        """Remove `name` and ignore errors, for code that already has an error to report."""
        try:
            self.unlink(name)
        except OSError:
            return

    def names(self) -> Iterator[str]:
        """The names in this folder."""
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


def sync(fd: int) -> None:
    """Flush to the disk; an error that this kind of file cannot be flushed is ignored."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _FSYNC_UNSUPPORTED:
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


def _open_folder(path: Path, within: Path | None) -> int | None:
    steps = steps_below(path, within) if within is not None else ()
    if not CHECKS_LINKS:
        return None
    flags = os.O_RDONLY | _DIRECTORY | _CLOEXEC
    fd = os.open(path if within is None else within, flags)
    for step in steps:
        above = fd
        try:
            fd = os.open(step, flags | _NOFOLLOW, dir_fd=above)
        finally:
            os.close(above)
    return fd
