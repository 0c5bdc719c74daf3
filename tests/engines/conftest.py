"""A stand-in for `claude` that is the only one on PATH."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engines.stand_in import StandIn, stand_in


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = stand_in(tmp_path / "claude")
    monkeypatch.setenv("PATH", f"{made.folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return made
