"""PreCompact: the capture of what is about to be summarised (seed 001), once a compaction."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

from memtui.clock import parse_iso
from memtui.files import FileProblem, create_exclusive, lock, private_folder, write_atomic
from memtui.formats.capture_text import capture_name, render_pending
from memtui.hooks.first_prompt import first_prompt
from memtui.hooks.payload import Payload
from memtui.project import Home, Project

LOCK_SECONDS = 1.0
"""A hook gives up on a lock after this: what it does is not worth making Claude Code wait."""

_SAME = timedelta(minutes=10)
"""Within this time two calls without a compaction between them are one compaction, reported twice."""
_NAMES = 100
_BOUNDARY = b'"compact_boundary"'
_GROWN = 64 << 20
"""Bytes of the transcript that are searched for a compaction since the last capture."""


def capture(payload: Payload, project: Project, home: Home, now: datetime) -> str:
    """Write the pending capture; returns its file name, or "" when this compaction has one already.

    Claude Code may run the hook several times for one compaction, in parallel too (Claude Code fact). So the
    size of the transcript is remembered for each session: until a compaction stands in what was added to it
    since, it is the same one.

    Raises:
        FileProblem: the capture cannot be written.
    """
    note = home.state / "captured" / f"{_file_name(payload.session_id)}.json"
    try:
        private_folder(note.parent, within=_existing_parent(home.state))
        with lock(note, timeout=LOCK_SECONDS):
            if _captured_before(note, payload.transcript_path, now):
                return ""
            name = _write(payload, project, now)
            size = _size(payload.transcript_path)
            write_atomic(note, json.dumps({"size": size, "at": now.isoformat()}).encode())
            return name
    except FileProblem:
        # Without the note a second capture is possible; without a capture something is lost for good.
        return _write(payload, project, now)


def _write(payload: Payload, project: Project, now: datetime) -> str:
    text = render_pending(
        timestamp=now,
        session_id=payload.session_id,
        transcript=payload.transcript_path,
        first_message=_first_message(payload.transcript_path),
    )
    private_folder(project.compacts, within=project.root)
    for second in range(_NAMES):
        name = capture_name(now + timedelta(seconds=second))
        if create_exclusive(project.compacts / name, text.encode(), within=project.root):
            return name
    raise FileProblem(project.compacts, "has captures for every second of the next minutes already")


def _first_message(transcript: str) -> str:
    try:
        return first_prompt(Path(transcript)) if transcript else ""
    except (OSError, ValueError):
        return ""


def _captured_before(note: Path, transcript: str, now: datetime) -> bool:
    try:
        known = json.loads(note.read_bytes())
        size, at = int(known["size"]), parse_iso(str(known["at"]))
    except (OSError, ValueError, TypeError, KeyError):
        return False
    if at is None or not timedelta(0) <= now - at < _SAME:
        return False
    return not _compacted_since(transcript, size)


def _compacted_since(transcript: str, size: int) -> bool:
    try:
        with Path(transcript).open("rb") as file:
            file.seek(max(0, size - len(_BOUNDARY)))
            return _BOUNDARY in file.read(_GROWN)
    except (OSError, ValueError):
        return False


def _size(transcript: str) -> int:
    try:
        return Path(transcript).stat().st_size
    except (OSError, ValueError):
        return 0


def _file_name(session_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", session_id)[:100] or "unknown"


def _existing_parent(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.is_dir())
