"""Errors, and whether the same thing went well later."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.extract.records import ErrorFact

_COUNT_LIMIT = 1_000
_MESSAGE_LIMIT = 1_000
_TARGET_LIMIT = 500


@dataclass(slots=True, eq=False)
class _Error:
    tool: str
    target: str
    message: str
    timestamp: str
    needs: frozenset[str]
    resolved: bool = False


class ErrorLog:
    """Keeps errors, each with the things that must go well for it to be resolved.

    A thing is a string such as ``edit /a/b.py`` or ``npm test``. A command line of several parts is resolved
    when a later one runs all of them.
    """

    def __init__(self) -> None:
        self._errors: list[_Error] = []
        self._open: dict[str, list[_Error]] = {}

    def failed(self, tool: str, target: str, message: str, needs: frozenset[str], timestamp: str) -> None:
        """Take an error."""
        if len(self._errors) >= _COUNT_LIMIT:
            self._forget(self._errors.pop(0))
        error = _Error(tool, target[:_TARGET_LIMIT], message[:_MESSAGE_LIMIT], timestamp, needs)
        self._errors.append(error)
        for thing in needs:
            self._open.setdefault(thing, []).append(error)

    def succeeded(self, things: frozenset[str]) -> None:
        """Take a success."""
        if self._open:
            for error in [error for thing in things for error in self._open.get(thing, ())]:
                if not error.resolved and error.needs <= things:
                    error.resolved = True
                    self._forget(error)

    @property
    def has_open(self) -> bool:
        """Whether an error waits for a success."""
        return bool(self._open)

    def finish(self) -> tuple[ErrorFact, ...]:
        """All errors, first to last."""
        return tuple(ErrorFact(e.tool, e.target, e.message, e.resolved, e.timestamp) for e in self._errors)

    def _forget(self, error: _Error) -> None:
        for thing in error.needs:
            waiting = self._open.get(thing)
            if waiting and error in waiting:
                waiting.remove(error)
                if not waiting:
                    del self._open[thing]
