"""Requests of hooks are served by a separate process that Claude Code does not wait for, and that ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.clock import system_clock
from memtui.ground.files import lock
from memtui.ground.project import Places
from memtui.hooks import session, start_server
from memtui.hooks.requests import requests_folder
from memtui.store.state_updates import update_state
from tests.disk import mode_of, names
from tests.hooks.world import MEMTUI_HOOK, SESSION, Done, World
from tests.warm import Warm

PATIENCE = 30.0
"""Seconds; what is waited for takes less than one."""


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    looking = threading.Event()
    while not condition():
        assert time.monotonic() < deadline
        looking.wait(0.01)


def servers(world: World) -> list[str]:
    """The servers of this world that run: processes of this machine that know its folder."""
    home = f"MEMTUI_HOME={world.memtui_home} "
    return [line for line in _commands() if start_server.SERVER in line and home in line]


def _commands() -> list[str]:
    """The words and the environment of every process that may be looked at."""
    if not Path("/proc/self/environ").exists():
        ps = ["ps", "axeww", "-o", "command="]
        done = subprocess.run(ps, capture_output=True, text=True, errors="replace", check=True, timeout=60)
        return [f"{line} " for line in done.stdout.splitlines()]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            data = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            found.append(os.fsdecode(data.replace(b"\0", b" ")))
    return found


def versions(world: World, session_id: str = SESSION) -> list[Path]:
    return sorted((world.home.states / session_id).glob("v*.md"))


def says(text: str, session_id: str = SESSION) -> dict[str, object]:
    message = {"role": "user", "content": text}
    return {"type": "user", "sessionId": session_id, "cwd": "/x", "message": message}


@pytest.fixture
def world(world: World) -> World:
    world.configure("session_states = true", archive=True)
    world.write_transcript([says("Fix the token refresh race.")])
    return world


def bare(world: World, event: str, **fields: Any) -> Done:
    """Run a hook as Claude Code may: nothing in the environment, and in any folder."""
    folders = {
        "HOME": world.base,
        "MEMTUI_HOME": world.memtui_home,
        "CLAUDE_CONFIG_DIR": world.claude,
    }
    variables = [f"{name}={folder}" for name, folder in folders.items()]
    command = ["env", "-i", *variables, *MEMTUI_HOOK, event]
    return world.run(event, command=command, inside=Path("/"), **fields)


@pytest.mark.parametrize("event", ["session-end", "pre-compact"])
def test_a_hook_has_a_version_written_and_nothing_stays_behind(world: World, event: str) -> None:
    done = bare(world, event, trigger="manual", reason="other")
    assert (done.code, done.err) == (0, "")
    until(lambda: len(world.runs) == 2 and not servers(world))
    (version,) = versions(world)
    assert "Fix the token refresh race." in version.read_text()
    assert (mode_of(version), mode_of(version.parent)) == (0o600, 0o700)
    assert names(requests_folder(world.home)) == [".gitignore"]
    assert [(run.event, run.outcome) for run in world.runs] == [(event, "ok"), ("compactor", "ok")]
    assert world.runs[1].detail.startswith("wrote version 1; archived ")


def test_where_nothing_was_said_no_process_is_started(world: World) -> None:
    world.transcript.unlink()
    world.run("session-end", reason="other")
    assert not requests_folder(world.home).exists()
    assert servers(world) == []
    world.configure("session_states = false")
    world.write_transcript([says("Fix it.")])
    world.run("session-end", reason="other")
    assert not requests_folder(world.home).exists()


def test_claude_code_waits_for_nothing(world: World) -> None:
    requests = requests_folder(world.home)
    requests.mkdir(parents=True)
    with lock(requests / "server"):
        with subprocess.Popen(
            [*MEMTUI_HOOK, "session-end"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=world.environment,
        ) as process:  # fmt: skip
            process.communicate(json.dumps(world.payload(reason="other")).encode(), timeout=60)
        until(lambda: not servers(world))
        assert (requests / f"{SESSION}.json").exists()
    world.run("session-end", reason="other")  # the next one serves what was left
    until(lambda: versions(world) and not servers(world))


def test_the_server_holds_nothing_open_that_claude_code_left_to_the_hook(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests_folder(world.home).mkdir(parents=True)
    read, write = os.pipe()
    os.set_inheritable(write, True)
    started: list[tuple[list[str], dict[str, Any], bool]] = []

    def spawn(path: str, words: list[str], env: object, **options: Any) -> None:
        started.append((words, options, os.get_inheritable(write)))

    monkeypatch.setattr(os, "posix_spawn", spawn)
    start_server.start_server(world.home)
    os.close(read)
    os.close(write)
    ((words, options, inherited),) = started
    assert words == [sys.executable, "-P", "-m", "memtui.flows.request_server"]
    assert options["setsid"] is True
    assert [(action[1], action[2]) for action in options["file_actions"]] == [
        (fd, os.devnull) for fd in range(3)
    ]
    assert not inherited


def test_a_killed_server_does_not_block_the_next(world: World) -> None:
    requests = requests_folder(world.home)
    requests.mkdir(parents=True)  # ours, without a .gitignore
    (requests / "server.lock").touch()
    begun = {"session_id": "other", "transcript": "/gone.jsonl", "root": str(world.project.root)}
    (requests / "other.again").write_text(json.dumps(begun))
    world.run("session-end", reason="other")
    until(lambda: names(requests) == [] and not servers(world))
    assert len(versions(world)) == 1
    outcomes = [run.outcome for run in world.runs if run.event == "compactor"]
    assert sorted(outcome.partition(" dropped")[0] for outcome in outcomes) == [
        "ok",
        "the request other.again is",
    ]


def test_a_request_that_cannot_be_served_is_on_record_once(world: World) -> None:
    world.home.states.parent.mkdir(parents=True)
    world.home.states.write_text("a file")
    world.run("session-end", reason="other")
    until(lambda: len(world.runs) == 2 and not servers(world))
    assert str(world.home.states) in world.runs[1].outcome
    assert names(requests_folder(world.home)) == [".gitignore"]


def test_many_hooks_at_once_are_all_served_by_one_at_a_time(world: World) -> None:
    sessions = [f"session-{number}" for number in range(4)]
    hooks = []
    for name in sessions:
        path = world.transcript.with_name(f"{name}.jsonl")
        path.write_text(json.dumps(says(f"Work on {name}.", name)) + "\n")
        hook = world.start("session-end")
        fields = world.payload(session_id=name, transcript_path=str(path), reason="other")
        hook.stdin.write(json.dumps(fields).encode())
        hook.stdin.flush()
        hooks.append(hook)
    for hook in hooks:
        assert hook.communicate(timeout=60) == (b"", b"")
    until(lambda: len(world.runs) == 8 and not servers(world))
    assert all(f"Work on {name}." in versions(world, name)[0].read_text() for name in sessions)
    assert {run.outcome for run in world.runs} == {"ok"}


_CLAUDE_CODE_IMPORTS = "import json, subprocess, sys"
_CLAUDE_CODE = f"""
{_CLAUDE_CODE_IMPORTS}
for line in sys.stdin:
    event, payload = json.loads(line)
    done = subprocess.run([*sys.argv[1:], event], input=json.dumps(payload).encode(), stdout=subprocess.PIPE)
    print(json.dumps(done.stdout.decode()), flush=True)
