"""Requests to write a session's state and archive its transcript: left by hooks, served by another process.

A request is a small file, ``requests/<session>.json``. It is renamed before it is served, so that later
requests are files of their own; one that was begun twice and never finished is dropped.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from memtui.ground.files import (
    FileProblem,
    existing_above,
    private_folder,
    read_within,
    sweep_temps,
    write_atomic,
)
from memtui.ground.named import NamedTuple
from memtui.ground.project import Home, Project
from memtui.hooks.payload import Payload
from memtui.hooks.report import Report
from memtui.hooks.settings import wants_requests
from memtui.store.note_names import session_key
from memtui.store.transcript_path import TranscriptProblem, check_transcript

_NEW, _BEGUN, _AGAIN = ".json", ".begun", ".again"
_LIMIT = 64 << 10
_LOOK_SECONDS = 0.015


class Request(NamedTuple):
    """A session whose state and transcript are to be stored."""

    session_id: str
    transcript: Path
    root: Path
    """The project's."""


class Claimed(NamedTuple):
    """A request that is being served."""

    path: Path
    request: Request | None
    """None if it cannot be read, or was begun twice before."""


def requests_folder(home: Home) -> Path:
    """The folder of requests."""
    return home.state / "requests"


def ask_for_state(payload: Payload, project: Project, home: Home, report: Report) -> None:
    """Leave a request unless everything it asks for is switched off; problems are reported."""
    try:
        if not wants_requests(home.config, report):
            return
        report.serve = leave_request(payload, project, home)
    except FileProblem as problem:
        report.problem(problem)


def leave_request(payload: Payload, project: Project, home: Home) -> bool:
    """Request a session's next version; False for a session without content.

    Raises:
        FileProblem: the request cannot be written.
    """
    key = session_key(payload.session_id)
    if payload.agent_id or key != payload.session_id:  # not an id under which a state could be stored
        return False
    try:
        transcript = check_transcript(payload.transcript_path)
    except TranscriptProblem:  # a session without messages has no state
        return False
    folder = requests_folder(home)
    private_folder(folder, within=existing_above(home.state))
    fields = {"session_id": payload.session_id, "transcript": str(transcript), "root": str(project.root)}
    path = folder / f"{key}{_NEW}"
    write_atomic(path, json.dumps(fields).encode(), durable=False)
    return True


def is_open(session_id: str, home: Home) -> bool:
    """Whether a request for a session is waiting or being served."""
    return any(map(os.path.lexists, requests_of(session_id, home)))


def requests_of(session_id: str, home: Home) -> list[Path]:
    """The possible files of a request for a session."""
    path = requests_folder(home) / session_key(session_id)
    return [Path(f"{path}{kind}") for kind in (_NEW, _BEGUN, _AGAIN)]


def wait_until_served(session_id: str, home: Home, seconds: float) -> bool:
    """Wait until no request for a session is open; False after `seconds`."""
    deadline = time.monotonic() + seconds
    while is_open(session_id, home):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


def has_requests(home: Home) -> bool:
    """Whether requests are waiting."""
    return bool(_oldest_first(requests_folder(home)))


def claim(home: Home) -> Claimed | None:
    """Take the oldest request, to be served and then closed; None if no request waits.

    Only the holder of the server's lock may call this: requests begun earlier belong to a dead server.
    """
    folder = requests_folder(home)
    sweep_temps(folder)
    for path in _oldest_first(folder):
        begun = path.with_suffix(_BEGUN if path.suffix == _NEW else _AGAIN)
        with suppress(OSError):
            if path.suffix == _AGAIN:
                path.unlink()
                return Claimed(path, None)
            path.replace(begun)
            return Claimed(begun, _read(begun))
    return None


def close(claimed: Claimed) -> None:
    """Remove a request that has been served."""
    with suppress(OSError):
        claimed.path.unlink()


def _oldest_first(folder: Path) -> list[Path]:
    found: list[tuple[int, str]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        found += [
            (entry.stat(follow_symlinks=False).st_mtime_ns, entry.path)
            for entry in entries
            if entry.name.endswith((_NEW, _BEGUN, _AGAIN)) and entry.is_file(follow_symlinks=False)
        ]
    return [Path(path) for _, path in sorted(found)]


def _read(path: Path) -> Request | None:
    try:
        fields = json.loads(read_within(path, path.parent, limit=_LIMIT, follow=False))
        values = [fields[name] for name in ("session_id", "transcript", "root")]
    except (FileProblem, ValueError, TypeError, KeyError, RecursionError):
        return None
    if not all(isinstance(value, str) and value and "\0" not in value for value in values):
        return None
    return Request(values[0], Path(values[1]), Path(values[2]))
