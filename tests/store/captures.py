"""Captures for the tests of the stores."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from memtui.formats.capture_text import capture_name, render_pending
from memtui.formats.memory import MemoryFile
from memtui.ground.project import Project
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry
from tests.store.memories import home_in
from tests.store.undoing import Undo, Undoing

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


@dataclass(frozen=True)
class Review:
    """The files written by a review, and their undo."""

    memory_path: Path
    undo: Undo


class RecordedCaptures(CaptureStore):
    """The captures of a project, whose reviews are recorded in a home folder beside it."""

    def __init__(self, project: Project) -> None:
        self.undoing = Undoing(home_in(project.root.with_name(f"{project.root.name}-home")), project.root)
        super().__init__(project, self.undoing.changes.wrote)

    def reviewed(self, entry: Entry, *, memory: MemoryFile, summary: str) -> Review:
        """Review a capture, as one change."""
        with self.undoing.changes.together():
            path = self.review(entry, memory=memory, summary=summary)
        return Review(path, self.undoing.last())
