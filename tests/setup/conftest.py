"""A project with memtui's and Claude Code's folders, and a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.ground.project import Places, Project, claude_config, memtui_home
from memtui.setup import hooks_check, mcp_check
from memtui.setup.claude_files import Scope
from memtui.setup.install import Plan, apply, plan_init, plan_uninstall

NOW = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
Probes = list[tuple[str, str]]
PYTHON = "/opt/my tools/python3"


def clock() -> datetime:
    return NOW


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A project that is a git repository without a commit, and empty folders."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    return Places(Project(root), memtui_home(), claude_config())


Run = Callable[..., Plan]


@pytest.fixture
def init(places: Places) -> Run:
    """Plan and apply an `init`; returns the plan."""

    def run(scope: Scope = Scope.PROJECT, python: str = PYTHON) -> Plan:
        plan = plan_init(places, scope, python=python, which="/bin/memtui")
        apply(plan, places, clock)
        return plan

    return run


@pytest.fixture
def uninstall(places: Places) -> Run:
    """Plan and apply an `uninstall`; returns the plan."""

    def run(scope: Scope = Scope.PROJECT, *, edited: Collection[Path] = ()) -> Plan:
        plan = plan_uninstall(places, scope, edited=edited)
        apply(plan, places, clock)
        return plan

    return run


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> Probes:
    """Commands and servers are not started, and all is well with them; returns what would have been."""
    asked: Probes = []

    def answer(command: str, path: str) -> str:
        asked.append((command, path))
        return ""

    monkeypatch.setattr(hooks_check, "probe", answer)
    monkeypatch.setattr(mcp_check, "_answers", lambda words, path: "")
    monkeypatch.setattr(hooks_check, "is_this_script", lambda name, path: True)
    return asked
