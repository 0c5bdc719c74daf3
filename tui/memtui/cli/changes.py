"""What the command line records of its changes."""

from __future__ import annotations

from pathlib import Path

from memtui.clock import system_clock
from memtui.project import memtui_home
from memtui.store.changes import CLI, Changes


def changes_in(root: Path | None) -> Changes:
    """Records the changes of this command, which is about the project of this root."""
    return Changes(memtui_home(), system_clock, CLI, root)
