"""A transcript that is still being written, and one that covers a part of a session."""

from __future__ import annotations

from pathlib import Path

from memtui.transcript.facts import read_facts
from tests.transcripts import Transcript, tool_result, tool_use


def test_a_line_that_is_being_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Fix the race")
    path = transcript.write(tmp_path)
    transcript.edit("/work/app/a.py")
    path.write_bytes(transcript.data[:-30])
    facts = read_facts(path)
    assert (facts.modified_files, facts.lines, facts.skipped_lines) == ((), 3, 1)
    path.write_bytes(transcript.data)
    facts = read_facts(path)
    assert [file.path for file in facts.modified_files] == ["/work/app/a.py"]
    assert (facts.lines, facts.skipped_lines) == (3, 0)


def test_a_check_that_a_subagent_ran_counts(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Make the tests pass")
    t.broken("Bash", "Exit code 1\nE   assert 1 == 2", command="pytest -q", description="d")
    task = t.call("Task", description="fix them", prompt="Make the tests pass")
    for number, command in enumerate(("ls src", "uv run pytest tests")):
        t.agent("assistant", tool_use(f"t{number}", "Bash", command=command))
        t.agent("user", tool_result(f"t{number}", "3 passed"))
    t.result(task, "They pass.")
    facts = read_facts(t.write(tmp_path))
    assert [each.text for each in facts.agent_checks] == ["uv run pytest tests"]
    assert [each.text for each in facts.commands] == ["pytest -q"]
