"""Hooks keep a session's state and archive up to date, as processes of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.disk import mode_of
from tests.hooks.world import MEMTUI_HOOK, SESSION, Done, World


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
    folders = {"HOME": world.base, "MEMTUI_HOME": world.memtui_home, "CLAUDE_CONFIG_DIR": world.claude}
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


def test_after_clear_the_last_version_is_handed_over(world: World) -> None:
    bare(world, "session-end", reason="clear")
    result = bare(world, "session-start", session_id="new", source="clear").out
    assert "Fix the token refresh race." in result
    assert "missing here" not in result
    assert len(versions(world)) == 1
