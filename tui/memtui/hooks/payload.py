"""Claude Code's input to a hook on standard input, read as untrusted."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from memtui.ground.project import Project, find_root
from memtui.hooks import LIMIT


class Payload(NamedTuple):
    """The fields of a hook's JSON that memtui uses; missing ones and those of a wrong type are ""."""

    event: str = ""
    """`hook_event_name`."""
    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    trigger: str = ""
    """Of PreCompact: `auto` or `manual`."""
    source: str = ""
    """Of SessionStart: `startup`, `resume`, `clear`, `compact` or `fork`."""
    reason: str = ""
    """Of SessionEnd: `clear`, `logout`, `prompt_input_exit` and others."""
    prompt: str = ""
    """Of UserPromptSubmit: the typed text."""
    summary: str = ""
    """Of PostCompact: `compact_summary`."""
    agent_id: str = ""
    """Set when the hook runs inside a subagent."""
    problem: str = ""
    """Why nothing could be read."""


def read_payload(data: bytes | None = None) -> Payload:
    """Read standard input, unless it is given. Never fails: the payload names the problem."""
    if data is not None:
        return parse_payload(data)
    if sys.stdin is None:
        return Payload(problem="standard input is closed")
    try:
        data = sys.stdin.buffer.read(LIMIT + 1)
        while len(data) > LIMIT and sys.stdin.buffer.read(1 << 20):
            pass  # otherwise the writer would get an error when the hook ends
    except (OSError, ValueError) as error:
        return Payload(problem=f"standard input cannot be read: {error}")
    if len(data) > LIMIT:
        return Payload(problem="standard input is too long")
    return parse_payload(data)


def parse_payload(data: bytes) -> Payload:
    """Parse a hook's JSON, in which anything may be missing."""
    try:
        fields = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Payload(problem="standard input is not JSON" if data.strip() else "standard input is empty")
    if not isinstance(fields, dict):
        return Payload(problem="standard input is not a JSON object")

    def text(name: str) -> str:
        value = fields.get(name)
        return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""

    return Payload(
        event=text("hook_event_name"),
        session_id=text("session_id"),
        transcript_path=text("transcript_path"),
        cwd=text("cwd"),
        trigger=text("trigger"),
        source=text("source"),
        reason=text("reason"),
        prompt=text("prompt"),
        summary=text("compact_summary"),
        agent_id=text("agent_id"),
    )


def project_of(payload: Payload, env: Mapping[str, str] = os.environ) -> Project | None:
    """The project a hook runs for, or None when its folder is gone.

    `CLAUDE_PROJECT_DIR` stays where the session was started, `cwd` follows `cd` and worktrees; so the first
    that exists counts (Claude Code fact: the variable was empty in some versions).
    """
    for name in (env.get("CLAUDE_PROJECT_DIR", ""), payload.cwd):
        if name and "\0" not in name and (folder := Path(name)).is_absolute() and folder.is_dir():
            return Project(find_root(folder))
    return None
