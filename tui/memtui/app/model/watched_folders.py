"""The watched folders."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.named import NamedTuple


class Target(NamedTuple):
    """A folder to watch; it need not exist yet."""

    name: str
    folder: Path
    recursive: bool = False
