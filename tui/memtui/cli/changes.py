"""Recording and undoing the changes of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.ground.clock import system_clock
from memtui.ground.project import memtui_home
from memtui.store.changes import CLI, Changes

if TYPE_CHECKING:
    from memtui.store.history import History


def changes_in(root: Path | None) -> Changes:
    """The recorder of this command's changes, in the project with this root."""
    return Changes(memtui_home(), system_clock, CLI, root)


def history_in(root: Path) -> History:
    """The recorded changes, for undoing them in this project."""
    from memtui.store.history import History  # only undoing needs all stores

    return History(memtui_home(), system_clock, changes_in(root))
