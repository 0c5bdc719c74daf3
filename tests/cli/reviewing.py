"""A pending capture, for the tests of `memtui review`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.documents.capture import capture_name, render_pending
from memtui.ground.project import Project, claude_config, transcript_slug
from tests.transcript_writer import TranscriptWriter

CAPTURED = datetime(2026, 1, 2, 9, 15, tzinfo=UTC)


NAME = capture_name(CAPTURED)


SESSION = "5b0c7e1a-3f42-4d8e-9a61-c2f0d7b8e913"


NOW = CAPTURED + timedelta(hours=1)


ID = f"CMEM-{NOW:%Y%m%d-%H%M%S}"


def transcript_of(project: Project) -> Path:
    return claude_config() / "projects" / transcript_slug(project.root) / f"{SESSION}.jsonl"


def put_capture(project: Project, moment: datetime = CAPTURED, transcript: Path | None = None) -> Path:
    path = project.compacts / capture_name(moment)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = render_pending(
        timestamp=moment,
        session_id=SESSION,
        transcript=str(transcript or transcript_of(project)),
        first_message="Round the tax per line",
    )
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def captured(project: Project) -> Project:
    """A project with one pending capture of a session that changed a file before and another one after it."""
    session = TranscriptWriter(
        SESSION, cwd=str(project.root), branch="tax", started=CAPTURED - timedelta(minutes=20)
    )
    session.prompt("Round the tax per line")
    session.edit(f"{project.root}/src/tax.ts", "round(sum)", "sum(rounded)")
    session.at(CAPTURED + timedelta(seconds=30))
    session.compaction("This session is being continued from a previous conversation.\n\nSummary:\n1. Tax\n")
    session.edit(f"{project.root}/src/later.ts", "a", "b")
    path = transcript_of(project)
    path.parent.mkdir(parents=True)
    path.write_text(session.take(), "utf-8")
    put_capture(project)
    return project
