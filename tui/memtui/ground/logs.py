"""Logs of bounded size, and the one of unexpected errors at the boundary of a worker or a call."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from memtui.ground.clock import Clock
from memtui.ground.files import OPEN, FileProblem, flock, is_open, private_parents


def append_line(path: Path, line: str, *, limit: int) -> bool:
    """Append a line to a log; True if it was over `limit` bytes and renamed to `older`. Raises `OSError`."""
    private_parents(path.parent)
    fd = os.open(path, OPEN | os.O_APPEND, 0o600)
    try:
        size = os.fstat(fd).st_size
        whole = not size or os.pread(fd, 1, size - 1) == b"\n"
        # One write, so that lines do not mix; first a line end if a full disk cut off the last line.
        os.write(fd, (b"" if whole else b"\n") + line.encode("utf-8", "replace") + b"\n")
        # The log itself is locked, so that only one of several processes renames it.
        if os.fstat(fd).st_size > limit and flock(fd) and is_open(path, fd):
            path.replace(older(path))
            return True
        return False
    finally:
        os.close(fd)


def older(path: Path) -> Path:
    """Path of the previous log: ``hooks.1.jsonl``."""
    return path.with_name(f"{path.stem}.1{path.suffix}")


def read_lines(path: Path, *, limit: int) -> list[str]:
    """The lines of a log and the one before it, oldest first, `limit` bytes of each; raises `OSError`."""
    lines: list[str] = []
    for each in (path, older(path)):  # if a new log is begun meanwhile, lines are read twice, not missed
        with suppress(FileNotFoundError), each.open("rb") as log:
            lines = [*log.read(limit).decode("utf-8", "replace").split("\n"), *lines]
    return lines


class FailureLog:
    """A text file of unexpected errors, for bug reports."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self._clock = clock

    def record(self, doing: str, error: BaseException) -> bool:
        """Append the error with its traceback; False when even that fails."""
        import traceback  # rarely needed, and hooks wait for this module

        entry = f"{self._clock().isoformat(timespec='seconds')} while {doing}\n"
        entry += "".join(traceback.format_exception(error))
        with suppress(OSError, ValueError):
            append_line(self.path, entry, limit=256 * 1024)
            return True
        return False


def explain(log: FailureLog, doing: str, error: Exception) -> str:
    """The message for the user: memtui's own problems in their words, else a reference to the log."""
    if isinstance(error, FileProblem):
        return f"{error}."
    if isinstance(error, OSError):
        return f"Failed {doing}: {error.filename or ''} {error.strerror or error}.".replace(":  ", ": ")
    recorded = log.record(doing, error)
    where = f"Details are in {log.path}." if recorded else "The details could not be recorded."
    return f"Something is wrong in memtui ({type(error).__name__} while {doing}). {where}"
