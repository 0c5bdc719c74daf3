"""``memtui redo``: repeats an undone change."""

from __future__ import annotations

from memtui.cli.undo import redo as command

__all__ = ["command"]
