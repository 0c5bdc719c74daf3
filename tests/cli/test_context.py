"""`memtui context` prints what the hook prints."""

from __future__ import annotations

import json

import pytest

from memtui.ground.project import Project, memtui_home
from memtui.hooks.context import context_block
from tests.cli.conftest import Memtui


def test_the_block(memtui: Memtui, project: Project) -> None:
    assert memtui("context").out == context_block(project, memtui_home())
    assert memtui("context").out.startswith("SHOP PROJECT CONTEXT (preserve during compact):\n====")


@pytest.mark.parametrize(("profile", "name"), [("agileflow", "AGILEFLOW"), ("plain", "SHOP")])
def test_a_profile(memtui: Memtui, project: Project, profile: str, name: str) -> None:
    (project.root / ".agileflow").mkdir()
    assert memtui("context").out.startswith("AGILEFLOW PROJECT CONTEXT")
    assert memtui("context", "--profile", profile).out.startswith(f"{name} PROJECT CONTEXT")
    assert memtui("context", "--profile", "other").code == 2


def test_another_project(memtui: Memtui, project: Project) -> None:
    other = project.root.parent / "other"
    (other / ".git").mkdir(parents=True)
    assert memtui("context", "--root", str(other)).out.startswith("OTHER PROJECT CONTEXT")


def test_as_json(memtui: Memtui, project: Project) -> None:
    answer = json.loads(memtui("context", "--json").out)
    assert answer == {"project": str(project.root), "text": context_block(project, memtui_home())}
