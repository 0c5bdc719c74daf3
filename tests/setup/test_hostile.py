"""The doctor describes the settings of a cloned repository, but never runs their commands."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.ground.git import git_sees
from memtui.ground.project import Places
from memtui.setup.claude_files import Scope, settings_file
from memtui.setup.command_probe import is_this_python, is_this_script
from memtui.setup.doctor import diagnose
from memtui.setup.findings import Level
from memtui.setup.hook_settings import own_command, shared_command
from memtui.setup.mcp_entry import own_server, shared_server
from tests.setup.conftest import clock


@pytest.fixture
def trap(places: Places) -> Path:
    """A program beside the project that leaves a mark when it is started; its name is `Path.name`."""
    program = places.project.root.parent / "trap"
    program.write_text(f"#!/bin/sh\n: >{shlex.quote(str(program))}.sprung\n")
    program.chmod(0o755)
    return program


def _sprung(trap: Path) -> bool:
    return trap.with_name("trap.sprung").exists()


def _levels(places: Places, check: str, path: str = "/usr/bin:/bin") -> list[Level]:
    found = diagnose(places, clock, {"PATH": path}, "linux")
    return [finding.level for finding in found if finding.check == check]


def _servers(places: Places, entry: object) -> None:
    (places.project.root / ".mcp.json").write_text(json.dumps({"mcpServers": {"memtui": entry}}))


def _hook(places: Places, command: str) -> None:
    path = settings_file(places, Scope.SHARED).path
    path.parent.mkdir(exist_ok=True)
    group = {"matcher": "", "hooks": [{"type": "command", "command": command}]}
    path.write_text(json.dumps({"hooks": {"PreCompact": [group]}}))


def test_a_servers_command_is_started_only_if_it_is_this_memtui(places: Places, trap: Path) -> None:
    words = ["-m", "memtui", "mcp"]
    for entry in (
        {"command": "/usr/bin/env", "args": [f"-S{trap} x", *words]},
        {"command": "/usr/bin/env", "args": [f"-S{trap}", *words]},
        {"command": str(trap), "args": ["-I", *words]},
        {"command": str(trap), "args": ["-P", *words]},
        {"command": "/bin/sh", "args": [f"-c{trap}", *words]},
        {"command": sys.executable, "args": [f"-cimport os; os.system({str(trap)!r})", *words]},
        {"command": sys.executable, "args": ["-I", *words], "env": {"PYTHONSTARTUP": str(trap)}},
        {"command": "./trap", "args": ["mcp"]},
        {"command": str(trap), "args": []},
        {"command": "trap", "args": ["mcp"]},
    ):
        _servers(places, entry)
        assert _levels(places, "mcp", f"{trap.parent}:/usr/bin:/bin")[0] in (Level.NOTE, Level.WARNING), entry
        assert not _sprung(trap), entry


def test_a_program_called_memtui_on_the_path_is_not_started_either(places: Places, trap: Path) -> None:
    folder = places.project.root / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    for name in ("memtui", "memtui-hook"):
        (folder / name).symlink_to(trap)
    _servers(places, shared_server())
    _hook(places, shared_command("pre-compact"))
    assert _levels(places, "mcp", f"{folder}:/usr/bin:/bin") == [Level.WARNING]
    assert _levels(places, "commands", f"{folder}:/usr/bin:/bin") == [Level.WARNING]
    assert _levels(places, "mcp", "/no/such") == _levels(places, "commands", "/no/such") == [Level.BROKEN]
    assert not _sprung(trap)


@pytest.mark.parametrize("isolation", ["-I", "-P"])
def test_a_hooks_interpreter_is_started_only_if_it_is_this_one(
    places: Places, trap: Path, isolation: str
) -> None:
    _hook(places, own_command(str(trap), "pre-compact", isolation))
    assert _levels(places, "commands") == [Level.WARNING]
    _hook(places, own_command(str(trap) + "-gone", "pre-compact", isolation))
    assert _levels(places, "commands") == [Level.BROKEN]
    assert not _sprung(trap)


def test_this_memtui_is_known(tmp_path: Path) -> None:
    python = Path(sys.executable)
    assert is_this_python(str(python))
    assert all(is_this_python(str(each)) for each in python.parent.glob("python3"))
    assert not is_this_python(str(python.resolve())) or python.resolve() == python
    assert is_this_script("memtui-hook", str(python.parent))
    (tmp_path / "memtui-hook").symlink_to(python.parent / "memtui-hook")
    assert is_this_script("memtui-hook", str(tmp_path))
    assert own_server("/x")["args"] == ["-I", "-m", "memtui", "mcp"]


def test_git_starts_nothing_that_a_repository_names(places: Places, trap: Path) -> None:
    """An unpacked archive may bring a .git whose missing .gitignore git would fetch, by any program."""
    root = places.project.root

    def git(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(
            ["git", "-C", str(root), *identity, *words],
            text=True,
            capture_output=True,
            check=True,
            timeout=60,
        )
        return done.stdout.strip()

    git("init", "-q")
    (root / ".gitignore").write_text("x\n")
    git("add", ".")
    git("commit", "-qm", "1")
    blob = git("rev-parse", ":.gitignore")
    git("update-index", "--skip-worktree", ".gitignore")
    (root / ".gitignore").unlink()
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{trap}",
        "protocol.ext.allow": "always",
        "core.fsmonitor": str(trap),
        "core.hooksPath": str(trap.parent),
    }.items():
        git("config", name, value)
    git_sees(root, root / "anything")
    assert not _sprung(trap)


def test_git_is_not_taken_from_the_project(
    places: Places, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = places.project.root
    (root / ".git").mkdir(exist_ok=True)
    (root / "git").symlink_to(trap)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    git_sees(root, root / ".mcp.json")
    assert not _sprung(trap)
