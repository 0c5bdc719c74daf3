"""Workflow sessions of a project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.ground.files import FileProblem
from memtui.ground.project import Project
from memtui.store.compact import active_sessions, read_plan


def add(project: Project, name: str, plan: str | None = "plan", age: int = 0) -> Path:
    folder = project.root / ".workflow" / "active" / name
    folder.mkdir(parents=True)
    if plan is not None:
        (folder / "IMPL_PLAN.md").write_bytes(plan.encode())
        os.utime(folder / "IMPL_PLAN.md", (1_000_000 - age, 1_000_000 - age))
    os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_last_changed_comes_first(project: Project) -> None:
    for name, age in (("WFS-b", 10), ("WFS-a", 5), ("WFS-c", 20)):
        add(project, name, age=age)
    (project.root / ".workflow" / "active" / "WFS-file").write_text("no folder")
    (project.root / ".workflow" / "active" / "other").mkdir()
    assert active_sessions(project) == ["WFS-a", "WFS-b", "WFS-c"]
    os.utime(project.root / ".workflow/active/WFS-c/IMPL_PLAN.md", (2_000_000, 2_000_000))
    assert active_sessions(project)[0] == "WFS-c"


def test_a_plan_is_given_as_it_stands(project: Project) -> None:
    add(project, "WFS-计划 1", "## Phase 1\r\n- [ ] a\n\n")
    assert read_plan(project, "WFS-计划 1") == "## Phase 1\r\n- [ ] a\n\n"


@pytest.mark.parametrize("name", ["WFS-b", "", "..", "WFS-a/../WFS-a", "WFS-a/", "WFS-\0", "../WFS-a"])
def test_no_such_session(project: Project, name: str) -> None:
    add(project, "WFS-a")
    with pytest.raises(FileProblem):
        read_plan(project, name)


def test_a_link_out_of_the_project_is_not_followed(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "IMPL_PLAN.md").write_text("secret")
    (project.root / ".workflow" / "active").mkdir(parents=True)
    (project.root / ".workflow" / "active" / "WFS-x").symlink_to(outside)
    with pytest.raises(FileProblem):
        read_plan(project, "WFS-x")


def test_a_plan_that_is_far_too_large(project: Project) -> None:
    add(project, "WFS-a", "x" * ((1 << 20) + 1))
    with pytest.raises(FileProblem, match="larger than"):
        read_plan(project, "WFS-a")
