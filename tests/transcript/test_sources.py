"""Every record has the transcript line it was read from."""

from __future__ import annotations

from pathlib import Path

from tests.transcript.test_turns import stands
from tests.transcripts import Transcript


def session() -> Transcript:
    t = Transcript()
    t.user("Fix the race")
    plan = "# Plan\n1. lock\n2. test"
    shown = t.call("ExitPlanMode", plan=plan)
    t.result(shown, "User has approved your plan. You can now start coding.")
    t.tool("TodoWrite", todos=[{"content": c, "status": "pending"} for c in ("lock", "test")])
    t.edit("/work/app/lock.py")
    t.broken("Bash", "Exit code 1\nError: two at once", command="make test", description="d")
    t.edit("/work/app/lock.py")
    done = [{"content": "lock", "status": "completed"}, {"content": "test", "status": "pending"}]
    t.tool("TodoWrite", todos=done)
    t.tool("Bash", "[main abc1234] Hold the lock\n 1 file changed", command="git commit -m 'Hold the lock'")
    t.compaction()
    made = t.call("TaskCreate", subject="ship it")
    t.result(made, "Task #1 created successfully")
    asked = t.call("AskUserQuestion", questions=[{"question": "Ship today?"}])
    t.result(asked, 'User has answered: "Ship today?"="On Friday"')
    t.call("Bash", command="npm publish")
    return t


def test_records_name_their_lines(tmp_path: Path) -> None:
    t = session()
    facts = t.facts(tmp_path)
    (plan,), (file,), (error,) = facts.plans, facts.modified_files, facts.errors
    (commit,), (answer,), (compaction,) = facts.landmarks, facts.answers, facts.compactions
    assert facts.last_action is not None
    quotes = [
        (plan.source, plan.content),
        (file.source, file.path),
        (error.source, "two at once"),
        (commit.source, commit.text),
        (answer.source, answer.answer),
        (compaction.source, "Conversation compacted"),
        (compaction.summary_source, compaction.summary),
        (facts.last_action.source, facts.last_action.target),
        (facts.asked[0].source, facts.asked[0].ask),
        *((command.source, command.text) for command in facts.commands),
        *((todo.source, todo.content) for todo in facts.todos),
    ]
    assert all(stands(source, text, t.data) for source, text in quotes)
    assert (file.source.line, file.times) == (6, 2)
    speakers = [each.source.speaker for each in (plan, error, commit, answer, compaction)]
    assert speakers == ["model", "tool", "tool", "user", "claude code"]
