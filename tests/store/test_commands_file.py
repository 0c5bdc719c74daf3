"""Activating commands: concurrently, beside a program that ignores the lock, and changing nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memtui.ground.project import Project
from memtui.store import commands_file
from memtui.store.commands_file import CommandProblem, CommandsFile, Patience
from tests.disk import mode_of, names, unchanging
from tests.faults import watched
from tests.processes import start_together, swapping

NOW = datetime(2025, 12, 22, 3, 16, 52, 89_412, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandsFile:
    monkeypatch.setattr(commands_file, "PATIENCE", commands_file.PATIENCE._replace(look_again=(0.0,)))
    monkeypatch.setattr(commands_file, "STILL_SECONDS", 0.0)
    (tmp_path / "app").mkdir()
    return CommandsFile(Project(tmp_path / "app"))


SEED = """{
  "active_commands": [
    {
      "name": "babysit",
      "activated_at": "2025-12-22T02:16:52.089Z",
      "state": {}
    },
    {
      "name": "research/ask",
      "activated_at": "2025-12-22T02:16:52.089Z",
      "state": {
        "step": 1
      }
    }
  ]
}
"""


def test_writes_what_a_step_0_writes(commands: CommandsFile) -> None:
    assert commands.activate("babysit", NOW)
    assert commands.activate("/agileflow:research:ask", NOW, {"step": 1})
    assert commands.path.read_text() == SEED
    assert [entry.name for entry in commands.entries()] == ["babysit", "research/ask"]


def test_once_is_enough(commands: CommandsFile) -> None:
    assert commands.activate("babysit", NOW)
    before = unchanging(commands.path)
    assert not commands.activate("babysit", NOW + timedelta(days=1), {"other": True})
    assert not commands.activate("/babysit", NOW)
    assert unchanging(commands.path) == before


def test_the_rest_of_the_file_stays(commands: CommandsFile) -> None:
    commands.path.parent.mkdir(parents=True)
    commands.path.write_text('{\n\t"n": 1.5,\n\t"active_commands": [],\n\t"z": [\n\t\t1\n\t]\n}')
    commands.activate("babysit", NOW)
    text = commands.path.read_text()
    assert text.startswith('{\n\t"n": 1.5,\n\t"active_commands": [\n\t\t{\n\t\t\t"name": "babysit",\n')
    assert text.endswith('\n\t],\n\t"z": [\n\t\t1\n\t]\n}')
    commands.path.write_text('{"active_commands":[{"name":"a"}]}')
    commands.activate("b", NOW, {"caf\u00e9": 1})
    assert commands.path.read_text() == (
        '{"active_commands":[{"name":"a"},'
        '{"name":"b","activated_at":"2025-12-22T02:16:52.089Z","state":{"caf\u00e9":1}}]}'
    )


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


@pytest.mark.parametrize(
    "name", ["", " ", "/", "..", "../x", "a/../b", "a b", "a\0", "\n", "x;y", "caf\u00e9"]
)
def test_invalid_names_are_refused(commands: CommandsFile, name: str) -> None:
    with pytest.raises(CommandProblem, match="is no name of a command file"):
        commands.activate(name, NOW)
    assert names(commands.project.root) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "\ufffe"])
def test_a_broken_file_stays(commands: CommandsFile, text: str) -> None:
    commands.path.parent.mkdir(parents=True)
    commands.path.write_text(text)
    with pytest.raises(CommandProblem, match="is broken"):
        commands.activate("babysit", NOW)
    assert commands.path.read_text() == text


@pytest.mark.parametrize("place", ["docs", "docs/09-agents", "docs/09-agents/session-state.json"])
@pytest.mark.parametrize("there", [True, False])
def test_no_link_leads_out(commands: CommandsFile, tmp_path: Path, place: str, there: bool) -> None:
    outside = tmp_path / "outside"
    if there:
        (outside.parent if place.endswith(".json") else outside).mkdir(exist_ok=True)
    link = commands.project.root / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    with pytest.raises(CommandProblem):
        commands.activate("babysit", NOW)
    assert not outside.exists() or names(outside) == []


def test_a_link_within_the_project_is_followed(commands: CommandsFile) -> None:
    (commands.project.root / "shared").mkdir()
    (commands.project.root / "docs").symlink_to("shared")
    assert commands.activate("babysit", NOW)
    assert (commands.project.root / "shared" / "09-agents" / "session-state.json").is_file()
    assert (commands.project.root / "docs").is_symlink()


_MARKED = "<!-- COMPACT_SUMMARY_START -->{}<!-- COMPACT_SUMMARY_END -->"


@pytest.fixture
def swapped(commands: CommandsFile, tmp_path: Path) -> Callable[[], None]:
    """A command in a linked folder of the project; called, the link leads out, to another one."""
    for folder, text in ((commands.project.root / "own", "inside"), (tmp_path / "outside", "secret")):
        (folder / "commands").mkdir(parents=True)
        (folder / "commands" / "deploy.md").write_text(_MARKED.format(text))
    (commands.project.root / ".claude").symlink_to("own")

    def swap() -> None:
        (commands.project.root / ".claude").unlink()
        (commands.project.root / ".claude").symlink_to(tmp_path / "outside")

    return swap


def test_a_link_that_changes_meanwhile_leads_nothing_out(
    commands: CommandsFile, swapped: Callable[[], None]
) -> None:
    assert "inside" in commands.summary("deploy").text
    at, found = 0, []
    while True:
        at += 1

        def before(number: int, name: str, at: int = at) -> None:
            if number == at:
                swapped()

        with watched(before) as log:
            found.append(_summary(commands))
        if len(log) < at:
            break
        (commands.project.root / ".claude").unlink()
        (commands.project.root / ".claude").symlink_to("own")
    assert at > 10
    assert "inside" in found[-1]
    assert not [text for text in found if "secret" in text]


def test_a_program_that_changes_a_link_all_the_time_leads_nothing_out(
    commands: CommandsFile, tmp_path: Path, swapped: Callable[[], None]
) -> None:
    with swapping(commands.project.root / ".claude", commands.project.root / "own", tmp_path / "outside"):
        found = [_summary(commands) for _ in range(250)]
    assert any("inside" in text for text in found)
    assert not [text for text in found if "secret" in text]


def _summary(commands: CommandsFile) -> str:
    try:
        return commands.summary("deploy").text
    except CommandProblem:
        return ""


# 8 processes of each interpreter: what competes are processes, and starting them is what takes time.
_ACTIVATE = """
import os, sys
from pathlib import Path
from memtui.ground.clock import system_clock
from memtui.ground.project import Project
from memtui.store import commands_file
from memtui.store.commands_file import CommandsFile
from memtui.store.commands_file import Patience
commands_file.STILL_SECONDS = 60.0
number = int(sys.argv[2])
children = []
read, write = os.pipe()
for each in range(8):
    if (child := os.fork()) == 0:
        os.close(write)
        os.read(read, 1)
        code = 1
        try:
            patience = Patience(60, 60, 60, (0, 0.02, 0.1, 0.2, 0.7))
            CommandsFile(Project(Path(sys.argv[1])), patience).activate(f"c{number + each}", system_clock())
            code = 0
        finally:
            os._exit(code)
    children.append(child)
