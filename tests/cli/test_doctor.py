"""`memtui doctor`: findings for people and programs, and the exit code."""

from __future__ import annotations

import json

import pytest

from memtui.cli import doctor
from memtui.ground.project import Project
from memtui.setup import hooks_check, mcp_check
from tests.cli.conftest import Memtui


@pytest.fixture(autouse=True)
def _no_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks_check, "probe", lambda command, path: "")
    monkeypatch.setattr(mcp_check, "_answers", lambda words, path: "")


def test_each_finding_says_what_to_do(memtui: Memtui, project: Project) -> None:
    result = memtui("doctor")
    assert (result.code, result.err) == (0, "")
    assert "\nwarning  hooks: memtui is not installed into Claude Code: " in result.out
    assert "\n         Run `memtui init`.\n" in result.out


def test_memories_of_the_project_that_cannot_be_taken_in_are_named(memtui: Memtui, project: Project) -> None:
    project.shared.mkdir(parents=True)
    for number in range(7):
        (project.shared / f"CMEM-20260102-00000{number}@laptop.md").write_text("x")
    memtui("memory", "list")
    lines = [line for line in memtui("doctor").out.splitlines() if "shared" in line]
    assert len(lines) == 6
    assert lines[0].startswith(f"warning  shared memories: {project.shared}/CMEM-20260102-00000")
    assert lines[0].endswith("is not a shared memory: it has no front matter")
    assert lines[5] == "note     shared memories: 2 more cannot be taken in"


def test_something_broken_ends_with_1(memtui: Memtui, project: Project) -> None:
    (project.root / ".claude").mkdir()
    (project.root / ".claude" / "settings.json").write_text("{")
    result = memtui("doctor")
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith("broken   settings: ")
    assert memtui("doctor", "--json").code == 1


def test_a_person_sees_what_is_being_checked_and_a_program_does_not(
    memtui: Memtui, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memtui("doctor").err == ""
    monkeypatch.setattr(doctor, "is_terminal", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    shown = memtui("doctor").err.split("\r\x1b[K")
    assert "checking the settings ..." in shown
    assert shown[-1] == ""  # nothing of it stays


def test_a_program_gets_a_list(memtui: Memtui, project: Project) -> None:
    memtui("init", "--yes")
    result = memtui("doctor", "--json")
    found = json.loads(result.out)
    assert result.code == 0
    assert all(list(finding) == ["check", "level", "message", "advice"] for finding in found)
    assert {finding["level"] for finding in found} == {"ok", "note"}
    assert [finding["level"] for finding in found if finding["check"] in ("hooks", "commands")] == [
        "ok",
        "ok",
    ]


def test_texts_of_files_are_cleaned(memtui: Memtui, project: Project) -> None:
    (project.root / ".claude").mkdir()
    command = "\x1b]0;x\x07 memtui-hook pre-compact"
    hooks = {"PreCompact": [{"matcher": "\x1b[2J\n", "hooks": [{"command": command}]}]}
    (project.root / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    assert "\x1b" not in memtui("doctor").out
