"""The hook log: one JSON line a run, bounded in size, so that a doctor can tell whether the hooks work."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from memtui.files import FileProblem, write_atomic

_LIMIT = 256 * 1024
"""Bytes after which the older half is dropped."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a hook."""

    at: str
    """ISO 8601 with offset."""
    event: str
    """As on the command line: `pre-compact`, `session-start`, `session-end`."""
    ms: int
    """Wall time in milliseconds, without the start of the interpreter."""
    outcome: str
    """`ok`, or what went wrong."""
    detail: str = ""
    """What was done, in a few words."""
    session_id: str = ""
    project: str = ""


def record(path: Path, run: Run) -> None:
    """Append a run. Never raises: a log that cannot be written harms nobody."""
    line = json.dumps({key: value for key, value in asdict(run).items() if value != ""}, ensure_ascii=True) + "\n"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LIMIT:
            _halve(path)
        # One write of one line: appends of parallel hooks do not mix.
        with path.open("a", encoding="ascii", opener=_private) as log:
            log.write(line)
    except (OSError, FileProblem):
        return


def _private(path: str, flags: int) -> int:
    import os

    return os.open(path, flags, 0o600)


def _halve(path: Path) -> None:
    data = path.read_bytes()
    middle = data.find(b"\n", len(data) // 2)
    write_atomic(path, data[middle + 1 :])


def read_runs(path: Path) -> list[Run]:
    """The runs on record, oldest first; lines that are none are left out.

    Raises:
        OSError: the log exists and cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return []
    return [run for run in map(_run, lines) if run is not None]


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
    except (ValueError, TypeError, KeyError):
        return None
