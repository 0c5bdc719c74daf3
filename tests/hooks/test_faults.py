"""Files that are missing, unreadable or of the wrong kind: no hook fails, and each run is logged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.hooks.world import World

PLACES: dict[str, Callable[[World], Path]] = {
    "transcript": lambda world: world.transcript,
    "compacts": lambda world: world.project.compacts,
    ".project": lambda world: world.project.root / ".project",
    "status": lambda world: world.project.root / "docs" / "09-agents" / "status.json",
    "package": lambda world: world.project.root / "package.json",
    "HEAD": lambda world: world.project.root / ".git" / "HEAD",
    "config": lambda world: world.home.config / "config.toml",
    "state file": lambda world: world.project.session_state_json,
    "log": lambda world: world.home.hook_log,
    "home": lambda world: world.memtui_home,
}
_OF_CAPTURES = tuple(PLACES)[:7]

FILES: list[tuple[str, bytes | Literal["gone", "pipe", "folder"]]] = [
    ("transcript", "gone"),
    ("transcript", "pipe"),
    ("transcript", b""),
    ("transcript", b'{"type":"user","message":{"content":"abc'),
    ("transcript", bytes(range(256)) * 999),
    ("transcript", b'{"type":"user",' + b"x" * 5_000_000),
    ("transcript", b'{"type":"user","a":' + b"[" * 200_000 + b"\n"),
    ("state file", b'{"active_commands": ['),
    ("state file", b""),
    ("state file", b'{"active_commands": {"name": 1}}'),
    ("state file", b" " * (17 << 20)),
    ("state file", b"[" * 200_000),
    ("state file", "pipe"),
    ("state file", "folder"),
    ("status", b'{"stories": {"US-1": '),
    ("status", b'{"stories": [1, null, {}]}'),
    ("status", b'{"stories":' * 100_000),
    ("status", "folder"),
    ("package", b"[]"),
    ("log", "folder"),
    ("log", "pipe"),
    ("home", b""),
    (".project", b""),
    ("compacts", "pipe"),
    ("config", b"[hooks"),
    ("HEAD", "folder"),
]
FIELDS: list[dict[str, object]] = [
    {"transcript_path": "/etc/passwd"},
    {"transcript_path": "/"},
    {"transcript_path": "\0/x.jsonl"},
    {"transcript_path": "/\ud800.jsonl"},
    {"transcript_path": None},
    {"session_id": None},
    {"session_id": "../../../../etc/cron.d/x"},
    {"session_id": "x" * 100_000},
    {"session_id": 7},
    {"trigger": "sometimes", "source": "sometimes"},
    {"trigger": ["auto"], "source": ["clear"]},
    {"cwd": "/nowhere/at/all"},
    {"cwd": "harbor"},
    {"cwd": "a\0b"},
    {"cwd": "/etc/passwd"},
    {"cwd": None},
]


def _harmless(world: World, events: tuple[str, ...], fields: dict[str, Any]) -> None:
    world.command("babysit", "Ask first.")
    if not world.project.session_state_json.exists():
        world.activate("babysit")
    for event in events:
        done = world.run(event, **{"trigger": "auto", "source": "clear"} | fields)
        assert (done.code, done.err) == (0, "")
        assert not done.out.startswith("{") or event == "session-start"


@pytest.mark.parametrize(("place", "content"), FILES, ids=lambda each: str(each)[:30])
def test_no_file_harms_claude_code(world: World, place: str, content: bytes | str) -> None:
    path = PLACES[place](world)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "pipe":
        os.mkfifo(path)
    elif content == "folder":
        path.mkdir()
    events = ("pre-compact",) if place in _OF_CAPTURES else ("pre-compact", "session-start")
    _harmless(world, events, {"trigger": "manual"} if place == "config" else {})
    if place not in ("log", "home"):
        assert [run.event for run in world.runs] == list(events)


@pytest.mark.parametrize("fields", FIELDS, ids=lambda fields: str(fields)[:30])
def test_no_field_harms_claude_code(world: World, fields: dict[str, object]) -> None:
    events = ("pre-compact",) if "transcript_path" in fields else ("pre-compact", "session-start")
    _harmless(world, events, fields)
    assert [run.event for run in world.runs] == list(events)