print("ready", flush=True)
sys.stdin.readline()
os.close(write)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""

# Reads, thinks for a moment and writes in place, without looking at any lock, as AgileFlow's scripts do.
_COMPETE = """
import json, os, sys, time
path, rounds = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
for number in range(rounds):
    while True:
        try:
            state = json.load(open(path))
            break
        except (OSError, ValueError):
            os.sched_yield()
    state["counter"] = number
    with open(path, "w") as file:
        file.write(json.dumps(state, indent=2) + "\\n")
    time.sleep(0.002)
"""


@pytest.mark.parametrize(("processes", "rounds"), [(64, 0), (24, 50)])
def test_many_processes_at_once_lose_nothing(commands: CommandsFile, processes: int, rounds: int) -> None:
    root = str(commands.project.root)
    scripts = [[_ACTIVATE, root, str(number)] for number in range(0, processes, 8)]
    if rounds:
        commands.path.parent.mkdir(parents=True)
        commands.path.write_text('{\n  "before": 1.5,\n  "active_commands": []\n}\n')
        scripts.append([_COMPETE, str(commands.path), str(rounds)])
    start_together(scripts)
    content = json.loads(commands.path.read_text())
    assert sorted(entry["name"] for entry in content["active_commands"]) == sorted(
        f"c{number}" for number in range(processes)
    )
    if rounds:
        assert (content["before"], content["counter"]) == (1.5, rounds - 1)
    assert names(commands.path.parent) == ["session-state.json"]


def test_a_hooks_patience_is_its_own(commands: CommandsFile) -> None:
    commands.activate("babysit", NOW)
    commands.path.with_name("session-state.json.lock").write_text(f"{os.getppid()}\n")
    hurried = CommandsFile(commands.project, Patience(0.01, 0.01, 0.01, (0.0,)))
    with pytest.raises(CommandProblem, match="locked: process"):
        hurried.remove(None)
