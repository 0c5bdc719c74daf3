"""What PreCompact has asked each summariser to keep, so that it can be seen what the asking is worth.

A file a session holds the last of these texts, as Claude Code records none of an automatic compaction.
Standard library only: a hook writes them.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem, private_folder, read_within, write_atomic
from memtui.ground.project import Home, session_key

_WITHIN = timedelta(minutes=30)
"""Maximum time between the asking and the boundary; a summary may be made ahead."""


def note_asked(home: Home, session_id: str, text: str, now: datetime) -> None:
    """Keep what is being asked for; a `FileProblem` if that fails."""
    path = _path(home, session_id)
    private_folder(path.parent)
    texts = [*_read(path), [now.isoformat(), text]][-10:]
    write_atomic(path, json.dumps(texts).encode(), durable=False)


def asked_for(home: Home, session_id: str, moment: datetime | None) -> str:
    """What was asked for the compaction whose boundary was written at a time; "" if that is unknown."""
    if moment is None:
        return ""
    known = [(at, text) for stamp, text in _read(_path(home, session_id)) if (at := parse_iso(stamp))]
    return next((text for at, text in reversed(known) if timedelta() <= moment - at <= _WITHIN), "")


def _path(home: Home, session_id: str) -> Path:
    return home.state / "asked" / f"{session_key(session_id)}.json"


def _read(path: Path) -> list[list[str]]:
    try:
        found = json.loads(read_within(path, path.parent, limit=1 << 20))
        return [[str(at), str(text)] for at, text in found]
    except (FileProblem, ValueError, TypeError, RecursionError):
        return []
