"""The notes for a compacted session: quotes and lists, the most important lines first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import draft_session_state
from memtui.documents.memory_draft import draft_memory
from memtui.documents.recovery_draft import last_action
from memtui.ground.project import Project
from memtui.transcript.records import Landmark, Quote, Source, Todo, Turn
from tests.transcripts import Transcript

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


def test_messages_are_quoted_newest_first_and_once(tmp_path: Path) -> None:
    said = Transcript()
    for text in ("Port the lamp driver", "never touch the keeper's log", "Port the lamp driver", "run it"):
        said.user(text)
    assert section(notes(said, tmp_path), "The user's messages") == [
        "- L4: run it",
        "- L3: Port the lamp driver",
        "- L2: never touch the keeper's log",
    ]


def test_many_long_messages_are_all_named(tmp_path: Path) -> None:
    said = Transcript()
    for number in range(30):
        said.user(f"Request number {number}: " + "please look at the lamp again and again " * 20)
    lines = section(notes(said, tmp_path), "The user's messages")
    assert len(lines) == 30
    assert sum(map(len, lines)) <= 4_500


def test_commands_that_check_come_first_with_their_last_outcome(tmp_path: Path) -> None:
    said = _begun("Go")
    said.tool("Bash", "a b", command="ls -la")
    said.broken("Bash", "1 failed", command="cd /work/app && pytest -q 2>&1 | tail -3")
    said.tool("Bash", command="./deploy staging")
    said.tool("Bash", "3 passed", command="pytest -q")
    assert section(notes(said, tmp_path), "Commands") == [
        "- `pytest -q`: 2 times, last: ok (L8)",
        "- `./deploy staging`: ok (L6)",
        "- `ls -la`: ok (L2)",
    ]


def test_a_command_is_ok_only_where_its_own_status_is_shown(tmp_path: Path) -> None:
    said = _begun("Go")
    said.tool("Bash", "rejected", command="git push origin main 2>&1 | tail -3; date")
    said.tool("Bash", "done", command="cd /work/app && ./deploy 'a; b'")
    assert section(notes(said, tmp_path), "Commands") == [
        "- `./deploy 'a; b'`: ok (L4)",
        "- `git push origin main; date`: exit status hidden (L2)",
    ]


def test_pasted_blocks_are_named_in_messages(tmp_path: Path) -> None:
    block = "\n".join(f"2026-01-02T10:00:0{n}Z worker {n} said something" for n in range(6))
    (line,) = section(notes(_begun(f"Why is this?\n\n{block}"), tmp_path), "The user's messages")
    assert line.startswith("- L1: Why is this? [pasted at L1, 6 lines")


def test_subagents_reports_are_quoted(tmp_path: Path) -> None:
    said = _begun("Go")
    said.tool("Task", "53 tests passed.", prompt="Run the tests")
    assert section(notes(said, tmp_path), "What subagents") == ["- L3: 53 tests passed."]


def test_reports_and_closings_give_way_to_messages_and_commands(tmp_path: Path) -> None:
    said = Transcript()
    for number in range(30):
        said.user(f"Request {number}: " + "please look at the lamp again " * 20)
        said.tool("Bash", command=f"./run --step {number} " + "with a long option " * 9)
    said.tool("Task", "53 tests passed.", prompt="Run the tests")
    said.say("The last lamp is lit. " * 60)
    text = notes(said, tmp_path)
    assert "What subagents" not in text
    (closing,) = section(text, "What Claude said")
    assert len(closing) < 450
    assert len(section(text, "The user's messages")) == 30
    assert 12 <= len(section(text, "Commands")) < 24
    assert len(text) < 7_700


def test_empty_kinds_are_left_out(tmp_path: Path) -> None:
    text = notes(_begun("hello"), tmp_path)
    for title in ("Open tasks", "Commands", "Files changed", "Files read", "Decisions"):
        assert title not in text


def test_closing_messages_name_their_line(tmp_path: Path) -> None:
    facts = _begun("Go").facts(tmp_path)
    turn = Turn(1, "typed", Source(1), closing=Quote("All lamps lit.", Source(7)))
    notified = Turn(2, "notification", Source(8), closing=Quote("Noted.", Source(9)))
    facts = replace(facts, turns=(turn, notified))
    text = compaction_notes(facts, draft_session_state(facts, APP), APP.root)
    assert section(text, "What Claude said") == ["- L7: All lamps lit."]


def test_open_tasks_and_an_interrupted_turn_name_their_lines(tmp_path: Path) -> None:
    facts = _begun("Go").facts(tmp_path)
    todos = (Todo("Light it", "pending", source=Source(5)), Todo("Climb", "in_progress", source=Source(4)))
    facts = replace(facts, todos=todos, turns=(Turn(1, "typed", Source(1), "Go", end="interrupted"),))
    text = compaction_notes(facts, draft_session_state(facts, APP), APP.root)
    assert section(text, "Open") == ["- Climb (in progress) (L4)", "- Light it (L5)"]
    assert "- The last turn was interrupted (L1)" in section(text, "Goal")


def test_an_api_error_is_named_by_its_own_line(tmp_path: Path) -> None:
    said = _begun("Port it")
    said.tool("Bash", command="make lamp")
    said.say("API Error: 529", isApiErrorMessage=True, message={"model": "<synthetic>"})
    facts = said.facts(tmp_path)
    state = draft_session_state(facts, APP)
    end = "last turn ended with an API error (L4"
    assert f"- The {end})" in section(compaction_notes(facts, state, APP.root), "Goal and plan")
    assert state.tasks[-1].children[-1].text == f"the {end})"
    assert f"The {end})" in last_action(facts)
    assert f"the {end} " in draft_memory(facts).confidence


def test_a_question_without_an_answer_is_named(tmp_path: Path) -> None:
    said = _begun("Commit it")
    said.call("AskUserQuestion", questions=[{"question": "Which files?", "options": []}])
    goal = section(notes(said, tmp_path), "Goal and plan")
    assert '- Waits for the user\'s answer to: "Which files?" (L2)' in goal


def test_the_last_commits_are_named(tmp_path: Path) -> None:
    marks = tuple(Landmark("commit", f"step {at}", f"abc123{at}", Source(at)) for at in range(1, 8))
    facts = replace(_begun("Go").facts(tmp_path), landmarks=marks)
    text = compaction_notes(facts, draft_session_state(facts, APP), APP.root)
    assert section(text, "Commits")[0] == "- committed step 7 (abc1237) (L7)"
    assert len(section(text, "Commits")) == 5
