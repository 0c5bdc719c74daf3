"""The hook log: one JSON line per run, bounded in size; `memtui doctor` reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from memtui.ground.files import append_line, read_lines

LIMIT = 256 * 1024
"""Size in bytes from which a new file is begun; the previous one is kept."""

_READ_LIMIT = 4 * LIMIT


class Run(NamedTuple):
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
    """The work done, in a few words."""
    session_id: str = ""
    project: str = ""
    """The project's root folder."""


def record(path: Path, run: Run) -> None:
    """Append a run. Never raises: a missing log entry does no harm."""
    fields = run._asdict()
    line = json.dumps({key: fields[key] for key in fields if fields[key] != "" or key == "event"})
    try:
        append_line(path, line, limit=LIMIT)
    except (OSError, ValueError):
        return


def read_runs(path: Path) -> list[Run]:
    """The recorded runs, oldest first; invalid lines are left out.

    Raises:
        OSError: the log exists and cannot be read.
    """
    return [run for line in read_lines(path, limit=_READ_LIMIT) if (run := _run(line)) is not None]


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
