"""Facts come in the order of the transcript's lines, regardless of their times."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtui.documents.events import check_event, error_event
from memtui.documents.memory_file import draft_memory
from memtui.transcript.records import NOWHERE, Command, Source, in_order, is_after
from tests.documents.made import at, ran
from tests.transcripts import START, STOP, Transcript


@pytest.mark.parametrize("step", [-1, 0])
def test_times_that_repeat_or_go_back_hide_nothing_that_came_later(tmp_path: Path, step: int) -> None:
    t = Transcript()

    def still() -> None:
        t.moment = START.replace(second=30 + step * len(t.data) // 1000)

    t.user("Fire the kiln")
    for run in (
        lambda: t.edit("/work/app/kiln.py"),
        lambda: t.tool("Bash", "2 passed", command="pytest -q"),
        lambda: t.edit("/work/app/kiln.py"),
        lambda: t.broken("Bash", "Exit code 1\nError: no clay", command="make kiln"),
        lambda: t.broken("Bash", STOP, command="make clean"),
        lambda: t.tool("Bash", "done", command="make clay"),
        lambda: t.tool("TaskCreate", "Task #1 created successfully: glaze", subject="glaze"),
        lambda: t.tool("TaskUpdate", "Updated task #1 status", taskId="1", status="completed"),
        lambda: t.say("It is fired."),
    ):
        still()
        run()
    facts = t.facts(tmp_path)
    assert [todo.status for todo in facts.todos] == ["completed"]
    assert check_event(facts) == "SUCCESS: pytest -q (L4; 2 commands since, the last one ok)"
    assert error_event(facts, facts.errors[0], None).startswith(
        "Bash `make kiln` failed at L9, 1 command since, the last one ok"
    )
    assert draft_memory(facts).confidence.endswith("1 file changed after it")


def test_a_line_of_a_subagents_own_transcript_takes_its_place_by_time() -> None:
    third = replace(ran("third", 12), source=Source(12, 0, at(2).timestamp))
    own = [ran("first", 1), ran("second", 9), third]
    late = Command("between", "", "ok", None, "", Source(0, 5, at(4).timestamp, "subagent", "agent-a1 L5"))
    assert [each.text for each in in_order([own[2], late, own[0], own[1]])] == [
        "first",
        "between",
        "second",
        "third",
    ]
    assert is_after(late.source, at(3)) and not is_after(late.source, at(5))
    assert is_after(at(1), NOWHERE) and not is_after(NOWHERE, at(1))
