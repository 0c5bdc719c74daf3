"""What a hook's run is given and what it leaves: Claude Code's JSON, a report, a line in the log."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.ground.clean import clean_line
from memtui.ground.logs import append_line, read_lines
from memtui.ground.project import Project, find_root

_LIMIT = 12 << 20
"""Maximum bytes of standard input that are examined; a hook's JSON has some hundred."""


class Payload(NamedTuple):
    """The fields of a hook's JSON that memtui uses; "" if missing or of a wrong type."""

    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    trigger: str = ""
    """Of PreCompact: `auto` or `manual`."""
    source: str = ""
    """Of SessionStart: `startup`, `resume`, `clear`, `compact` or `fork`."""
    reason: str = ""
    """Of SessionEnd: `clear`, `logout`, `prompt_input_exit` and others."""
    prompt: str = ""
    """Of UserPromptSubmit: the typed text."""
    summary: str = ""
    """Of PostCompact: its `compact_summary`."""
    agent_id: str = ""
    """Set when the hook runs inside a subagent."""
    problem: str = ""
    """Why nothing could be read."""


def read_payload() -> Payload:
    """Read standard input. Never fails: the payload names the problem."""
    if sys.stdin is None:
        return Payload(problem="standard input is closed")
    try:
        data = sys.stdin.buffer.read(_LIMIT + 1)
        while len(data) > _LIMIT and sys.stdin.buffer.read(1 << 20):
            pass  # otherwise the writer would get an error when the hook ends
    except (OSError, ValueError) as error:
        return Payload(problem=f"standard input cannot be read: {error}")
    if len(data) > _LIMIT:
        return Payload(problem="standard input is too long")
    return parse_payload(data)


def parse_payload(data: bytes) -> Payload:
    """Parse a hook's JSON, in which anything may be missing."""
    try:
        fields = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Payload(problem="standard input is not JSON" if data.strip() else "standard input is empty")
    if not isinstance(fields, dict):
        return Payload(problem="standard input is not a JSON object")

    fields["summary"], fields["problem"] = fields.get("compact_summary"), ""
    given = {name: value for name in Payload._fields if isinstance(value := fields.get(name), str)}
    return Payload(**{name: value.encode("utf-8", "replace").decode() for name, value in given.items()})


def project_of(payload: Payload) -> Project | None:
    """The project a hook runs for, or None when its folder is gone.

    `CLAUDE_PROJECT_DIR` stays where the session was started, `cwd` follows `cd` and worktrees; so the first
    that exists counts (Claude Code fact: the variable was empty in some versions).
    """
    for name in (os.environ.get("CLAUDE_PROJECT_DIR", ""), payload.cwd):
        if name and "\0" not in name and (folder := Path(name)).is_absolute() and folder.is_dir():
            return Project(find_root(folder))
    return None


class Report:
    """Filled during the work, so that interrupted runs are logged, too."""

    def __init__(self) -> None:
        self.event = ""
        self.session_id = ""
        self.project = ""
        self.left: Mapping[str, Path] = {}
        """The jobs that entries of Claude Code's settings do; see `jobs_left`."""
        self.to_log = True
        """Whether a line in the log is still to be written; most prompts get none."""
        self.messages: list[str] = []
        """Sentences for the person, not for the model."""
        self.once_printed: list[Callable[[], object]] = []
        """Called once the output is printed."""
        self._done: list[str] = []
        self._problems: list[str] = []

    def printed(self) -> None:
        for act in self.once_printed:
            act()

    def add_work(self, what: str) -> None:
        self._done.append(what)

    def problem(self, what: object) -> None:
        """Add a problem; the other work goes on."""
        self._problems.append(str(what))

    @property
    def outcome(self) -> str:
        """`ok`, or every problem."""
        return _line(self._problems) or "ok"

    @property
    def detail(self) -> str:
        return _line(self._done)


def describe(error: BaseException) -> str:
    """An unexpected error in one line, with its place in the code."""
    import traceback  # rarely needed

    where = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        where = f" ({frame.f_code.co_filename.rpartition('memtui')[2].lstrip('/')}:{line})"
    return f"{type(error).__name__}: {error}{where}"


def _line(parts: list[str]) -> str:
    return clean_line("; ".join(parts))[:400]


LOG_LIMIT = 256 * 1024
"""Size in bytes from which a new file is begun; the previous one is kept."""

_READ_LIMIT = 4 * LOG_LIMIT


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
    line = json.dumps({key: value for key, value in run._asdict().items() if value != "" or key == "event"})
    with suppress(OSError, ValueError):
        append_line(path, line, limit=LOG_LIMIT)


def read_runs(path: Path, root: Path | None = None) -> list[Run]:
    """The runs in all projects, or that of `root`, oldest first; `OSError` if the log cannot be read."""
    runs = (_run(line) for line in read_lines(path, limit=_READ_LIMIT))
    return [run for run in runs if run and (root is None or run.project == str(root))]


def _run(line: str) -> Run | None:
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        fields = json.loads(line)
        ms = int(fields.pop("ms"))
        return Run(ms=ms, **{name: str(value) for name, value in fields.items() if name in Run._fields})
    return None
