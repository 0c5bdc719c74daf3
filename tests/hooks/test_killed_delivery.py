"""A hook that is killed while it hands something over: the session gets it all the same, and once."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from memtui.hooks.run import run
from memtui.lost.outbox import LEASE, RESCUE, Message, Outbox
from tests import faults
from tests.hooks.world import SESSION, World

TAKES, DROPS = "takes", "drops"
"""Whether the client takes the output of a hook that was killed."""


@pytest.mark.parametrize("client", [TAKES, DROPS])
def test_a_hook_may_be_killed_at_any_point(tmp_path: Path, client: str) -> None:
    assert faults.run_sweep(_sweep, tmp_path, client) > 3


@pytest.mark.parametrize("output", ["nobody reads it", "there is none"])
def test_a_message_that_cannot_be_printed_is_kept(world: World, output: str) -> None:
    outbox = _outbox(world.base)
    outbox.put(Message(RESCUE, "the rescue", rows=1))
    closed = ["/bin/sh", "-c", 'exec "$@" >&-', "sh"] if output == "there is none" else []
    assert world.run_unread("user-prompt-submit", *closed, prompt="go on") == (0, b"")
    assert [path.suffix for path in outbox.folder.iterdir()] == [".taken"]


def _sweep(base: Path, client: str) -> int:
    def make(number: int) -> Path:
        world = World(base / str(number))
        _outbox(world.base).put(Message(RESCUE, "the rescue", rows=1))
        return world.base

    def act(place: Path) -> None:
        payload = {
            "session_id": SESSION,
            "transcript_path": str(_transcript(place)),
            "cwd": str(place / "harbor"),
            "prompt": "go on",
        }
        os.environ |= {"MEMTUI_HOME": str(place / "memtui"), "CLAUDE_CONFIG_DIR": str(place / ".claude")}
        sys.stdin = TextIOWrapper(BytesIO(json.dumps(payload).encode()))
        with (place / "printed").open("w") as printed, redirect_stdout(printed):
            run(["user-prompt-submit"], time.monotonic())

    def check(place: Path) -> None:
        folder = _outbox(place).folder
        killed = folder.exists() and any(folder.iterdir())  # nothing happens after a message was removed
        if not killed or client == TAKES:
            _receive(place)
        act(place)  # at once: the first hook may still be at it
        assert "the rescue" not in (place / "printed").read_text() or not _taken(place)
        _receive(place)
        for path in _taken(place):
            os.utime(path, (time.time() - LEASE - 1,) * 2)
        for _ in range(2):
            act(place)
            _receive(place)
        assert _transcript(place).read_text().count("the rescue") == 1
        assert not _outbox(place).folder.exists()

    return faults.kill_sweep(make, act, check)


def _transcript(place: Path) -> Path:
    return place / ".claude" / "projects" / "-harbor" / f"{SESSION}.jsonl"


def _outbox(place: Path) -> Outbox:
    from memtui.ground.project import memtui_home

    return Outbox(memtui_home({"MEMTUI_HOME": str(place / "memtui")}), SESSION)


def _taken(place: Path) -> list[Path]:
    return list(_outbox(place).folder.glob("*.taken"))


def _receive(place: Path) -> None:
    """Claude Code's ways with a hook's output."""
    printed = place / "printed"
    if printed.exists() and (text := printed.read_text()):
        content = json.loads(text)["hookSpecificOutput"]["additionalContext"]
        record = {"attachment": {"type": "hook_additional_context", "content": [content]}}
        with _transcript(place).open("a") as file:
            file.write(json.dumps(record) + "\n")
        printed.write_text("")
