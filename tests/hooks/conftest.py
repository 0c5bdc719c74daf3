"""The world of a hook."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hooks.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A project with a session; the test's own process sees it as its hooks do."""
    made = World(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made.claude))
    monkeypatch.setenv("MEMTUI_HOME", str(made.memtui_home))
    return made
