"""Activating commands, under the lock that other programs know, and changing nothing else."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memtui.ground.files import FileLocked
from memtui.ground.project import Project
from memtui.store import commands_file
from memtui.store.commands_file import ABANDONED_SECONDS, CommandsFile, lock_file
from tests.disk import DEAD_PID, age, mode_of, names
from tests.processes import start_together

NOW = datetime(2025, 12, 22, 3, 16, 52, 89_412, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandsFile:
    monkeypatch.setattr(commands_file, "STILL_SECONDS", 0.0)
    (tmp_path / "app").mkdir()
    return CommandsFile(Project(tmp_path / "app"))


@pytest.mark.parametrize(("mask", "file", "folder"), [(0o022, 0o644, 0o755), (0o002, 0o664, 0o775)])
def test_the_file_is_everybodys(commands: CommandsFile, mask: int, file: int, folder: int) -> None:
    before = os.umask(mask)
    try:
        commands.activate("babysit", NOW)
    finally:
        os.umask(before)
    assert mode_of(commands.path) == file
    assert mode_of(commands.path.parent) == mode_of(commands.path.parent.parent) == folder
    assert names(commands.path.parent) == ["session-state.json"]


def at(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def test_the_lock_is_the_file_that_other_programs_look_for(tmp_path: Path) -> None:
    path = tmp_path / "session-state.json"
    with lock_file(path, timeout=0, within=tmp_path):
        assert at(path).read_bytes() == b"%d\n" % os.getpid()
        assert names(tmp_path) == ["session-state.json.lock"]
        with (
            pytest.raises(FileLocked, match=r"keeps session-state\.json locked: it was made 0 s ago"),
            lock_file(path, timeout=0.02, within=tmp_path),
        ):
            raise AssertionError
    assert names(tmp_path) == []


@pytest.mark.parametrize("content", [f"{DEAD_PID}\n", "1\n", "", "no number"])
@pytest.mark.parametrize("sign", [1, -1])
def test_only_a_lock_that_is_too_old_is_taken_over(tmp_path: Path, content: str, sign: int) -> None:
    path = tmp_path / "session-state.json"
    at(path).write_text(content)
    age(tmp_path, sign * (ABANDONED_SECONDS - 20))
    with pytest.raises(FileLocked), lock_file(path, timeout=0, within=tmp_path):
        raise AssertionError
    age(tmp_path, sign * (ABANDONED_SECONDS + 60))
    with lock_file(path, timeout=0, within=tmp_path):
        assert at(path).read_text() == f"{os.getpid()}\n"
    assert names(tmp_path) == []


# 8 processes of each interpreter: what competes are processes, and starting them is what takes time.
_ACTIVATE = """
import os, sys
from pathlib import Path
from memtui.ground.clock import system_clock
from memtui.ground.project import Project
from memtui.store.commands_file import CommandsFile
number = int(sys.argv[2])
children = []
read, write = os.pipe()
for each in range(8):
    if (child := os.fork()) == 0:
        os.close(write)
        os.read(read, 1)
        code = 1
        try:
            CommandsFile(Project(Path(sys.argv[1])), 60).activate(f"c{number + each}", system_clock())
            code = 0
        finally:
            os._exit(code)
    children.append(child)
print("ready", flush=True)
sys.stdin.readline()
os.close(write)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


def test_many_processes_at_once_lose_nothing(commands: CommandsFile) -> None:
    root = str(commands.project.root)
    start_together([_ACTIVATE, root, str(number)] for number in range(0, 32, 8))
    active = sorted(entry.name for entry in commands.read().commands)
    assert active == sorted(f"c{number}" for number in range(32))
    assert names(commands.path.parent) == ["session-state.json"]
