"""`memtui captures`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memtui.documents.capture import Capture, capture_name, render_capture, render_pending, reviewed
from memtui.ground.project import Project
from tests.cli.conftest import Memtui

ZONE = timezone(timedelta(hours=-5))
MORNING = datetime(2026, 1, 2, 8, 15, tzinfo=ZONE)
NOON = datetime(2026, 1, 2, 12, 0, tzinfo=ZONE)
EVENING = datetime(2026, 1, 2, 19, 30, tzinfo=ZONE)


@pytest.fixture
def three(project: Project) -> Project:
    """A reviewed capture of the morning, a broken one of noon and a pending one of the evening."""
    project.compacts.mkdir(parents=True)
    old = Capture(
        status="pending",
        timestamp=MORNING,
        session_id="abc123",
        transcript="/home/u/.claude/projects/-shop/abc123.jsonl",
        first_message="Add refunds",
    )
    done = reviewed(old, summary="Refunds were added.", memory="20260102_081500-memory.md")
    new = render_pending(
        timestamp=EVENING,
        session_id="def456",
        transcript="/t.jsonl",
        first_message="\n  Fix \x1b[2Jthe\ttax\nnow",
    )
    (project.compacts / capture_name(MORNING)).write_text(render_capture(done), "utf-8")
    (project.compacts / capture_name(NOON)).write_text("# Autocompact Capture\n\n**Status:** pend", "utf-8")
    (project.compacts / capture_name(EVENING)).write_text(new, "utf-8")
    return project


def test_a_pipe_gets_tab_separated_lines_newest_first(memtui: Memtui, three: Project) -> None:
    first, second, third = memtui("captures").out.splitlines()
    assert first.split("\t") == ["pending", "2026-01-03 00:30", "Fix ␛[2Jthe tax", capture_name(EVENING)]
    status, time, reason, file = second.split("\t")
    assert (status, time, file, not reason) == ("broken", "-", capture_name(NOON), False)
    assert third.split("\t") == ["reviewed", "2026-01-02 13:15", "Add refunds", capture_name(MORNING)]


def test_json_has_every_field(memtui: Memtui, three: Project) -> None:
    pending, broken, done = json.loads(memtui("captures", "--json").out)
    assert pending == {
        "file": capture_name(EVENING),
        "path": str(three.compacts / capture_name(EVENING)),
        "status": "pending",
        "timestamp": "2026-01-02T19:30:00-05:00",
        "session_id": "def456",
        "transcript": "/t.jsonl",
        "title": "Fix \x1b[2Jthe\ttax",
        "summary": "",
        "memory": "",
        "problem": "",
    }
    assert broken["status"] == "broken" and broken["problem"]
    assert broken.keys() == pending.keys()
    assert (done["summary"], done["memory"]) == ("Refunds were added.", "20260102_081500-memory.md")


def test_a_title_is_the_sessions_name_as_in_the_app(memtui: Memtui, transcript: Path) -> None:
    (folder := Path(".project/compacts")).mkdir(parents=True)
    told = {"session_id": "session-1", "transcript": str(transcript), "first_message": "/deploy"}
    (folder / capture_name(NOON)).write_text(render_pending(timestamp=NOON, **told))
    assert memtui("captures").out.split("\t")[2] == "The ask"


def test_nothing_there_is_a_sentence(memtui: Memtui, project: Project) -> None:
    assert str(project.compacts) in memtui("captures").out
    assert memtui("captures", "--root", "nowhere").code == 2
    assert memtui("captures", "--pending").out == "Nothing waits for a review in shop.\n"
    assert memtui("captures", "--json").out == "[]\n"


def test_a_folder_of_captures_that_leads_elsewhere_or_is_a_file_is_refused(
    memtui: Memtui, project: Project, tmp_path: Path
) -> None:
    (tmp_path / "secrets").mkdir()
    project.compacts.parent.mkdir()
    project.compacts.symlink_to(tmp_path / "secrets")
    result = memtui("captures")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"memtui: {project.compacts} ")
    assert result.err.count("\n") == 1
    project.compacts.unlink()
    project.compacts.touch()
    result = memtui("captures", "--json")
    assert (result.code, result.out) == (1, "")
    assert str(project.compacts) in result.err
