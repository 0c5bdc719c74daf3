"""Replacing a file that other programs write, too, without losing their writes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from memtui.ground.files.atomic import write_temp
from memtui.ground.files.folder import READ, Folder, read_up_to
from memtui.ground.files.problems import FileChanged, reading, writing

_REST_SECONDS = 0.05
"""Seconds without a change after which a file is not being written."""

_MOST = 64 << 20
"""Maximum size in bytes of files that are compared."""


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

    def settled(
        self, pauses: Iterable[float], is_whole: Callable[[bytes], bool] = lambda content: False
    ) -> bytes | None:
        """Another program's write into the old file, once complete or unchanging; None if there is none.

        Args:
            pauses: seconds to wait before each check; the first check that finds something is the last.
            is_whole: whether a content is complete, so that there is no need to wait for it to stop changing.

        Raises:
            FileUnreadable: the system refuses to read it.
        """
        for pause in pauses:
            time.sleep(pause)
            late = self.late()
            if late is None:
                continue
            while late is not None and not is_whole(late):
                time.sleep(_REST_SECONDS)
                before, late = late, self.late()
                if before == late:
                    break
            return late
        return None

    def late(self) -> bytes | None:
        """The content written into it since it was replaced; None if there is none.

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
    path: Path,
    data: bytes,
    *,
    expected: bytes,
    mode: int | None = None,
    within: Path | None = None,
    durable: bool = True,
) -> Replaced:
    """Replace a file that others write, too, if it still holds `expected`.

    Args:
        path: an existing file.
        data: its whole new content.
        expected: its content as last read.
        mode: its new mode; None keeps mode and owner.
        within: a folder above `path`; below it no symbolic link is followed.
        durable: flush before and after, which takes long in comparison with the replacement.

    Returns:
        The old file, to be checked for late writes, and to be closed.

    Raises:
        FileChanged: it does not hold `expected`; nothing was changed.
        FileProblem: see `write_atomic`.
    """
    with writing(path), Folder(path.parent, within=within) as folder:
        like = folder.status(path.name) if mode is None else None
        temp = write_temp(folder, data, mode=mode, like=like, durable=durable)
        try:
            old = _swap(folder, temp, path, expected)
        except BaseException:
            folder.discard(temp)
            raise
        if durable:
            with suppress(OSError):  # it is replaced, whether flushed or not
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
