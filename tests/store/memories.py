"""Shared by the tests of the memory store."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.project import Home


def home_in(base: Path) -> Home:
    """memtui's own folders in some folder; nothing is made."""
    return Home(base / "data", base / "cache", base / "state", base / "config")
