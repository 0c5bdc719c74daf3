"""A project or a home that cannot be written: the start of a session says so, and gives all else."""

from __future__ import annotations

import json

import pytest

from memtui.documents.pins import Pin
from memtui.hooks.records import Report
from memtui.lost.pins import Pins
from tests.faults import read_only
from tests.hooks.world import World


@pytest.mark.parametrize("place", ["project", "home"])
@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_session_starts_with_a_message(world: World, source: str, place: str) -> None:
    Pins(world.project, world.home).add(Pin("Never push to main"))
    folder = world.project.root if place == "project" else world.memtui_home
    report = Report()
    with read_only(folder):
        said = json.loads(world.answer("session-start", report, source=source))
    assert said["systemMessage"].startswith(f"memtui: {folder}/")
    assert " cannot be written: the disk is read-only." in said["systemMessage"]
    assert "the disk is read-only" in report.outcome
    if source in ("clear", "compact"):
        assert "Never push to main" in said["hookSpecificOutput"]["additionalContext"]


def test_a_file_in_the_place_of_a_folder_is_said(world: World) -> None:
    world.put(".project", "")
    said = json.loads(world.answer("session-start", source="resume"))
    assert f"{world.project.compacts} is not in a folder" in said["systemMessage"]


def test_nothing_is_said_or_left_where_all_can_be_written(world: World) -> None:
    for _ in range(2):
        assert world.answer("session-start", source="resume") == ""
        assert [each.name for each in world.project.root.iterdir()] == [".git"]
        assert [each.name for each in world.memtui_home.iterdir()] == ["config"]
    with read_only(world.base):
        assert world.answer("session-start", source="resume", agent_id="a1") == ""
