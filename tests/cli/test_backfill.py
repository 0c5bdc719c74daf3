"""`memtui captures --backfill`: listed, asked, written once."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.ground.project import Project, claude_config, transcript_slug
from tests.cli.conftest import Memtui, Says
from tests.disk import names
from tests.transcript_writer import TranscriptWriter

NAME = "20260102_091500-autocompact.md"


@pytest.fixture
def compacted(project: Project) -> Path:
    """A session that was compacted while no hook ran."""
    started = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)
    writer = TranscriptWriter("5b0c7e1a", cwd=str(project.root), branch="main", started=started)
    writer.prompt("\nFix the \x1b[31mrefund")
    writer.at(started.replace(minute=15))
    writer.compaction("s")
    path = claude_config() / "projects" / transcript_slug(project.root) / "5b0c7e1a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(writer.take())
    return path


def test_yes_writes_what_captures_then_lists(memtui: Memtui, project: Project, compacted: Path) -> None:
    result = memtui("captures", "--backfill", "--yes")
    assert (result.code, result.err) == (0, "")
    row, done = result.out.splitlines()
    assert row == "2026-01-02 09:15\t5b0c7e1a\tFix the ␛[31mrefund"
    assert done == f"Wrote 1 capture to {project.compacts}"
    (listed,) = json.loads(memtui("captures", "--json").out)
    assert (listed["file"], listed["status"], listed["session_id"]) == (NAME, "pending", "5b0c7e1a")
    again = memtui("captures", "--backfill", "--yes")
    assert again.out == "Nothing to do: every auto-compaction in the transcripts of shop has a capture.\n"
    assert names(project.compacts) == [".gitignore", NAME]


def test_without_a_terminal_nothing_is_written(memtui: Memtui, project: Project, compacted: Path) -> None:
    result = memtui("captures", "--backfill")
    assert (result.code, result.err) == (
        1,
        "memtui: Nothing was changed, as only --yes answers without a terminal: Write 1 capture?\n",
    )
    assert not project.compacts.exists()


@pytest.mark.parametrize(("answer", "written"), [("n", False), ("y", True)])
def test_the_person_is_asked(
    memtui: Memtui, project: Project, compacted: Path, says: Says, answer: str, written: bool
) -> None:
    says(answer)
    assert memtui("captures", "--backfill").code == 0
    assert project.compacts.exists() == written


def test_a_program_gets_a_list_and_writes_only_with_yes(
    memtui: Memtui, project: Project, compacted: Path
) -> None:
    (listed,) = json.loads(memtui("captures", "--backfill", "--json").out)
    assert listed == {
        "timestamp": "2026-01-02T09:15:00+00:00",
        "session_id": "5b0c7e1a",
        "transcript": str(compacted),
        "first_message": "Fix the \x1b[31mrefund",
        "capture": "",
    }
    assert not project.compacts.exists()
    (listed,) = json.loads(memtui("captures", "--backfill", "--json", "--yes").out)
    assert listed["capture"] == str(project.compacts / NAME)
    assert json.loads(memtui("captures", "--backfill", "--json").out) == []


def test_a_broken_capture_does_not_stop_it(memtui: Memtui, project: Project, compacted: Path) -> None:
    project.compacts.mkdir(parents=True)
    (project.compacts / NAME).write_text("nothing")
    assert memtui("captures", "--backfill", "--yes").code == 0
    assert names(project.compacts)[-1] == "20260102_091501-autocompact.md"
