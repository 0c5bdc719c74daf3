"""Approving the MCP server in the user's local settings, and undoing it to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.ground.project import Places
from memtui.setup import mcp_check
from memtui.setup.claude_files import Scope
from memtui.setup.command_probe import TrialRun
from memtui.setup.findings import Level
from memtui.setup.hook_settings import SettingsProblem
from memtui.setup.install import plan_init
from memtui.setup.mcp_approval import APPROVED, approve, withdraw
from memtui.setup.mcp_check import check_server
from tests.setup.conftest import Run


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}\r\n',
        "{}",
        '{"enabledMcpjsonServers":["x"]}',
        '{\n\t"enabledMcpjsonServers": []\n}',
        "\ufeff{}",
    ],
)
def test_approved_and_withdrawn(text: str) -> None:
    done = approve(text)
    assert json.loads(done.text.removeprefix("\ufeff"))[APPROVED][-1] == "memtui"
    assert approve(done.text).text == done.text
    assert withdraw(done.text, done.created) == text
    assert "memtui" not in withdraw(done.text, None)


@pytest.mark.parametrize(
    "text",
    [
        '{"enabledMcpjsonServers": ["memtui"]}',
        '{"enableAllProjectMcpServers": true}',
        '{"disabledMcpjsonServers": ["memtui"]}',
    ],
)
def test_a_persons_own_decision_stays(text: str) -> None:
    assert approve(text) == (text, ())
    assert withdraw(text, ()) == text


def test_a_list_that_is_none_is_not_edited() -> None:
    with pytest.raises(SettingsProblem, match="not a list"):
        approve('{"enabledMcpjsonServers": {}}')


def _approved(places: Places) -> bool:
    path = places.project.root / ".claude" / "settings.local.json"
    return path.exists() and APPROVED in json.loads(path.read_text())


def test_only_a_file_of_ones_own_is_approved(places: Places, init: Run, uninstall: Run) -> None:
    init(Scope.SHARED)
    assert not _approved(places)
    uninstall(Scope.SHARED)
    file = places.project.root / ".mcp.json"
    file.write_text('{"mcpServers": {"memtui": {"command": "/their/own", "args": []}}}')
    init()
    assert not _approved(places)
    file.unlink()
    init()
    assert _approved(places)
    uninstall()
    assert not (places.project.root / ".claude").exists()
    subprocess.run(["git", "init", "-q", str(places.project.root)], check=True, timeout=60)
    init()
    subprocess.run(["git", "-C", str(places.project.root), "add", "-f", ".mcp.json"], check=True, timeout=60)
    (places.project.root / ".claude" / "settings.local.json").unlink()
    init()
    assert not _approved(places)


def test_the_doctor_tells_an_unapproved_server(
    places: Places, init: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    init(python=sys.executable)
    good = TrialRun("", '{"result":{"serverInfo":{"name":"memtui"}}}\n')
    monkeypatch.setattr(mcp_check, "run_isolated", lambda *given, **named: good)

    def level(*settings: dict[str, object]) -> Level:
        (finding,) = check_server(places, settings, {"PATH": "/bin"})
        return finding.level

    assert level() is Level.WARNING
    assert level({APPROVED: ["memtui"]}) is Level.OK
    assert level({"enableAllProjectMcpServers": True}) is Level.OK
    assert level({APPROVED: ["memtui"]}, {"disabledMcpjsonServers": ["memtui"]}) is Level.NOTE
    noted = {"projects": {str(places.project.root): {APPROVED: ["memtui"]}}}
    Path(places.claude.parent / ".claude.json").write_text(json.dumps(noted))
    assert level() is Level.OK


def test_it_is_shown_in_the_plan(places: Places) -> None:
    plan = plan_init(places, Scope.PROJECT, python="/p", which="x")
    assert any(APPROVED.encode() in (change.after or b"") for change in plan.changes)
    plan = plan_init(places, Scope.PROJECT, python="/p", which="x", approving=False)
    assert not any(APPROVED.encode() in (change.after or b"") for change in plan.changes)
