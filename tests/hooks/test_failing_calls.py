"""A call into the system that fails, at places all over each hook: Claude Code is never harmed."""

from __future__ import annotations

import errno
import json
import os
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from memtui.documents.capture import parse_capture
from memtui.documents.pins import Pin
from memtui.hooks import run as running
from memtui.hooks.run import run
from memtui.lost.pins import Pins
from tests.faults import failing, watched
from tests.hooks.world import World

FAULTS = int(os.environ.get("MEMTUI_HOOK_FAULTS", "35"))
"""How many faults are injected in all; set higher when searching for one that harms."""

CODES = (errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EIO, errno.EMFILE)

EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a compaction": ("pre-compact", {"trigger": "auto"}),
    "its end": ("post-compact", {"trigger": "auto"}),
    "a start": ("session-start", {"source": "startup"}),
    "a start after /clear": ("session-start", {"source": "clear"}),
    "a start after a compaction": ("session-start", {"source": "compact"}),
    "an end": ("session-end", {"reason": "clear"}),
    "a prompt": ("user-prompt-submit", {"prompt": "go on"}),
}


def _world(base: Path) -> World:
    base.mkdir()
    world = World(base)
    world.command("babysit", "Ask first.")
    world.activate("babysit")
    Pins(world.project, world.home).add(Pin("Never push to main"))
    world.state("=== SESSION STATE v1 ===\n")
    return world


@pytest.mark.parametrize("what", EVENTS)
def test_no_failing_call_harms_claude_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], what: str
) -> None:
    event, fields = EVENTS[what]
    monkeypatch.setattr(running, "stop_after", lambda seconds, last: None)

    def tried(number: int, at: int, code: int) -> int:
        """Run it with a fault; returns the number of calls."""
        world = _world(tmp_path / str(number))
        for name, value in {**world.environment, "CLAUDE_CONFIG_DIR": str(world.claude)}.items():
            monkeypatch.setenv(name, value)
        before = world.transcript.read_bytes()
        given = TextIOWrapper(BytesIO(json.dumps(world.payload(**fields)).encode()))
        monkeypatch.setattr(sys, "stdin", given)
        with watched(failing(at, code)) as calls:
            run([event], 0.0)
        out, err = capfdbinary.readouterr()
        assert err == b"" and world.transcript.read_bytes() == before, (at, code)
        if event == "pre-compact":
            assert not out.startswith(b"{"), (at, code)
        elif out:
            assert set(json.loads(out)) <= {"hookSpecificOutput", "systemMessage"}, (at, code)
        json.loads(world.project.session_state_json.read_bytes())
        assert all(parse_capture(each.read_text()).status == "pending" for each in world.captures), (at, code)
        assert "Never push to main" in world.project.pins.read_text()
        return len(calls)

    calls = tried(0, 0, 0)
    faults = max(1, FAULTS // len(EVENTS))
    for number in range(faults):
        tried(number + 1, 1 + number * calls // faults, CODES[number % len(CODES)])
