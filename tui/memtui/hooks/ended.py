"""The session that ended last in a project, noted for the one that follows it after ``/clear``."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memtui.clock import parse_iso
from memtui.files import FileProblem, existing_above, private_folder, read_within, write_atomic
from memtui.hooks.places import project_key
from memtui.project import Home, Project

_FRESH = timedelta(hours=1)
"""An older end is not the one that the session now beginning follows."""

_LIMIT = 64 << 10


class Ended(NamedTuple):
    """A session that is over."""

    session_id: str
    at: datetime


def note_end(session_id: str, project: Project, home: Home, now: datetime) -> None:
    """Remember that a session has ended.

    Raises:
        FileProblem: the note cannot be written.
    """
    path = _path(project, home)
    private_folder(path.parent, within=existing_above(home.state))
    data = json.dumps({"session_id": session_id, "at": now.isoformat()}).encode()
    write_atomic(path, data, durable=False)


def take_ended(project: Project, home: Home, now: datetime) -> Ended | None:
    """The session that ended last, once: the note is gone afterwards, also for hooks that run beside this."""
    path = _path(project, home)
    mine = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.replace(mine)
    except OSError:
        return None
    try:
        ended = _read(mine)
    finally:
        with suppress(OSError):
            mine.unlink()
    return ended if ended is not None and abs(now - ended.at) < _FRESH else None


def _read(path: Path) -> Ended | None:
    try:
        fields = json.loads(read_within(path, path.parent, limit=_LIMIT, follow=False))
        at = parse_iso(str(fields["at"]))
        return Ended(str(fields["session_id"]), at) if at is not None else None
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError):
        return None


def _path(project: Project, home: Home) -> Path:
    return home.state / "ended" / f"{project_key(project.root)}.json"
