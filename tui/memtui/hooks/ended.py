"""The sessions that were cleared in a project, noted for the sessions that replace them.

Claude Code does not tell a session that begins after ``/clear`` which session it replaces. The hooks of both
have the same parent process, the Claude Code in which it happens: so where several are open in one project,
each new session gets the notes of its own predecessor.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from memtui.clock import parse_iso
from memtui.files import (
    FileProblem,
    existing_above,
    private_folder,
    read_within,
    sweep_temps,
    write_atomic,
)
from memtui.hooks.keys import project_key, session_key
from memtui.named import NamedTuple
from memtui.project import Home, Project
from memtui.store.listing import scan

_FRESH = timedelta(minutes=2)
"""The new session begins when all hooks of the end are done, which takes a minute at most."""

_LIMIT = 64 << 10
_NAME = re.compile(r"[A-Za-z0-9-][\w-]*\.json", re.ASCII)


class Ended(NamedTuple):
    """A session that is over."""

    session_id: str
    at: datetime
    parent: int
    """The process in which it was, as far as its hook could tell."""


def note_end(session_id: str, project: Project, home: Home, now: datetime, parent: int) -> None:
    """Remember that a session has been cleared.

    Raises:
        FileProblem: the note cannot be written.
    """
    folder = _folder(project, home)
    private_folder(folder, within=existing_above(home.state))
    sweep_temps(folder)
    fields = {"session_id": session_id, "at": now.isoformat(), "parent": parent}
    write_atomic(folder / f"{session_key(session_id)}.json", json.dumps(fields).encode(), durable=False)


def take_ended(project: Project, home: Home, now: datetime, parent: int) -> Ended | None:
    """Take the note of the session that a new one replaces; a note is handed out once.

    That is the session that ended last in the same Claude Code. Where hooks run in a shell of their own, the
    noted parent is that shell, which has ended: then it is the last session whose noted parent is not
    running.
    """
    notes: list[tuple[Path, Ended]] = []
    for path in _notes(_folder(project, home)):
        ended = _read(path)
        if ended is None or abs(now - ended.at) >= _FRESH:
            _remove(path)
        else:
            notes.append((path, ended))
    notes.sort(key=lambda note: note[1].at, reverse=True)
    same = [note for note in notes if note[1].parent == parent]
    for path, ended in same or [note for note in notes if not is_alive(note[1].parent)]:
        if _remove(path):  # or else a hook that runs beside this one was faster
            return ended
    return None


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs on this machine; in doubt, yes."""
    if sys.platform == "win32":
        return True  # os.kill ends the process there
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's; or no possible id
        return pid < 1 << 31
    return True


def _notes(folder: Path) -> list[Path]:
    try:
        return [entry.path for entry in scan(folder, _NAME)]
    except FileProblem:
        return []


def _remove(path: Path) -> bool:
    with suppress(OSError):
        path.unlink()
        return True
    return False


def _read(path: Path) -> Ended | None:
    try:
        fields = json.loads(read_within(path, path.parent, limit=_LIMIT, follow=False))
        at = parse_iso(str(fields["at"]))
        return Ended(str(fields["session_id"]), at, int(fields["parent"])) if at is not None else None
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None


def _folder(project: Project, home: Home) -> Path:
    return home.state / "ended" / project_key(project.root)
