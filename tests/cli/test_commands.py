"""`memtui command`: activate, list, clear."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from memtui.cli import command
from memtui.ground.project import Project
from memtui.store import commands_file
from tests.cli.conftest import Memtui, Result

NOW = datetime(2025, 12, 22, 2, 16, 52, 89_000, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "system_clock", lambda: NOW)
    monkeypatch.setattr(command, "_PATIENCE", 1.0)
    monkeypatch.setattr(commands_file, "STILL_SECONDS", 0.0)


def _names(project: Project) -> list[str]:
    return [each["name"] for each in json.loads(project.session_state_json.read_text())["active_commands"]]


def _rules(project: Project, name: str, text: str = "x") -> None:
    """A command file with these rules."""
    path = project.command_folders[1] / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<!-- COMPACT_SUMMARY_START -->{text}<!-- COMPACT_SUMMARY_END -->")


def test_a_step_0(memtui: Memtui, project: Project) -> None:
    _rules(project, "babysit")
    assert memtui("command", "activate", "babysit", "--state", '{"step": 1}') == Result(
        0, "/babysit is active.\n", ""
    )
    assert memtui("command", "activate", "/agileflow:babysit").out == "/babysit is active already.\n"
    refused = memtui("command", "activate", "nosuch")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.endswith(
        "nosuch.md is neither in .agileflow/commands, .claude/commands nor in ~/.claude/commands.\n"
    )
    assert memtui("command", "activate", "babysitt").err.endswith(" Did you mean /babysit?\n")
    assert refused.err.endswith("nor in ~/.claude/commands.\n")
    _rules(project, "research/ask")
    assert memtui("command", "activate", "research/ask").code == 0
    (project.command_folders[1] / "bare.md").write_text("x")
    assert "Note: " in memtui("command", "activate", "bare").out
    memtui("command", "clear", "bare")
    assert json.loads(project.session_state_json.read_text()) == {
        "active_commands": [
            {"name": "babysit", "activated_at": "2025-12-22T02:16:52.089Z", "state": {"step": 1}},
            {"name": "research/ask", "activated_at": "2025-12-22T02:16:52.089Z", "state": {}},
        ]
    }


@pytest.mark.parametrize(("state", "says"), [("{", "this is not JSON"), ("[]", "an object is wanted")])
def test_a_state_is_an_object(memtui: Memtui, project: Project, state: str, says: str) -> None:
    result = memtui("command", "activate", "babysit", "--state", state)
    assert result.code == 2
    assert says in result.err
    assert not project.session_state_json.exists()


def test_a_name_that_is_none(memtui: Memtui, project: Project) -> None:
    result = memtui("command", "activate", "../x")
    assert result == Result(1, "", "memtui: ../x is no name of a command file, so none is looked for.\n")


def test_list(memtui: Memtui, project: Project) -> None:
    assert memtui("command", "list").out == "No command is active in shop.\n"
    assert json.loads(memtui("command", "list", "--json").out) == []
    _rules(project, "babysit")
    for name in ("babysit", "epic"):
        _rules(project, name)
        memtui("command", "activate", name)
    (project.command_folders[1] / "epic.md").unlink()
    first, second = memtui("command", "list").out.splitlines()
    assert first == "babysit\t2025-12-22 02:16\t.agileflow/commands/babysit.md"
    assert second.startswith("epic\t2025-12-22 02:16\tis neither in ")
    listed = json.loads(memtui("command", "list", "--json").out)
    assert listed[0] == {
        "name": "babysit",
        "activated_at": "2025-12-22T02:16:52.089000+00:00",
        "state": {},
        "summary": ".agileflow/commands/babysit.md",
        "note": "",
        "problem": "",
    }
    assert listed[1]["summary"] == "" and listed[1]["problem"].startswith("is neither in ")


def test_rules_that_have_no_room_together_are_said_to_be_shortened(memtui: Memtui, project: Project) -> None:
    for name, size in (("a", 200), ("b", 20_000), ("c", 20_000)):
        _rules(project, name, "r" * size)
        memtui("command", "activate", name)
    room = "room for about 3,340 in a compaction's summary and about 1,650 or more after it"
    notes = [each["note"] for each in json.loads(memtui("command", "list", "--json").out)]
    assert notes == ["", *[f"20,000 characters: {room}"] * 2]
    for name in ("b", "c"):
        _rules(project, name, "r" * 2_000)
    assert memtui("command", "list").out.count("2,000 characters: room for about 1,650 or more after a") == 2


def test_clear(memtui: Memtui, project: Project) -> None:
    for name in ("a", "b", "c"):
        _rules(project, name)
        memtui("command", "activate", name)
    assert memtui("command", "clear", "/b").out == "Cleared /b.\n"
    assert _names(project) == ["a", "c"]
    result = memtui("command", "clear", "b")
    assert (result.code, result.out) == (1, "")
    assert "has no command b active any more" in result.err
    assert memtui("command", "clear").out == "Cleared /a, /c.\n"
    assert _names(project) == []
    assert memtui("command", "clear") == Result(0, "No command is active in shop.\n", "")


def test_a_broken_file_is_reported(memtui: Memtui, project: Project) -> None:
    project.session_state_json.parent.mkdir(parents=True)
    project.session_state_json.write_text("{")
    _rules(project, "a")
    for words in (("activate", "a"), ("list",), ("clear",), ("clear", "a")):
        result = memtui("command", *words)
        assert (result.code, result.out) == (1, "")
        assert "is broken: it is not valid JSON" in result.err


def test_as_json(memtui: Memtui, project: Project) -> None:
    _rules(project, "babysit")
    added = json.loads(memtui("command", "activate", "babysit", "--json").out)
    assert (added["operation"], added["name"], added["added"]) == ("activate", "babysit", True)
    assert added["note"] == ""
    assert not json.loads(memtui("command", "activate", "babysit", "--json").out)["added"]
    for cleared in (["babysit"], []):
        answer = json.loads(memtui("command", "clear", "--json").out)
        assert answer == {"operation": "clear", "cleared": cleared}
