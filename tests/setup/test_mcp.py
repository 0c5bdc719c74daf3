"""Registering and removing the MCP server; and the doctor's check of it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.formats.json_text import add_member, root_of, style_of
from memtui.ground.files import FileChanged, FileOutside, FileUnreadable
from memtui.ground.project import Places
from memtui.setup import mcp_check
from memtui.setup.claude_files import Scope
from memtui.setup.command_probe import TrialRun
from memtui.setup.findings import Level
from memtui.setup.install import apply, plan_init, plan_uninstall
from memtui.setup.mcp_approval import APPROVED
from memtui.setup.mcp_check import check_server
from memtui.setup.mcp_entry import Kind, find_server, own_server, shared_server
from memtui.setup.mcp_registration import registered
from tests.disk import mode_of
from tests.setup.conftest import NOW, PYTHON, Run, clock
from tests.setup.strategies import FEW, server_files


def _file(places: Places) -> Path:
    return places.project.root / ".mcp.json"


def _entry(places: Places) -> Any:
    return json.loads(_file(places).read_text())["mcpServers"]["memtui"]


def _user_file(places: Places, content: Mapping[str, Any]) -> Path:
    path = places.claude.parent / ".claude.json"
    path.write_text(json.dumps(content))
    return path


def test_each_scope_has_its_entry(places: Places, init: Run, uninstall: Run) -> None:
    init(Scope.PROJECT)
    assert _entry(places) == own_server(PYTHON)
    assert mode_of(_file(places)) == 0o644
    init(Scope.SHARED)
    assert _entry(places) == shared_server()
    assert init(Scope.PROJECT).changes == ()
    uninstall(Scope.PROJECT)
    assert _entry(places) == shared_server()
    uninstall(Scope.SHARED)
    assert not _file(places).exists()


def test_the_file_comes_back_byte_for_byte(places: Places) -> None:
    (places.project.root / ".git").rmdir()  # or git is asked each time
    path = _file(places)
    seconds = count()

    def ticking() -> datetime:
        return NOW + timedelta(seconds=next(seconds))

    # Tried with files; the texts alone are tried more often in test_mcp_entry.py.
    @FEW
    @given(server_files, st.sampled_from(["nothing", "theirs", "no record"]), st.booleans())
    def check(text: str, meanwhile: str, shared: bool) -> None:
        path.write_bytes(text.encode())
        scope = Scope.SHARED if shared else Scope.PROJECT
        for _ in range(2):
            apply(plan_init(places, scope, python=PYTHON, which="x"), places, ticking)
        installed = path.read_bytes().decode()
        found = find_server(installed)
        assert found is not None and found.kind is (Kind.SHARED if shared else Kind.OWN)
        if meanwhile == "theirs":
            theirs = add_member(installed, root_of(installed), "theirs", {"a": []}, style_of(installed))
            path.write_bytes(theirs.encode())
        if meanwhile == "no record":
            for record in (places.home.state / "installed").glob("*.json"):
                record.unlink()
        apply(plan_uninstall(places, scope), places, ticking)
        after = path.read_bytes().decode()
        assert find_server(after) is None
        if meanwhile == "nothing":
            assert after == text
        if meanwhile == "theirs":
            mixed = {**json.loads(text.removeprefix("\ufeff")), "theirs": {"a": []}}
            assert json.loads(after.removeprefix("\ufeff")) == mixed

    check()


@pytest.mark.parametrize("text", ["{,}", '{"mcpServers": []}', "\xff", "[1]"])
def test_invalid_server_files_are_untouched(places: Places, text: str) -> None:
    _file(places).write_bytes(text.encode("latin-1"))
    with pytest.raises(FileUnreadable, match=r"\.mcp\.json is not edited: it (is|has) "):
        plan_init(places, Scope.PROJECT)
    assert _file(places).read_bytes() == text.encode("latin-1")
    assert not (places.project.root / ".claude").exists()


def test_a_link_out_of_the_project_is_refused(places: Places, tmp_path: Path) -> None:
    _file(places).symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(FileOutside):
        plan_init(places, Scope.SHARED)


def test_a_committed_file_gets_no_path_of_this_machine(places: Places, init: Run) -> None:
    root = places.project.root
    subprocess.run(["git", "init", "-q", str(root)], check=True, timeout=60)
    _file(places).write_text("{}")
    subprocess.run(["git", "-C", str(root), "add", ".mcp.json"], check=True, timeout=60)
    plan = init(Scope.PROJECT)
    assert _file(places).read_text() == "{}"
    note = next(note for note in plan.notes if "is committed" in note)
    assert note.endswith(
        "run: claude mcp add --scope local memtui -- '/opt/my tools/python3' -I -m memtui mcp"
    )
    _user_file(places, {"projects": {str(root): {"mcpServers": {"memtui": {"command": "x"}}}}})
    assert not any("MCP" in note for note in init(Scope.PROJECT).notes)
    init(Scope.SHARED)
    assert _entry(places) == shared_server()


def test_the_users_own_file_is_only_read(places: Places, init: Run, uninstall: Run) -> None:
    path = _user_file(places, {"numStartups": 3})
    before = path.read_bytes()
    assert init(Scope.USER).notes == (
        "to register the MCP server, run: claude mcp add --scope user memtui -- "
        "'/opt/my tools/python3' -I -m memtui mcp",
    )
    assert not _file(places).exists()
    assert path.read_bytes() == before
    _user_file(places, {"mcpServers": {"memtui": own_server(PYTHON)}})
    assert init(Scope.USER).notes == ()
    assert uninstall(Scope.USER).notes == (
        "the MCP server stays registered; to remove it, run: claude mcp remove --scope user memtui",
    )


@pytest.mark.parametrize("content", ["", "[]", "{", '{"projects": 3}', '{"mcpServers": {"memtui": null}}'])
def test_a_strange_file_of_the_user_counts_as_none(places: Places, content: str) -> None:
    (places.claude.parent / ".claude.json").write_text(content)
    assert registered(places) == []


Findings = list[tuple[Level, str]]


def _found(places: Places) -> Findings:
    return [
        (finding.level, finding.message)
        for finding in check_server(places, [{APPROVED: ["memtui"]}], {"PATH": "/bin"})
    ]


def _answering(monkeypatch: pytest.MonkeyPatch, apart: TrialRun) -> list[str]:
    tried: list[str] = []

    def run(command: str, path: str, **_: object) -> TrialRun:
        tried.append(command)
        return apart

    monkeypatch.setattr(mcp_check, "run_isolated", run)
    return tried


GOOD = TrialRun("", '{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"memtui"}}}\n')


def test_the_doctor_tries_the_entry(places: Places, init: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found(places) == [(Level.NOTE, "The MCP server is not registered with Claude Code")]
    init(python=sys.executable)
    tried = _answering(monkeypatch, GOOD)
    where = f"{_file(places)} (project)"
    assert _found(places) == [(Level.OK, f"The MCP server answers; registered in {where}")]
    assert tried == [f"{shlex.quote(sys.executable)} -I -m memtui mcp"]
    _answering(monkeypatch, TrialRun("ends with 127"))
    assert _found(places) == [(Level.BROKEN, f"The MCP server of {where} ends with 127")]
    for printed in ("", "hello\n", "[]", '{"result": {"serverInfo": {"name": "other"}}}'):
        _answering(monkeypatch, TrialRun("", printed))
        assert [level for level, _ in _found(places)] == [Level.BROKEN]


def test_the_strongest_entry_is_the_one_that_is_tried(
    places: Places, init: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    init(Scope.SHARED)
    mine = {"mcpServers": {"memtui": own_server(sys.executable)}}
    _user_file(places, {**mine, "projects": {str(places.project.root): mine}})
    tried = _answering(monkeypatch, GOOD)
    assert [level for level, _ in _found(places)] == [Level.OK, Level.NOTE, Level.NOTE]
    assert tried == [f"{shlex.quote(sys.executable)} -I -m memtui mcp"]


def test_the_doctor_tells_of_a_file_that_claude_code_skips(places: Places) -> None:
    _file(places).write_text("{,}")
    assert _found(places) == [(Level.BROKEN, f"{_file(places)} is not valid JSON (line 1)")]
    with pytest.raises(FileUnreadable):
        plan_uninstall(places, Scope.PROJECT)


def test_a_file_that_changes_meanwhile_is_left_alone(places: Places) -> None:
    plan = plan_init(places, Scope.PROJECT, python=PYTHON, which="x")
    _file(places).write_text('{"a": 2}')
    with pytest.raises(FileChanged, match="made by another program"):
        apply(plan, places, clock)
    assert _file(places).read_text() == '{"a": 2}'
