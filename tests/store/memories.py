"""Shared by the tests of the memory store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui.ground.project import Home

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
FIRST = "CMEM-20260102-101500"


def home_in(base: Path) -> Home:
    """memtui's own folders in some folder; nothing is made."""
    return Home(base / "data", base / "cache", base / "state", base / "config")


class Watch:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now.astimezone()

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
