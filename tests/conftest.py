"""What every test shares: no test sees the developer's machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "memtui", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], max_examples=100
)
settings.load_profile("memtui")


@pytest.fixture(autouse=True)
def _isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test an empty home, a fixed zone and locale, and no terminal settings of the developer's."""
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MEMTUI_HOME", str(home / "memtui"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    for name in (
        "TMUX",
        "SSH_CONNECTION",
        "SSH_TTY",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "NO_COLOR",
        "EDITOR",
        "VISUAL",
    ):
        monkeypatch.delenv(name, raising=False)
