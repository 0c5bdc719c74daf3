"""The notes for a session before its compaction: what stays in force, the most important lines first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import draft_session_state
from memtui.ground.project import Project
from memtui.transcript.records import Landmark, Source
from tests.transcripts import SAID, Transcript

APP = Project(Path("/work/app"))


def notes(transcript: Transcript, folder: Path) -> str:
    facts = transcript.facts(folder)
    return compaction_notes(facts, draft_session_state(facts, APP), APP.root)


def _begun(prompt: str) -> Transcript:
    said = Transcript()
    said.user(prompt)
    return said


def section(text: str, title: str) -> list[str]:
    return text.partition(f"## {title}")[2].partition("\n## ")[0].strip("\n").split("\n")[1:]


def test_rules_are_quoted_newest_first_and_once(tmp_path: Path) -> None:
    said = Transcript()
    for text in (
        "never touch the keeper's log",
        "Port the lamp driver",
        "never touch the keeper's log",
        "run it",
    ):
        said.user(text)
    said.broken("Bash", f"{SAID}do not push before the lamp is lit", command="git push")
    said.broken("Write", f"{SAID}the harbour office writes that one", file_path="/work/app/x.md", content="x")
    text = notes(said, tmp_path)
    assert section(text, "Rules") == [
        "- do not push before the lamp is lit (L6)",
        "- never touch the keeper's log (L3)",
    ]
    assert section(text, "Refused") == ["- “the harbour office writes that one” (L8)"]


def test_only_checks_that_went_well_are_commands_that_work(tmp_path: Path) -> None:
    said = _begun("Go")
    said.tool("Bash", "a b", command="ls -la")
    said.broken("Bash", "1 failed", command="cd /work/app && pytest -q 2>&1 | tail -3")
    said.tool("Bash", "3 passed", command="pytest -q")
    said.broken("Bash", "2 errors", command="ruff check .")
    assert section(notes(said, tmp_path), "Commands") == ["- pytest -q (L6)"]


def test_many_rules_and_tasks_have_room_together(tmp_path: Path) -> None:
    said = Transcript()
    for number in range(60):
        said.user(f"Never light lamp number {number} " + "without asking the keeper " * 12)
    said.tool(
        "TodoWrite", todos=[{"content": f"Light lamp {at} " * 9, "status": "pending"} for at in range(40)]
    )
    text = notes(said, tmp_path)
    assert len(text) <= 2_500
    assert len(section(text, "Rules")) == 8
    assert section(text, "Steps")


def test_a_question_without_an_answer_is_named(tmp_path: Path) -> None:
    said = _begun("Commit it")
    said.call("AskUserQuestion", questions=[{"question": "Which files?", "options": []}])
    due = section(notes(said, tmp_path), "Steps")
    assert '- Claude asked (L2): "Which files?"' in due


def test_the_last_commits_are_named(tmp_path: Path) -> None:
    marks = tuple(Landmark("commit", f"step {at}", f"abc123{at}", Source(at)) for at in range(1, 8))
    facts = replace(_begun("Go").facts(tmp_path), landmarks=marks)
    text = compaction_notes(facts, draft_session_state(facts, APP), APP.root)
    names = [line for line in section(text, "Names") if line.startswith("- committed")]
    assert names[0] == "- committed step 7 (abc1237) (L7)"
    assert len(names) == 3