"""


class ClaudeCode:
    """A process that runs hooks on request."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._process = Warm(
            _CLAUDE_CODE, *MEMTUI_HOOK, cwd=world.base, env=world.environment, imports=[_CLAUDE_CODE_IMPORTS]
        )

    def hook(self, event: str, session_id: str, **fields: str) -> str:
        """Run a hook for a session; returns what it prints."""
        path = self._world.transcript.with_name(f"{session_id}.jsonl")
        payload = self._world.payload(session_id=session_id, transcript_path=str(path), **fields)
        self._process.stdin.write(json.dumps([event, payload]).encode() + b"\n")
        self._process.stdin.flush()
        return str(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate(timeout=60)


def test_after_clear_the_last_version_is_waited_for(world: World) -> None:
    claude = ClaudeCode(world)
    claude.hook("session-end", SESSION, reason="clear")
    result = claude.hook("session-start", "new", source="clear")
    claude.close()
    until(lambda: not servers(world))
    busy = any("did not wait" in run.detail for run in world.runs)  # the machine, that is
    assert busy or "Fix the token refresh race." in result
    assert session._PATIENCE < 5


def test_each_of_several_claude_codes_gets_its_own(world: World) -> None:
    running = {name: ClaudeCode(world) for name in ("one", "two", "three")}
    for name in running:
        path = world.transcript.with_name(f"{name}.jsonl")
        path.write_text(json.dumps(says(f"Work on {name}.", name)) + "\n")
        assert update_state(Places(world.project, world.home, world.claude), system_clock, transcript=path)
    for name in ("two", "one"):
        running[name].hook("session-end", name, reason="clear")
    running["three"].hook("session-end", "three", reason="prompt_input_exit")
    assert running["three"].hook("session-start", "third", source="startup") == ""
    for name in ("one", "two"):
        result = running[name].hook("session-start", f"after-{name}", source="clear")
        assert f"Work on {name}." in result
        assert result.count("Work on ") == result.count(f"Work on {name}.")
        assert running[name].hook("session-start", f"after-{name}", source="clear") == ""  # once
    for claude in running.values():
        claude.close()
    until(lambda: not servers(world))
