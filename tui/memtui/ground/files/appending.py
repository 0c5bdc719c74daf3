"""Logs with one line per entry, bounded in size; one write per line keeps processes from mixing."""

from __future__ import annotations

import os
from pathlib import Path

from memtui.ground.files.locks import flock
from memtui.ground.files.safe import private_parents

# Do not block on a pipe in the log's place, nor follow a link.
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def append_line(path: Path, line: str, *, limit: int) -> bool:
    """Append a line to a log; a log over `limit` bytes is first renamed to `older`.

    Returns:
        Whether the log was renamed, which deletes the previous `older`.

    Raises:
        OSError, ValueError: it cannot be written.
    """
    private_parents(path.parent)
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o600)
    try:
        data = line.encode("utf-8", "replace") + b"\n"
        # One write per line. If a full disk cut off the last line, begin a new one first.
        os.write(fd, data if _ends_line(fd) else b"\n" + data)
        # The log itself is locked, so that only one of several processes renames it.
        if os.fstat(fd).st_size > limit and flock(fd) and _is_named(path, fd):
            path.replace(older(path))
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
    newer = _lines(path, limit)  # first: if a new log is begun meanwhile, lines are read twice, not missed
    return [*_lines(older(path), limit), *newer]


def _lines(path: Path, limit: int) -> list[str]:
    try:
        with path.open("rb") as log:
            return log.read(limit).decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        return []


def _ends_line(fd: int) -> bool:
    size = os.fstat(fd).st_size
    return size == 0 or not hasattr(os, "pread") or os.pread(fd, 1, size - 1) == b"\n"


def _is_named(path: Path, fd: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(fd))
    except FileNotFoundError:
        return False
