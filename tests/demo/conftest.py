"""A demo on the disk, at a fixed time."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path

import pytest

from memtui.demo.build import DemoProject, build_demo

NOW = datetime(2026, 3, 5, 14, 20, 7, tzinfo=timezone(timedelta(hours=1)))


def clock() -> datetime:
    return NOW


@cache
def _built(base: Path) -> tuple[DemoProject, Path]:
    """A demo, and a copy of its folder."""
    folder = base / "demo"
    folder.mkdir(parents=True)
    demo = build_demo(folder, clock)
    return demo, shutil.copytree(folder, base / "copy", symlinks=True)


@pytest.fixture
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoProject:
    """The same demo for all tests, with nothing that an earlier one has changed."""
    demo, copy = _built(tmp_path_factory.getbasetemp() / "tests-demo")
    shutil.rmtree(demo.folder)
    shutil.copytree(copy, demo.folder, symlinks=True)
    return demo
