"""What tests ask of the disk."""

from __future__ import annotations

import stat
from pathlib import Path

DEAD_PID = 2**22 + 1
"""No process has this id: it is above the largest that Linux gives."""


def names(folder: Path) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def mode_of(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)
