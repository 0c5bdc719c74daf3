"""The settings in the README: each can be used, and has an effect."""

from __future__ import annotations

import tomllib
from pathlib import Path

from memtui.app.settings import Settings, Warn, load_settings
from memtui.ground.project import Home
from memtui.hooks.records import Report
from memtui.hooks.settings import switched
from memtui.lost.choosing import way_of
from memtui.store.archive_settings import archive_settings

README = Path(__file__).parents[2] / "README.md"


def test_every_setting_in_the_readme_can_be_used(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    home = Home(*(tmp_path / name for name in ("data", "cache", "state", "config")))
    home.config.mkdir()
    (home.config / "config.toml").write_text(text, encoding="utf-8")
    assert {name: set(section) for name, section in tomllib.loads(text).items()} == {
        "app": {"theme"},
        "keys": {"copy_id"},
        "notify": {"bell"},
        "warn": {"at", "bell", "tmux"},
        "hooks": {"capture_manual", "session_states", "typed_commands"},
        "compaction": {"choice"},
        "sync": {"minutes"},
        "resume": {"tmux"},
        "archive": {"keep", "private", "budget_gb"},
    }
    assert load_settings(home) == Settings(
        theme="nord",
        keys={"copy_id": "f5"},
        bell=True,
        new_windows=True,
        warn=Warn((80, 95), bell=True, tmux=True),
        sync_seconds=300.0,
    )
    assert way_of(home) == "small"
    report = Report()
    assert switched("capture_manual", home.config, report, default=False)
    assert not switched("session_states", home.config, report, default=True)
    assert not switched("typed_commands", home.config, report, default=True)
    kept = archive_settings(home)
    assert (kept.keep, len(kept.private), kept.budget) == (False, 1, 5_000_000_000)
