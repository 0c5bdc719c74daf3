"""Workflow sessions of a project: ``.workflow/active/WFS-*/IMPL_PLAN.md`` (seed 000). Read only."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from memtui.ground.files import FileMissing, FileOutside, FileProblem, read_within
from memtui.ground.project import Project
from memtui.store.listing import Entry, scan

_ID = re.compile(r"WFS-[^\x00-\x1f\x7f]{1,200}")
_PLAN = "IMPL_PLAN.md"
_LIMIT = 1 << 20
"""Maximum size of plans that are read, in bytes."""


class WorkflowSession(NamedTuple):
    """An active workflow session."""

    id: str
    """``WFS-...``: its folder's name."""
    path: Path


def active_sessions(project: Project) -> list[WorkflowSession]:
    """The active workflow sessions, last changed first; none without such a folder.

    Raises:
        FileProblem: the folder cannot be listed.
    """
    try:
        entries = [each for each in scan(_folder(project), _ID, within=project.root) if each.path.is_dir()]
    except FileOutside:
        return []
    changed = sorted(((_changed(entry), entry.name, entry.path) for entry in entries), reverse=True)
    return [WorkflowSession(name, path) for _, name, path in changed]


def _changed(entry: Entry) -> int:
    """Time of the last change of the session's folder or plan."""
    try:
        return max(entry.mtime_ns, os.lstat(entry.path / _PLAN).st_mtime_ns)
    except OSError:
        return entry.mtime_ns


def read_plan(project: Project, session_id: str) -> str:
    """The text of a workflow session's plan; "" if it has none.

    Raises:
        FileProblem: there is no such session, or its plan cannot be read.
    """
    folder = _folder(project) / session_id
    if not _ID.fullmatch(session_id) or "/" in session_id or "\\" in session_id:
        raise FileProblem(_folder(project), f"holds no workflow session called {session_id!r}")
    if not folder.is_dir():
        raise FileProblem(folder, "does not exist, or is no active workflow session")
    try:
        data = read_within(folder / _PLAN, project.root, limit=_LIMIT)
    except FileMissing:
        return ""
    return data.decode("utf-8", "replace")


def _folder(project: Project) -> Path:
    return project.root / ".workflow" / "active"
