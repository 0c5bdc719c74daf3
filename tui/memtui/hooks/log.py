"""The hook log: one JSON line a run, bounded in size, so that a doctor can tell whether the hooks work."""

from __future__ import annotations

import json
import os
from pathlib import Path

from memtui.named import NamedTuple

LIMIT = 256 * 1024
"""Bytes after which a new file is begun; the one before it is kept."""

SERVER_EVENT = "compactor"
"""The event of runs of the hooks' server: no hook's, and Claude Code did not wait for it."""

_READ_LIMIT = 4 * LIMIT


class Run(NamedTuple):
    """One run of a hook."""

    at: str
    """ISO 8601 with offset."""
    event: str
    """As on the command line: `pre-compact`, `session-start`, `session-end`; or `SERVER_EVENT`."""
    ms: int
    """Wall time in milliseconds, without the start of the interpreter."""
    outcome: str
    """`ok`, or what went wrong."""
    detail: str = ""
    """What was done, in a few words."""
    session_id: str = ""
    project: str = ""
    """The project's root folder."""


def record(path: Path, run: Run) -> None:
    """Append a run. Never raises: a log that cannot be written harms nobody."""
    fields = run._asdict()
    line = json.dumps({key: fields[key] for key in fields if fields[key] != "" or key == "event"}) + "\n"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # One write of one line: appends of parallel hooks do not mix.
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o600)
        try:
            os.write(fd, line.encode())
            full = os.fstat(fd).st_size > LIMIT
        finally:
            os.close(fd)
        if full and path.stat().st_size > LIMIT:  # another run may have begun a new one
            path.replace(older(path))
    except (OSError, ValueError):
        return


# A pipe in the log's place does not block, and a link is not followed.
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def older(path: Path) -> Path:
    """Where the log before this one is kept: ``hooks.1.jsonl``."""
    return path.with_name(f"{path.stem}.1{path.suffix}")


def read_runs(path: Path) -> list[Run]:
    """The runs on record, oldest first; lines that are none are left out.

    Raises:
        OSError: the log exists and cannot be read.
    """
    lines = [line for each in (older(path), path) for line in _lines(each)]
    return [run for run in map(_run, lines) if run is not None]


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as log:
            return log.read(_READ_LIMIT).decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        return []


def _run(line: str) -> Run | None:
    try:
        fields = json.loads(line)
        return Run(
            at=str(fields["at"]),
            event=str(fields["event"]),
            ms=int(fields["ms"]),
            outcome=str(fields["outcome"]),
            detail=str(fields.get("detail", "")),
            session_id=str(fields.get("session_id", "")),
            project=str(fields.get("project", "")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
