"""Captures for the tests of the stores."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from memtui.documents.capture import capture_name, render_pending
from memtui.documents.memory_file import MemoryFile
from memtui.ground.project import Project

NAME = "20251225_081500-autocompact.md"
MEMORY_NAME = "20251225_081500-memory.md"

FIRST = datetime(2025, 12, 25, 8, 15, 0, tzinfo=timezone(timedelta(hours=-5)))
MEMORY = MemoryFile(title="Token refresh", goal="No more double refresh", learnings=("Lock first",))


def make_project(root: Path) -> Project:
    """An empty project."""
    root.mkdir(parents=True)
    return Project(root)


def add_capture(project: Project, number: int = 0, message: str = "Fix the refresh") -> Path:
    """A pending capture, `number` minutes after the first."""
    moment = FIRST + timedelta(minutes=number)
    project.compacts.mkdir(parents=True, exist_ok=True)
    path = project.compacts / capture_name(moment)
    path.write_text(
        render_pending(
            timestamp=moment, session_id=f"s{number}", transcript="/t.jsonl", first_message=message
        )
    )
    return path
