"""Errors, and whether the same thing went well later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui.reading.records import ErrorFact, Source
from memtui.reading.selections import covers, picked

_COUNT_LIMIT = 1_000
_TARGET_LIMIT = 500


@dataclass(slots=True, eq=False)
class _Error:
    tool: str
    target: str
    message: str
    source: Source
    kind: str
    needs: frozenset[str]
    resolved: bool = False


class ErrorLog:
    """Keeps errors, each with the things of a kind that must go well for it to be resolved.

    Things are files (kinds ``edit`` and ``read``), parts of a command line (``command``) or tools (``tool``).
    A command line of several parts is resolved when a later one runs all of them.
    """

    def __init__(self) -> None:
        self._errors: list[_Error] = []
        self._open: dict[str, dict[str, list[_Error]]] = {}
        self.any_open = False
        """Whether an error may still be waiting for a success."""

    def failed(
        self, tool: str, target: str, message: str, wanted: tuple[str, frozenset[str]], source: Source
    ) -> None:
        """Take an error; `wanted` is the kind and the things that resolve it."""
        if len(self._errors) >= _COUNT_LIMIT:
            self._forget(self._errors.pop(0))
        kind, needs = wanted
        error = _Error(tool, target[:_TARGET_LIMIT], message, source, kind, needs)
        self._errors.append(error)
        self.any_open = True
        for thing in needs:
            self._open.setdefault(kind, {}).setdefault(thing, []).append(error)

    def resume(self, errors: Iterable[tuple[ErrorFact, tuple[str, frozenset[str]]]]) -> None:
        """Go on from errors of before, each with the kind and the things that resolve it."""
        for error, wanted in errors:
            self.failed(error.tool, error.target, error.message, wanted, error.source)
            if error.resolved:
                self._errors[-1].resolved = True
                self._forget(self._errors[-1])

    def succeeded(self, kind: str, things: frozenset[str], command: str = "") -> None:
        """Take a success; `command` is the command line that went well."""
        waiting = self._open.get(kind)
        if waiting:
            tests = picked(command)
            for error in [error for thing in things for error in waiting.get(thing, ())]:
                shown = error.needs <= things and covers(tests, picked(error.target), error.message)
                if shown and not error.resolved:
                    error.resolved = True
                    self._forget(error)

    def has_open(self, kind: str) -> bool:
        """Whether an error of this kind waits for a success."""
        return bool(self._open.get(kind))

    def finish(self) -> tuple[ErrorFact, ...]:
        """All errors, first to last."""
        return tuple(ErrorFact(e.tool, e.target, e.message, e.resolved, e.source) for e in self._errors)

    def _forget(self, error: _Error) -> None:
        waiting = self._open.get(error.kind, {})
        for thing in error.needs:
            errors = waiting.get(thing)
            if errors and error in errors:
                errors.remove(error)
                if not errors:
                    del waiting[thing]
