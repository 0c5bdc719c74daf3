"""Every folder that memtui makes for itself is the user's alone, whatever the umask."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.documents.pins import Pin
from memtui.ground.clock import system_clock
from memtui.ground.logs import FailureLog, append_line
from memtui.ground.project import Home, Project, memtui_home
from memtui.lost.outbox import PINS, Message, Outbox
from memtui.lost.pins import Pins
from memtui.share.git import GitRemote


@pytest.fixture(params=[0o000, 0o022])
def home(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Home]:
    before = os.umask(request.param)
    yield memtui_home({"MEMTUI_HOME": str(tmp_path / "own")})
    os.umask(before)
    modes = {path: path.stat().st_mode & 0o777 for path in (tmp_path / "own").rglob("*") if path.is_dir()}
    assert modes and {path: oct(mode) for path, mode in modes.items() if mode != 0o700} == {}


def test_of_messages_pins_and_logs(home: Home, tmp_path: Path) -> None:
    Outbox(home, "s-1").put(Message(PINS, "x"))
    Pins(Project(tmp_path), home).add(Pin("x"))
    append_line(home.hook_log, "{}", limit=100)
    FailureLog(home.failure_log, system_clock).record("testing", ValueError("x"))


def test_of_a_repository_of_a_remote(home: Home, tmp_path: Path) -> None:
    folder, hub = home.data / "sharing" / "team" / "git", tmp_path / "hub.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(hub)], check=True, timeout=60)
    GitRemote(str(hub), folder, author="ann", machine="laptop").set_up()
    shutil.rmtree(folder)  # of git's own making
