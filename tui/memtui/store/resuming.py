"""Resuming a session in Claude Code."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Home
from memtui.store.archive import Archive, Kept
from memtui.store.transcripts import first_cwd


@dataclass(frozen=True)
class Resumable:
    """A session that Claude Code can resume."""

    session_id: str
    folder: str = ""
    """The folder it was started in, the only one where Claude Code finds it; "" if unknown."""
    kept: Kept | None = None
    """The archived copy that has to be restored first, if Claude Code has deleted the session."""


def resumable(home: Home, clock: Clock, transcript: Path) -> Resumable:
    """The session of a transcript: a session's own, a subagent's, or one unpacked from the archive."""
    subagent = transcript.parent.name == "subagents"
    session_id = transcript.parent.parent.name if subagent else transcript.stem
    kept = None
    if transcript.is_relative_to(home.cache) or not transcript.is_file():
        with suppress(FileProblem):
            archive = Archive(home, clock)
            kept = archive.find(session_id)
            transcript = archive.readable(kept)
    return Resumable(session_id, str(first_cwd(transcript) or ""), kept)


NOT_RESUMED = "Claude Code resumes only sessions named by a UUID"

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def resume_command(session_id: str, *, fork: bool = False) -> tuple[str, ...]:
    """The command line that resumes a session, or a copy of it (`fork`); () if its name is no UUID.

    The name is that of a file, which anyone may have written: it might be an option of `claude`.
    """
    if not _UUID.fullmatch(session_id):
        return ()
    words = ("claude", "--resume", session_id)
    return (*words, "--fork-session") if fork else words


def typed_command(session_id: str, folder: str, *, fork: bool = False) -> str:
    """The same for typing in a shell: in the session's folder, where Claude Code finds it; "" likewise."""
    command = shlex.join(resume_command(session_id, fork=fork))
    return f"cd {shlex.quote(folder)} && {command}" if folder and command else command


def session_folder(folder: str, root: Path) -> Path:
    """The folder to resume a session in: its own if it still exists, else the project's."""
    where = Path(folder) if folder else root
    return where if where.is_dir() else root
