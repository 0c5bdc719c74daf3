"""Going on with a session in Claude Code."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.clock import Clock
from memtui.files import FileProblem
from memtui.project import Home
from memtui.store.archive import Archive, Kept
from memtui.store.transcripts import first_cwd


@dataclass(frozen=True)
class Resumable:
    """A session that Claude Code can go on with."""

    session_id: str
    folder: str = ""
    """Where it was started: Claude Code finds it from there alone; "" when that is not known."""
    kept: Kept | None = None
    """The copy that has to be put back first, of a session that Claude Code has deleted."""


def resumable(home: Home, clock: Clock, transcript: Path) -> Resumable:
    """The session of a transcript: its own, that of a subagent, or one unpacked from the archive."""
    subagent = transcript.parent.name == "subagents"
    session_id = transcript.parent.parent.name if subagent else transcript.stem
    kept = None
    if transcript.is_relative_to(home.cache) or not transcript.is_file():
        with suppress(FileProblem):
            archive = Archive(home, clock)
            kept = archive.find(session_id)
            transcript = archive.readable(kept)
    return Resumable(session_id, str(first_cwd(transcript) or ""), kept)


def resume_command(session_id: str, *, fork: bool = False) -> tuple[str, ...]:
    """The command line that resumes a session, or goes on with a copy of it."""
    words = ("claude", "--resume", session_id)
    return (*words, "--fork-session") if fork else words


def typed_command(session_id: str, folder: str, *, fork: bool = False) -> str:
    """The same as one types it: in the session's folder, where Claude Code finds the session."""
    command = shlex.join(resume_command(session_id, fork=fork))
    return f"cd {shlex.quote(folder)} && {command}" if folder else command


def session_folder(folder: str, root: Path) -> Path:
    """Where to resume a session: its own folder, while that is there; else the project's."""
    where = Path(folder) if folder else root
    return where if where.is_dir() else root
