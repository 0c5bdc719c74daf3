"""Errors about one file, each a sentence that names the file and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
    """A problem with one file, for people to read: ``str()`` is a sentence without its full stop.

    Attributes:
        path: the file or folder it is about.
        reason: the sentence without its subject, as a list row shows it: ``is larger than 1 MB``.
    """

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = Path(path)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"


class FileMissing(FileProblem):
    """There is no such file."""


class FileOutside(FileProblem):
    """The path leaves the folder it has to stay in, or passes through a symbolic link."""


class FileNotRegular(FileProblem):
    """There is a folder, a pipe, a device or a link where a regular file should be."""


class FileTooLarge(FileProblem):
    """The file is larger than its reader allows."""


class FileUnreadable(FileProblem):
    """The system refuses to read it."""


class FileUnwritable(FileProblem):
    """The system refuses to write it; what was there before is still there."""


class FileLocked(FileProblem):
    """Another process holds the lock for longer than we wait."""


class FileChanged(FileProblem):
    """The file has changed since it was read; nothing was written."""


def os_error_reason(error: OSError) -> str:
    """The reason in an `OSError`, with advice where there is some."""
    return _ADVICE.get(error.errno or 0) or (error.strerror or str(error)).lower()


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Turn an `OSError` while reading `path` into a `FileProblem`."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise _problem(path, error, FileUnreadable, "does not exist", "cannot be read") from error


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Turn an `OSError` while writing `path` into a `FileProblem`."""
    missing, refused = "cannot be written: its folder does not exist", "cannot be written"
    try:
        yield
    except (OSError, ValueError) as error:
        raise _problem(path, error, FileUnwritable, missing, refused) from error


def _problem(
    path: Path | str, error: OSError | ValueError, kind: type[FileProblem], missing: str, refused: str
) -> FileProblem:
    if not isinstance(error, OSError):
        return FileOutside(path, "is not a possible path")  # a NUL in it
    if isinstance(error, FileNotFoundError):
        return FileMissing(path, missing)
    if error.errno == errno.ELOOP:  # raised by O_NOFOLLOW
        return FileOutside(path, "is reached through a symbolic link, which memtui does not follow here")
    if error.errno == errno.ENOTDIR:
        return FileOutside(path, "is not in a folder: a part of its path is a file or a link")
    if error.errno == errno.ENXIO or isinstance(error, IsADirectoryError):
        return FileNotRegular(path, "is not a regular file")
    return kind(path, f"{refused}: {os_error_reason(error)}")
