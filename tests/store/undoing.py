"""Recording and undoing changes, for tests of code that makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui.ground.clock import Clock
from memtui.ground.project import Home
from memtui.store.change_log import Change
from memtui.store.changes import APP, Changes, Together
from memtui.store.history import History


def noon() -> datetime:
    """A clock that stands still."""
    return datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Undo:
    """One change that can be taken back."""

    label: str
    run: Callable[[], object]


class _Recalling(Changes):
    """Changes that recall the last one made through them."""

    latest: Change

    def record(self, together: Together, *, reverts: str = "", final: str = "") -> Change | None:
        change = super().record(together, reverts=reverts, final=final)
        if change is not None:
            self.latest = change
        return change


class Undoing:
    """The changes in one project."""

    def __init__(self, home: Home, root: Path, *, by: str = APP, clock: Clock = noon) -> None:
        self.changes = _Recalling(home, clock, by, root)
        self.history = History(home, clock, self.changes)

    def undo(self, work: Callable[[], object]) -> Undo:
        """Do something, and return how it is taken back, whatever other processes change meanwhile."""
        work()
        return self._undo_of(self.changes.latest)

    def last(self) -> Undo:
        """The last change."""
        return self._undo_of(self.history.all()[0].change)

    def _undo_of(self, change: Change) -> Undo:
        return Undo(change.what, lambda: self.history.revert(change.id))

    @property
    def listed(self) -> list[str]:
        """The changes made, newest first."""
        return [each.change.what for each in self.history.all()]
