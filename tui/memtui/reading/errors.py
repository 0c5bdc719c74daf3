"""Tool calls that failed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from memtui.reading.records import ErrorFact, Source

_COUNT_LIMIT = 1_000
_TARGET_LIMIT = 500


class ErrorLog:
    """Keeps the last errors."""

    def __init__(self) -> None:
        self._errors: deque[ErrorFact] = deque(maxlen=_COUNT_LIMIT)

    def resume(self, errors: Iterable[ErrorFact]) -> None:
        """Go on from errors of before."""
        self._errors.extend(errors)

    def failed(self, tool: str, target: str, message: str, source: Source) -> None:
        """Take an error."""
        self._errors.append(ErrorFact(tool, target[:_TARGET_LIMIT], message, source))

    def finish(self) -> tuple[ErrorFact, ...]:
        """The errors, first to last."""
        return tuple(self._errors)
