"""Hooks keep a session's state and archive up to date, as processes of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.project import Places
from memtui.store.state_updates import update_state
from tests.disk import mode_of
from tests.hooks.world import MEMTUI_HOOK, SESSION, Done, World
from tests.warm import Warm


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


def test_a_compaction_has_a_version_written(world: World) -> None:
    done = bare(world, "pre-compact", trigger="manual")
    assert (done.code, done.err) == (0, "")
    (version,) = versions(world)
    assert "Fix the token refresh race." in version.read_text()
    assert (mode_of(version), mode_of(version.parent)) == (0o600, 0o700)
    (run,) = world.runs
    assert (run.event, run.outcome) == ("pre-compact", "ok")
    assert run.detail.startswith("wrote version 1; archived ")


def test_the_end_of_a_session_is_only_noted(world: World) -> None:
    for reason in ("other", "clear"):
        assert bare(world, "session-end", reason=reason) == Done(0, "", "")
    assert versions(world) == []
    assert [(run.outcome, run.detail) for run in world.runs] == [("ok", ""), ("ok", "noted the end (clear)")]


def test_a_state_that_cannot_be_written_costs_nothing_else(world: World) -> None:
    world.home.states.parent.mkdir(parents=True)
    world.home.states.write_text("a file")
    done = bare(world, "pre-compact", trigger="auto")
    assert (done.code, done.err, len(world.captures)) == (0, "", 1)
    assert "PROJECT CONTEXT" in done.out
    assert str(world.home.states) in world.runs[0].outcome


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


def test_after_clear_the_last_version_is_handed_over(world: World) -> None:
    claude = ClaudeCode(world)
    claude.hook("session-end", SESSION, reason="clear")
    result = claude.hook("session-start", "new", source="clear")
    claude.close()
    assert "Fix the token refresh race." in result
    assert "missing here" not in result
    assert len(versions(world)) == 1


def test_each_of_several_claude_codes_gets_its_own(world: World) -> None:
    running = {name: ClaudeCode(world) for name in ("one", "two", "three")}
    for name in running:
        path = world.transcript.with_name(f"{name}.jsonl")
        path.write_text(json.dumps(says(f"Work on {name}.", name)) + "\n")
        assert update_state(Places(world.project, world.home, world.claude), transcript=path)
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
