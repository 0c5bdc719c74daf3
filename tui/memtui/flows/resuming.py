"""Resuming a session in Claude Code."""

from __future__ import annotations

import shlex
from pathlib import Path


def resume_command(session_id: str, *, fork: bool = False) -> tuple[str, ...]:
    """The command line that resumes a session, or a copy of it."""
    words = ("claude", "--resume", session_id)
    return (*words, "--fork-session") if fork else words


def typed_command(session_id: str, folder: str, *, fork: bool = False) -> str:
    """The same as a shell command that first changes to the session's folder."""
    command = shlex.join(resume_command(session_id, fork=fork))
    return f"cd {shlex.quote(folder)} && {command}" if folder else command


def session_folder(folder: str, root: Path) -> Path:
    """The folder to resume a session in: its own if it exists, else the project's."""
    where = Path(folder) if folder else root
    return where if where.is_dir() else root
