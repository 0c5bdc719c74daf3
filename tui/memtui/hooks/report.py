"""The work and the problems of a hook's run, collected for the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from memtui.ground.clean import clean_line

_LONGEST = 400


class Report:
    """Filled during the work, so that interrupted runs are logged, too."""

    def __init__(self) -> None:
        self.event = ""
        self.session_id = ""
        self.project = ""
        self.left: Mapping[str, Path] = {}
        """The jobs that entries of Claude Code's settings do; see `settings_entries`."""
        self.logged = False
        """The run was logged."""
        self.messages: list[str] = []
        """Sentences for the person, not for the model."""
        self._done: list[str] = []
        self._problems: list[str] = []
        self._afterwards: list[Callable[[], object]] = []

    def once_printed(self, act: Callable[[], object]) -> None:
        """Register a callback for after printing."""
        self._afterwards.append(act)

    def printed(self) -> None:
        """Run the callbacks: the output is printed."""
        for act in self._afterwards:
            act()
        self._afterwards.clear()

    def add_work(self, what: str) -> None:
        """Add a piece of work that was done."""
        self._done.append(what)

    def problem(self, what: object) -> None:
        """Add a problem; the other work goes on."""
        self._problems.append(str(what))

    @property
    def outcome(self) -> str:
        """`ok`, or every problem."""
        return _line(self._problems) or "ok"

    @property
    def detail(self) -> str:
        """All work that was done."""
        return _line(self._done)


def describe(error: BaseException) -> str:
    """An unexpected error in one line, with its place in the code."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        code = trace.tb_frame.f_code
        where = f" ({code.co_filename.rpartition('memtui')[2].lstrip('/')}:{trace.tb_lineno})"
    return f"{type(error).__name__}: {error}{where}"


def _line(parts: list[str]) -> str:
    return clean_line("; ".join(parts))[:_LONGEST]
