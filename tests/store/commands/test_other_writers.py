"""Active commands while other programs write the same file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.documents.commands import remove_commands
from memtui.ground.files import write_atomic
from memtui.ground.project import Project
from memtui.store import commands_file
from memtui.store.commands_file import CommandProblem
from tests.disk import age, names
from tests.processes import start_together
from tests.store.commands.conftest import TEXT, Store, active, foreign


def test_a_command_activated_anew_while_clearing_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    anew = TEXT.replace("2026-02-09T00:00:00.000Z", "2026-03-01T00:00:00.000Z")
    _after_writes(monkeypatch, lambda number: store.path.write_text(anew) if number == 1 else None)
    store.clear("epic")
    assert store.path.read_text() == anew


def test_a_clear_that_is_written_over_is_done_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another program had read the file before and writes it after us, twice, with a change of its own.
    later = TEXT.replace("490.0", "491.0")
    _after_writes(monkeypatch, lambda number: store.path.write_text(later) if number < 3 else None)
    undo = store.clear("epic")
    assert active(store) == ["babysit", "research/ask"]
    assert foreign(store.path.read_text()) == foreign(later)
    undo()
    assert store.path.read_text() == later


def test_undoing_gives_back_what_was_cleared_and_no_more(store: Store) -> None:
    undo = store.clear("epic")
    store.path.write_text(remove_commands(store.path.read_text(), ["babysit"]))
    undo()
    assert active(store) == ["research/ask", "epic"]


def test_an_endless_writer_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_file, "PATIENCE", commands_file.PATIENCE._replace(settle=0.05))
    _after_writes(monkeypatch, lambda number: store.path.write_text(TEXT))
    with pytest.raises(CommandProblem, match="is being overwritten by another program; try again"):
        store.clear("epic")
    assert store.path.read_text() == TEXT


def test_a_change_in_the_last_moment_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    later = TEXT.replace("490.0", "491.0")
    writes = 0

    def late(path: Path, data: bytes, **options: Any) -> None:
        nonlocal writes
        writes += 1
        if writes == 1:
            store.path.write_text(later)
        write_atomic(path, data, **options)

    monkeypatch.setattr(commands_file, "write_atomic", late)
    store.clear("epic")
    assert writes == 2
    assert foreign(store.path.read_text()) == foreign(later)
    assert active(store) == ["babysit", "research/ask"]


def _after_writes(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], object]) -> None:
    count = 0

    def writes(path: Path, data: bytes, **options: Any) -> None:
        nonlocal count
        count += 1
        write_atomic(path, data, **options)
        act(count)

    monkeypatch.setattr(commands_file, "write_atomic", writes)


def test_waits_for_the_lock_and_says_who_has_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands_file, "PATIENCE", commands_file.PATIENCE._replace(lock=0.02))
    held = store.path.with_name("session-state.json.lock")
    held.write_text(f"{os.getppid()}\n")
    with pytest.raises(CommandProblem, match=f"locked: process {os.getppid()} made it"):
        store.clear("epic")
    assert store.path.read_text() == TEXT
    age(store.path.parent)
    store.clear("epic")
    assert not held.exists()


def test_a_half_written_file_is_never_taken_for_empty(store: Store) -> None:
    done = threading.Event()

    def write() -> None:
        data = TEXT.encode()
        while not done.wait(0.001):
            with store.path.open("wb") as file:  # truncates first
                file.write(data[: len(data) // 2])
                file.flush()
                file.write(data[len(data) // 2 :])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        seen = {tuple(active(store)) for _ in range(300)}
    finally:
        done.set()
        thread.join()
    assert seen == {("babysit", "research/ask", "epic")}


_CLEAR = """
import sys
from pathlib import Path
from memtui.ground.project import Project
from memtui.store import commands_file
from tests.store.commands.conftest import Store
commands_file.PATIENCE = commands_file.PATIENCE._replace(whole=60.0, lock=60.0, settle=60.0)
store = Store(Project(Path(sys.argv[1])))
number = sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
store.clear(f"gone-{number}")
store.clear(f"back-{number}")()
"""


def test_processes_lose_nothing_of_each_other(project: Project) -> None:
    commands = [
        {"name": f"{word}-{number}", "activated_at": "2026-02-09T00:00:00Z", "state": {"n": number}}
        for number in range(8)
        for word in ("gone", "back")
    ]
    content = {"before": 1.50, "active_commands": commands, "after": [1, {}]}
    project.session_state_json.write_text(json.dumps(content, indent=2) + "\n")
    start_together([_CLEAR, str(project.root), str(number)] for number in range(8))
    after = json.loads(project.session_state_json.read_text())
    left = sorted(after.pop("active_commands"), key=lambda command: str(command["name"]))
    assert left == [command for command in commands if str(command["name"]).startswith("back")]
    assert after == {"before": 1.50, "after": [1, {}]}
    assert names(project.session_state_json.parent) == ["session-state.json"]


# Reads, thinks for up to 2 ms, and writes in place without looking at any lock, as AgileFlow's scripts do.
_COMPETE = """
import json, os, random, sys, time
path, stop = sys.argv[1:]
number = 0
print("ready", flush=True)
while not os.path.exists(stop):
    while True:
        try:
            state = json.load(open(path))
            break
        except ValueError:
            pass
    number += 1
    state["counter"] = number
    end = time.perf_counter() + random.uniform(0, 0.002)
    while time.perf_counter() < end:
        pass
    with open(path, "w") as file:
        file.write(json.dumps(state, indent=2) + "\\n")
print(number)
"""


def test_a_competitor_without_the_lock_does_not_win(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than usual: on a busy machine the competitor may have to wait before it writes what it has read.
    patience = commands_file.Patience(whole=20.0, settle=30.0, look_again=(0.0, 0.02, 0.1, 0.2))
    monkeypatch.setattr(commands_file, "PATIENCE", patience)
    # And before it has written the whole file.
    monkeypatch.setattr(commands_file, "STILL_SECONDS", 20.0)
    commands = [{"name": f"c{number}", "activated_at": "2026-02-09T00:00:00Z"} for number in range(3)]
    project.session_state_json.write_text(json.dumps({"counter": -1, "active_commands": commands}))
    store = Store(project)
    stop = tmp_path / "stop"
    command = [sys.executable, "-c", _COMPETE, str(project.session_state_json), str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as competitor:
        assert competitor.stdout is not None
        competitor.stdout.readline()
        try:
            store.clear("c0")
            store.clear("c1")
        finally:
            stop.touch()
            rounds = int(competitor.stdout.read())
    assert rounds > 5
    assert active(store) == ["c2"]
    assert json.loads(project.session_state_json.read_text())["counter"] == rounds
