"""A home of memtui, and a project with the folder of captures."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.project import Home, Project
from tests.store.captures import make_project
from tests.store.memories import home_in


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_in(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "app")
