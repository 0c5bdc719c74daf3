"""A demo on the disk, at a fixed time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memtui.demo.build import DemoProject, build_demo

NOW = datetime(2026, 3, 5, 14, 20, 7, tzinfo=timezone(timedelta(hours=1)))


def clock() -> datetime:
    return NOW


@pytest.fixture
def demo(tmp_path: Path) -> DemoProject:
    return build_demo(tmp_path, clock)
