"""Unexpected errors at the boundary of a worker or a call: logged, and reported in one line."""

from __future__ import annotations

import traceback
from pathlib import Path

from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem, append_line


class FailureLog:
    """A text file of unexpected errors, for bug reports."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self._clock = clock

    def record(self, doing: str, error: BaseException) -> bool:
        """Append the error with its traceback; False when even that fails."""
        entry = f"{self._clock().isoformat(timespec='seconds')} while {doing}\n"
        entry += "".join(traceback.format_exception(error))
        try:
            append_line(self.path, entry, limit=256 * 1024)
        except (OSError, ValueError):
            return False
        return True


def explain(log: FailureLog, doing: str, error: Exception) -> str:
    """The message for the user: memtui's own problems in their words, else a reference to the log."""
    if isinstance(error, FileProblem):
        return f"{error}."
    if isinstance(error, OSError):
        return f"Failed {doing}: {error.filename or ''} {error.strerror or error}.".replace(":  ", ": ")
    where = (
        f"Details are in {log.path}." if log.record(doing, error) else "The details could not be recorded."
    )
    return f"Something is wrong in memtui ({type(error).__name__} while {doing}). {where}"
