"""The folders whose changes the app shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Target:
    """A folder to watch; it need not exist yet."""

    name: str
    folder: Path
    recursive: bool = False
