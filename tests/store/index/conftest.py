"""The home folder of a store to index."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.ground.project import Home
from tests.store.corpus import home


@pytest.fixture
def where(tmp_path: Path) -> Home:
    return home(tmp_path)
