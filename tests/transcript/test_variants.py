"""Shapes that differ between versions of Claude Code and between its terminal, editor and SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memtui.transcript.facts import read_facts
from memtui.transcript.records import to_json

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). "
)
STOP = REFUSED + "STOP what you are doing and wait for the user to tell you how to proceed."
DETAILS = (
    "\n\nIf you need specific details from before exiting plan mode (like exact code snippets), read the "
    "full transcript at: /home/u/.claude/projects/x/y.jsonl"
)


class Transcript:
    """Lines of a session, written one after the other."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, kind: str, content: Any, **fields: Any) -> None:
        moment = f"2026-01-01T10:{len(self.lines) // 60:02}:{len(self.lines) % 60:02}.000Z"
        record = {"type": kind, "sessionId": "s", "cwd": "/app", "timestamp": moment, "isSidechain": False}
        self.lines.append(
            json.dumps({**record, "message": {"id": moment, "role": kind, "content": content}, **fields})
        )

    def user(self, text: str, **fields: Any) -> None:
        self.add("user", text, **fields)

    def call(self, name: str, arguments: dict[str, Any], answer: str, **fields: Any) -> None:
        identity = f"toolu_{len(self.lines)}"
        self.add("assistant", [{"type": "tool_use", "id": identity, "name": name, "input": arguments}])
        failed = fields.pop("is_error", False)
        block = {"type": "tool_result", "tool_use_id": identity, "content": answer, "is_error": failed}
        self.add("user", [block], **fields)

    def facts(self, folder: Path) -> dict[str, Any]:
        path = folder / "s.jsonl"
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return to_json(read_facts(path))


def test_plan_in_the_words_of_a_first_prompt(tmp_path: Path) -> None:
    session = Transcript()
    feedback = "\n\nUser feedback on this plan: go"
    session.user(f"Implement the following plan:\n\n# Plan\n\n## Step{DETAILS}{feedback}")
    facts = session.facts(tmp_path)
    assert facts["plan"] == {"source": "planContent", "content": "# Plan\n\n## Step"}
    assert facts["first_prompt"].startswith("Implement the following plan:\n\n# Plan")


def test_plan_that_only_its_approval_states(tmp_path: Path) -> None:
    session = Transcript()
    answer = {"plan": "# Plan", "filePath": "/home/u/.claude/plans/x.md"}
    session.call("ExitPlanMode", {}, "User has approved your plan.", toolUseResult=answer)
    facts = session.facts(tmp_path)
    assert facts["plan"] == {"source": "ExitPlanMode", "content": "# Plan"}
    assert facts["plans"][0]["fate"] == "approved"


def test_refusals_of_the_editor_are_no_errors_and_their_words_are_the_users(tmp_path: Path) -> None:
    session = Transcript()
    session.user("go")
    reason = "The user provided the following reason for the rejection:  use conda"
    session.call("Bash", {"command": "pip install x"}, REFUSED + reason, is_error=True)
    stay = "User chose to stay in plan mode and continue planning"
    comments = f'{stay}\n\nComments on the plan:\n[Re: "step 1"] why?'
    session.call("ExitPlanMode", {"plan": "# A"}, comments, is_error=True)
    session.call("ExitPlanMode", {"plan": "# B"}, stay, is_error=True)
    facts = session.facts(tmp_path)
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
    assert session.facts(tmp_path)["prompts"] == ["<p>why is this paragraph so wide?</p>"]


def command(name: str, words: str = "") -> str:
    """A command that Claude Code carries out itself."""
    message = f"<command-message>{name}</command-message>"
    return f"<command-name>/{name}</command-name>\n{message}\n<command-args>{words}</command-args>"


def test_task_numbers_that_begin_anew_are_another_list(tmp_path: Path) -> None:
    session = Transcript()
    for subject, number in (("first", "1"), ("second", "2"), ("other", "1")):
        made = {"task": {"id": number, "subject": subject}}
        session.call("TaskCreate", {"subject": subject}, f"Task #{number} created", toolUseResult=made)
    (todo,) = session.facts(tmp_path)["todos"]
    assert (todo["content"], todo["status"], todo["line"]) == ("other", "pending", 5)
