"""Shapes that differ between versions of Claude Code and between its terminal, editor and SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui.transcript.records import to_json
from tests.transcripts import Transcript

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). "
)
DETAILS = (
    "\n\nIf you need specific details from before exiting plan mode (like exact code snippets), read the "
    "full transcript at: /home/u/.claude/projects/x/y.jsonl"
)


def facts_of(session: Transcript, folder: Path) -> dict[str, Any]:
    return to_json(session.facts(folder))


def test_plan_in_the_words_of_a_first_prompt(tmp_path: Path) -> None:
    session = Transcript()
    feedback = "\n\nUser feedback on this plan: go"
    session.user(f"Implement the following plan:\n\n# Plan\n\n## Step{DETAILS}{feedback}")
    facts = facts_of(session, tmp_path)
    assert facts["plan"] == {"source": "planContent", "content": "# Plan\n\n## Step"}
    assert facts["first_prompt"].startswith("Implement the following plan:\n\n# Plan")


def test_plan_that_only_its_approval_states(tmp_path: Path) -> None:
    session = Transcript()
    answer = {"plan": "# Plan", "filePath": "/home/u/.claude/plans/x.md"}
    session.result(session.call("ExitPlanMode"), "User has approved your plan.", detail=answer)
    facts = facts_of(session, tmp_path)
    assert facts["plan"] == {"source": "ExitPlanMode", "content": "# Plan"}
    assert facts["plans"][0]["fate"] == "approved"


def test_refusals_of_the_editor_are_no_errors_and_their_words_are_the_users(tmp_path: Path) -> None:
    session = Transcript()
    session.user("go")
    reason = "The user provided the following reason for the rejection:  use conda"
    session.broken("Bash", REFUSED + reason, command="pip install x")
    stay = "User chose to stay in plan mode and continue planning"
    comments = f'{stay}\n\nComments on the plan:\n[Re: "step 1"] why?'
    session.broken("ExitPlanMode", comments, plan="# A")
    session.broken("ExitPlanMode", stay, plan="# B")
    facts = facts_of(session, tmp_path)
    assert facts["prompts"] == ["go", "use conda", '[Re: "step 1"] why?']
    assert facts["errors"] == []
    assert [plan["fate"] for plan in facts["plans"]] == ["rejected", "rejected"]


def test_words_of_the_program_are_no_prompts(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Run the nightly check", promptSource="system")
    session.user('<agent-message from="a1">done</agent-message>')
    session.user('<mcp-resource-update server="x" uri="y"></mcp-resource-update>')
    session.user("<fork-boilerplate>rules</fork-boilerplate>\nYour directive: x")
    session.user("<p>why is this paragraph so wide?</p>", promptSource="typed")
    assert facts_of(session, tmp_path)["prompts"] == ["<p>why is this paragraph so wide?</p>"]


def test_task_numbers_that_begin_anew_are_another_list(tmp_path: Path) -> None:
    session = Transcript()
    for subject, number in (("first", "1"), ("second", "2"), ("other", "1")):
        made = {"task": {"id": number, "subject": subject}}
        session.result(session.call("TaskCreate", subject=subject), f"Task #{number} created", detail=made)
    (todo,) = facts_of(session, tmp_path)["todos"]
    assert (todo["content"], todo["status"], todo["line"]) == ("other", "pending", 5)
