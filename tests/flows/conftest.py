"""An empty project, and memtui's folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.project import Home, Project
from tests.store.memories import home_in


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "shop"
    root.mkdir()
    return Project(root)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_in(tmp_path / "home")
