"""`memtui transcript --facts`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.ground.project import Project
from tests.cli.conftest import Memtui
from tests.transcript_writer import TranscriptWriter

KEYS = {
    "session_id",
    "first_prompt",
    "last_prompt",
    "prompts",
    "modified_files",
    "read_files",
    "commands",
    "todos",
    "plan",
    "errors",
    "turns",
    "answers",
    "compactions",
    "last_action",
    "cwd",
    "branch",
}


@pytest.fixture
def transcript(project: Project) -> Path:
    session = TranscriptWriter(
        "5b0c7e1a", cwd=str(project.root), branch="tax", started=datetime(2026, 1, 2, 9, 0, tzinfo=UTC)
    )
    session.prompt("Round the \x1b[2Jtax per line – merci \ud83d")
    session.read(f"{project.root}/src/sum.ts", "1\n")
    session.edit(f"{project.root}/src/tax.ts", "a", "b")
    session.bash("npm test", "Run the tests", "1 failed", failed=True)
    session.tasks(["Add a test"])
    path = project.root / "session.jsonl"
    path.write_bytes(session.take().encode("utf-8", "surrogatepass"))
    return path


def test_json_has_every_key(memtui: Memtui, transcript: Path, project: Project) -> None:
    result = memtui("transcript", "--facts", str(transcript), "--json")
    assert (result.code, result.err) == (0, "")
    facts = json.loads(result.out)
    assert set(facts) >= KEYS
    assert facts["modified_files"] == [f"{project.root}/src/tax.ts"]
    assert facts["read_files"] == [f"{project.root}/src/sum.ts"]
    (todo,) = facts["todos"]
    assert (todo["content"], todo["status"]) == ("Add a test", "pending")
    assert todo["line"] > 0
    assert facts["first_prompt"].startswith("Round the \x1b[2Jtax per line – merci")
    assert "\x1b" not in result.out
    assert "–" in result.out


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere.jsonl", "is not a file; name a transcript or a session's id"),
        ("notes.jsonl", "is not a transcript: not one of its 2 lines is JSON"),
        ("word.jsonl", "is not a transcript: its one line is not JSON"),
    ],
)
def test_other_files_than_transcripts_are_bad_input(
    memtui: Memtui, project: Project, name: str, reason: str
) -> None:
    (project.root / "notes.jsonl").write_text("milk\nbread\n", "utf-8")
    (project.root / "word.jsonl").write_text("milk\n", "utf-8")
    result = memtui("transcript", "--facts", name)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("memtui: ")
    assert name in result.err
    assert reason in result.err
    assert result.err.count("\n") == 1
