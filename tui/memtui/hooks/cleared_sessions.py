"""Notes of cleared sessions, for the sessions that replace them.

After ``/clear``, Claude Code does not name the session that the new one replaces. The hooks of both have the
same parent process, their Claude Code. So with several of them open in one project, each new session gets
the notes of its own predecessor.

A process id is valid only within its pid namespace: a container and its host may share the folder of these
notes, and give the same id to different processes. So a note names the machine and the namespace in which it
was written (`pid_namespace`), and hooks in other namespaces ignore it. A session is cleared and replaced
within one Claude Code, so both hooks run in one namespace.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memtui.ground.clock import parse_iso
from memtui.ground.files import (
    FileProblem,
    existing_above,
    private_folder,
    read_within,
    sweep_temps,
    write_atomic,
)
from memtui.ground.project import Home, Project, project_key, session_key
from memtui.store.listing import scan

_FRESH = timedelta(minutes=2)
"""Lifetime of a note: the new session begins after all hooks of the end, within a minute."""

_LIMIT = 64 << 10
_NAME = re.compile(r"[A-Za-z0-9-][\w-]*\.json", re.ASCII)


class Ended(NamedTuple):
    """A session that is over."""

    session_id: str
    at: datetime
    parent: int
    """The process id of its Claude Code, as seen by its hook."""
    namespace: str
    """The namespace of that process id; see `pid_namespace`."""
    transcript: str


def pid_namespace() -> str:
    """The boot id of the machine and the pid namespace of this process.

    Numbers of namespaces repeat on every machine, so they are only unique together with the boot id.
    """
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{started} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115 - a name, not a path
    except (OSError, ValueError):  # not Linux, or /proc is unreadable
        import socket

        return socket.gethostname()


def note_end(
    session_id: str, transcript: str, project: Project, home: Home, now: datetime, parent: int
) -> None:
    """Note that a session has been cleared.

    Raises:
        FileProblem: the note cannot be written.
    """
    folder = _folder(project, home)
    private_folder(folder, within=existing_above(home.state))
    sweep_temps(folder)
    fields = {
        "session_id": session_id,
        "at": now.isoformat(),
        "parent": parent,
        "namespace": pid_namespace(),
        "transcript": transcript,
    }
    write_atomic(folder / f"{session_key(session_id)}.json", json.dumps(fields).encode(), durable=False)


def take_ended(project: Project, home: Home, now: datetime, parent: int) -> Ended | None:
    """Take the note of the session that a new one replaces; each note is taken once.

    It is the last session that ended in the same Claude Code. If hooks run in a shell of their own, the noted
    parent is that shell, which has ended: then it is the last session whose noted parent is not running.
    Notes of other pid namespaces are left to the hooks there.
    """
    here = pid_namespace()
    notes: list[tuple[Path, Ended]] = []
    for path in _notes(_folder(project, home)):
        ended = _read(path)
        if ended is None or abs(now - ended.at) >= _FRESH:
            _remove(path)
        elif ended.namespace == here:
            notes.append((path, ended))
    notes.sort(key=lambda note: note[1].at, reverse=True)
    same = [note for note in notes if note[1].parent == parent]
    for path, ended in same or [note for note in notes if not is_alive(note[1].parent)]:
        if _remove(path):  # otherwise a concurrent hook was faster
            return ended
    return None


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs in this pid namespace; in doubt, yes."""
    if sys.platform == "win32":
        return True  # os.kill would end the process there
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's process, or an invalid id
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
        where = str(fields["namespace"])
        if at is None:
            return None
        transcript = str(fields.get("transcript", ""))
        return Ended(str(fields["session_id"]), at, int(fields["parent"]), where, transcript)
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None


def _folder(project: Project, home: Home) -> Path:
    return home.state / "ended" / project_key(project.root)
