"""Helpers for tests that look at the disk."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

DEAD_PID = 2**22 + 1
"""No process has this id: it is above the largest that Linux gives."""


def age(folder: Path, seconds: float = 24 * 3600) -> None:
    """Let what killed processes have left anywhere in a folder be as old as if they had died long ago."""
    for path in (*folder.rglob(".memtui-*.tmp"), *folder.rglob("session-state.json.lock")):
        then = path.lstat().st_mtime - seconds
        os.utime(path, (then, then), follow_symlinks=False)


def names(folder: Path) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def mode_of(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def without_flushing(set_attribute: Callable[[object, str, object], None] = setattr) -> None:
    """Let flushing do nothing: what a test looks at never is a disk after a power failure."""
    set_attribute(os, "fsync", lambda fd: None)


_MEMORY = Path("/dev/shm")
_ROOM = 1 << 30


def use_memory() -> None:
    """Put temporary files into memory where Linux offers a gigabyte of it that programs may run from.

    SQLite, PostgreSQL and git wait for the disk whenever they write. TMPDIR chooses another place.
    """
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK):
        return
    if os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC or shutil.disk_usage(_MEMORY).free < _ROOM:
        return
    os.environ["TMPDIR"] = str(_MEMORY)
    tempfile.tempdir = None
