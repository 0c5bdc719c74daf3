"""Files that are missing, unreadable or of the wrong kind: no hook fails, and each run is logged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.world import SESSION, World

Fault = Callable[[World], dict[str, object]]
"""Breaks something; returns other fields for the hook's JSON."""


def _gone(place: Callable[[World], Path]) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        return {}

    return fault


def _pipe(place: Callable[[World], Path]) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        return {}

    return fault


def _holds(place: Callable[[World], Path], content: bytes) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        path.write_bytes(content)
        return {}

    return fault


def _folder(place: Callable[[World], Path]) -> Fault:
    def fault(world: World) -> dict[str, object]:
        path = place(world)
        path.unlink(missing_ok=True)
        path.mkdir(parents=True)
        return {}

    return fault


def _says(**fields: object) -> Fault:
    return lambda world: fields


def _transcript(world: World) -> Path:
    return world.transcript


def _commands(world: World) -> Path:
    return world.project.session_state_json


def _status(world: World) -> Path:
    return world.project.root / "docs" / "09-agents" / "status.json"


def _log(world: World) -> Path:
    return world.home.hook_log


def _note(world: World) -> Path:
    return world.home.state / "captured" / f"{SESSION}.json"


FAULTS: dict[str, Fault] = {
    "no transcript": _gone(_transcript),
    "transcript a folder": lambda world: {"transcript_path": str(world.claude)},
    "transcript a pipe": _pipe(_transcript),
    "transcript empty": _holds(_transcript, b""),
    "transcript torn": _holds(_transcript, b'{"type":"user","message":{"content":"abc'),
    "transcript binary": _holds(_transcript, bytes(range(256)) * 999),
    "transcript of one long line": _holds(_transcript, b'{"type":"user",' + b"x" * 5_000_000),
    "transcript nested": _holds(_transcript, b'{"type":"user","a":' + b"[" * 200_000 + b"\n"),
    "transcript elsewhere": _says(transcript_path="/etc/passwd"),
    "transcript no path": _says(transcript_path="\0/x.jsonl"),
    "transcript of surrogates": _says(transcript_path="/\ud800.jsonl"),
    "transcript not said": _says(transcript_path=None),
    "session not said": _says(session_id=None),
    "session climbs": _says(session_id="../../../../etc/cron.d/x"),
    "session very long": _says(session_id="x" * 100_000),
    "session a number": _says(session_id=7),
    "trigger unknown": _says(trigger="sometimes", source="sometimes"),
    "trigger a list": _says(trigger=["auto"], source=["clear"]),
    "cwd deleted": _says(cwd="/nowhere/at/all"),
    "cwd relative": _says(cwd="harbor"),
    "cwd with NUL": _says(cwd="a\0b"),
    "cwd a file": lambda world: {"cwd": str(world.transcript)},
    "cwd not said": _says(cwd=None),
    "state file broken": _holds(_commands, b'{"active_commands": ['),
    "state file empty": _holds(_commands, b""),
    "state file of another kind": _holds(_commands, b'{"active_commands": {"name": 1}}'),
    "state file huge": _holds(_commands, b" " * (17 << 20)),
    "state file nested": _holds(_commands, b"[" * 200_000),
    "state file a pipe": _pipe(_commands),
    "state file a folder": _folder(_commands),
    "status broken": _holds(_status, b'{"stories": {"US-1": '),
    "status of another kind": _holds(_status, b'{"stories": [1, null, {}]}'),
    "status nested": _holds(_status, b'{"stories":' * 100_000),
    "status a folder": _folder(_status),
    "package of another kind": _holds(lambda world: world.project.root / "package.json", b"[]"),
    "log a folder": _folder(_log),
    "log a pipe": _pipe(_log),
    "note broken": _holds(_note, b'{"size": '),
    "note of another kind": _holds(_note, b'{"size": "x", "at": 1, "name": [], "project": 0}'),
    "note a folder": _folder(_note),
    "home a file": _holds(lambda world: world.memtui_home, b""),
    ".project a file": _holds(lambda world: world.project.root / ".project", b""),
    "compacts a pipe": _pipe(lambda world: world.project.compacts),
    "config broken": lambda world: (
        _holds(lambda w: w.home.config / "config.toml", b"[hooks")(world) | {"trigger": "manual"}
    ),
    "HEAD a folder": lambda world: _folder(lambda w: w.project.root / ".git" / "HEAD")(world),
}


_OF_CAPTURES = ("transcript", "note", "compacts", ".project", "status", "package", "HEAD", "config")


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_harms_claude_code(world: World, name: str) -> None:
    world.command("babysit", "Ask first.")
    world.activate("babysit")
    fields: dict[str, Any] = {"trigger": "auto", "source": "clear"}
    fields |= FAULTS[name](world)
    events = ("pre-compact",) if name.startswith(_OF_CAPTURES) else ("pre-compact", "session-start")
    for event in events:
        done = world.run(event, **fields)
        assert (done.code, done.err) == (0, "")
        assert not done.out.startswith("{") or event == "session-start"
    if not name.startswith(("log", "home")):
        assert [run.event for run in world.runs] == list(events)
