"""A manual compaction is captured only where the person wants it."""

from __future__ import annotations

import pytest

from memtui.hooks.records import Report
from tests.hooks.world import World


def _config(world: World, text: str) -> None:
    (world.home.config / "config.toml").write_text(text)


def test_a_manual_compaction_is_not_captured(world: World) -> None:
    assert world.within("pre-compact", trigger="manual").startswith("HARBOR PROJECT CONTEXT")
    assert world.captures == []


def test_unless_the_person_says_so(world: World) -> None:
    _config(world, "[hooks]\ncapture_manual = true\n")
    world.within("pre-compact", trigger="manual")
    assert len(world.captures) == 1


@pytest.mark.parametrize(
    "text",
    ["[hooks]\ncapture_manual = 1", "[hooks]\n", "hooks = 3", "capture_manual = true", "[hooks", "\x00"],
)
def test_any_other_setting_is_no(world: World, text: str) -> None:
    _config(world, text)
    report = Report()
    assert world.within("pre-compact", report, trigger="manual")
    assert world.captures == []
    assert (report.outcome == "ok") == text.startswith("[hooks]")


@pytest.mark.parametrize("name", [".memtui.toml", "config.toml", ".memtui/config.toml"])
def test_a_project_cannot_say_so(world: World, name: str) -> None:
    world.put(name, "[hooks]\ncapture_manual = true\n")
    world.within("pre-compact", trigger="manual")
    assert world.captures == []
