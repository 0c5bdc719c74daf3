"""Plans and their fate, and the task list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memtui.transcript.events import Result
from memtui.transcript.plans import TodoLog, mark_of
from memtui.transcript.records import Source, Todo, to_json
from tests.transcripts import SAID, STOP, Transcript, tool_result, tool_use

FILE = "/home/u/.claude/plans/quiet-fox.md"


def fates(session: Transcript, folder: Path) -> list[tuple[str, str, str]]:
    return [(plan.origin, plan.content, plan.fate) for plan in session.facts(folder).plans]


def test_approved_and_rejected(tmp_path: Path) -> None:
    session = Transcript()
    session.broken("ExitPlanMode", f"{SAID}smaller steps", plan="# Plan A")
    call = session.call("ExitPlanMode", plan="# Plan B", allowedPrompts=[])
    detail = {"plan": "# Plan B, edited", "isAgent": False, "filePath": FILE}
    session.result(call, "User has approved your plan. You can now start coding.", detail=detail)
    assert fates(session, tmp_path) == [
        ("ExitPlanMode", "# Plan A", "rejected"),
        ("ExitPlanMode", "# Plan B, edited", "approved"),
    ]
    facts = session.facts(tmp_path)
    assert to_json(facts)["plan"] == {"source": "ExitPlanMode", "content": "# Plan B, edited"}
    assert facts.plans[1].path == FILE


def test_a_plan_sent_to_another_for_approval_is_not_decided_on(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("ExitPlanMode", "Your plan has been submitted to the team lead for approval.", plan="# A")
    assert fates(session, tmp_path) == [("ExitPlanMode", "# A", "unknown")]


def test_a_plan_taken_into_a_fresh_context_is_approved(tmp_path: Path) -> None:
    session = Transcript()
    session.broken("ExitPlanMode", STOP, plan="# A")
    session.user("Implement the following plan:\n\n# A", planContent="# A")
    assert fates(session, tmp_path) == [("planContent", "# A", "approved")]


def test_plan_file_written_edited_and_shown(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("Write", file_path=FILE, content="# Plan\n- a\n- a\n")
    assert fates(session, tmp_path) == [("plan file", "# Plan\n- a\n- a\n", "unknown")]
    session.tool("Edit", file_path=FILE, old_string="- a", new_string="- b")
    session.tool("Edit", file_path=FILE, old_string="# Plan", new_string="# The plan", replace_all=True)
    session.broken("Edit", "String to replace not found", file_path=FILE, old_string="b", new_string="c")
    session.broken("ExitPlanMode", f"{SAID}smaller", allowedPrompts=[], planFilePath=FILE)
    session.tool("Edit", file_path=FILE, old_string="- a", new_string="- c")
    session.tool("ExitPlanMode", "User has approved your plan", plan="# The plan\n- b\n- c\n")
    session.tool("Edit", file_path=FILE, old_string="- b", new_string="- [x] b")
    assert fates(session, tmp_path) == [
        ("ExitPlanMode", "# The plan\n- b\n- a\n", "rejected"),
        ("ExitPlanMode", "# The plan\n- [x] b\n- c\n", "approved"),
    ]


def test_plan_attached_again_after_a_compaction(tmp_path: Path) -> None:
    session = Transcript()
    session.compaction()
    session.attachment("plan_file_reference", planFilePath=FILE, planContent="# Plan")
    session.attachment("plan_file_reference", planFilePath=FILE, planContent="# Plan")
    session.attachment("plan_mode", planFilePath=FILE, planExists=True)
    assert fates(session, tmp_path) == [("plan file", "# Plan", "unknown")]
    session.tool("Edit", file_path=FILE, old_string="Plan", new_string="Better plan")
    assert fates(session, tmp_path) == [("plan file", "# Better plan", "unknown")]


def todos(session: Transcript, folder: Path) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in session.facts(folder).todos]


def create(session: Transcript, number: str, subject: str, *, stated: bool = True) -> None:
    call = session.call("TaskCreate", subject=subject, description="x", activeForm="Doing")
    detail = {"task": {"id": number, "subject": subject}} if stated else None
    session.result(call, f"Task #{number} created successfully: {subject}", detail=detail)


def update(session: Transcript, number: str, **fields: Any) -> None:
    call = session.call("TaskUpdate", taskId=number, **fields)
    session.result(call, f"Updated task #{number} status")


def test_the_last_written_list_wins(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("TodoWrite", todos=[{"content": "a", "status": "pending", "id": "1", "priority": "high"}])
    session.tool(
        "TodoWrite",
        todos=[
            {"content": "a", "status": "completed", "activeForm": "Doing a"},
            {"content": "b", "status": "in_progress"},
            {"content": "c"},
            {"status": "pending"},
            "nonsense",
        ],
    )
    session.agent("assistant", tool_use("t1", "TodoWrite", todos=[{"content": "sub", "status": "pending"}]))
    session.agent("user", tool_result("t1"))
    assert todos(session, tmp_path) == [("a", "completed"), ("b", "in_progress"), ("c", "pending")]
    first = to_json(session.facts(tmp_path))["todos"][0]
    assert (first["content"], first["status"]) == ("a", "completed")


def test_what_a_task_depends_on_is_shown_with_it(tmp_path: Path) -> None:
    session = Transcript()
    for number, subject in (("1", "read"), ("2", "write"), ("3", "test")):
        create(session, number, subject)
    update(session, "2", addBlockedBy=["1"])
    update(session, "2", addBlocks=["3", "9"])
    update(session, "1", status="completed")
    session.tool("TaskList", "#1 [completed] read\n#2 [pending] write\n#3 [pending] test [blocked by #2]")
    details = [todo.details for todo in session.facts(tmp_path).todos]
    assert details == ["x", "x\nDepends on: read", "x\nDepends on: write"]


def test_an_emptied_list_is_empty_and_a_refused_one_changes_nothing(tmp_path: Path) -> None:
    session = Transcript()
    session.tool("TodoWrite", todos=[{"content": "a", "status": "pending"}])
    session.broken("TodoWrite", "InputValidationError", todos=[{"content": "b", "status": "pending"}])
    session.tool("TodoWrite", todos="[]")
    assert todos(session, tmp_path) == [("a", "pending")]
    session.tool("TodoWrite", todos=[])
    assert todos(session, tmp_path) == []


@pytest.mark.parametrize("stated", [True, False])
def test_tasks_get_their_number_from_the_result(tmp_path: Path, stated: bool) -> None:
    session = Transcript()
    create(session, "1", "first", stated=stated)
    create(session, "2", "second", stated=stated)
    create(session, "3", "third", stated=stated)
    update(session, "1", status="completed")
    update(session, "2", status="in_progress")
    update(session, "2", addBlockedBy=["1"])
    update(session, "2", subject="second, better")
    update(session, "3", status="deleted")
    update(session, "9", status="completed")
    session.broken("TaskUpdate", "Task not found", taskId="1", status="pending")
    assert todos(session, tmp_path) == [("first", "completed"), ("second, better", "in_progress")]


def test_an_update_that_did_not_take_counts_for_nothing(tmp_path: Path) -> None:
    session = Transcript()
    create(session, "1", "first")
    call = session.call("TaskUpdate", taskId="1", status="completed")
    session.result(call, "Task not found", detail={"success": False, "taskId": "1"})
    session.call("TaskUpdate", taskId="1", status="completed")
    assert todos(session, tmp_path) == [("first", "pending")]


def test_subagents_share_the_task_list(tmp_path: Path) -> None:
    session = Transcript()
    create(session, "1", "first")
    session.agent("assistant", tool_use("t1", "TaskUpdate", taskId="1", status="completed"))
    session.agent("user", tool_result("t1", "Updated task #1 status"))
    assert todos(session, tmp_path) == [("first", "completed")]


def test_full_lists_correct_what_was_followed(tmp_path: Path) -> None:
    session = Transcript()
    create(session, "1", "first")
    create(session, "2", "second")
    create(session, "3", "third")
    update(session, "1", status="completed")
    rows = [
        {"id": "2", "subject": "second", "status": "completed", "blocks": []},
        {"id": "4", "subject": "fourth", "status": "pending"},
    ]
    session.attachment("task_reminder", content=rows, itemCount=2)
    session.attachment("task_reminder", content=[], itemCount=0)
    session.attachment("todo_reminder", content=[], itemCount=0)
    # The third is gone; the first was done, and finished tasks are put away.
    left = {"first": "completed", "second": "completed", "fourth": "pending"}
    assert dict(todos(session, tmp_path)) == left
    text = "#2 [completed] second\n#4 [in_progress] fourth [blocked by #2]"
    session.tool("TaskList", text)
    assert todos(session, tmp_path)[-1] == ("fourth", "in_progress")


def test_odd_shapes(tmp_path: Path) -> None:
    session = Transcript()
    create(session, "1", "first")
    session.attachment("task_reminder", content=[3, {"id": 1}, {"id": None, "subject": 4}, {"subject": "x"}])
    session.tool("TaskCreate", subject=["x"])
    session.tool("TaskUpdate", taskId={"a": 1}, status=3)
    session.tool("TodoWrite", todos={"a": 1})
    assert todos(session, tmp_path)[:1] in ([], [("first", "pending")])


@pytest.mark.parametrize(
    ("status", "details", "mark"),
    [
        ("completed", "", "x"),
        ("completed", "Skipped: too large", "-"),
        ("in_progress", "", ">"),
        ("pending", "", " "),
    ],
)
def test_the_mark_in_a_box(status: str, details: str, mark: str) -> None:
    assert mark_of(Todo("a", status, details)) == mark


def at(second: int) -> Source:
    return Source(line=second, timestamp=f"2026-01-02T10:00:{second:02d}Z" if second else "")


def result(detail: Any) -> Result:
    return Result("t", "", False, detail, "")


def made(log: TodoLog, number: str, subject: str, second: int) -> None:
    log.task_result("TaskCreate", {"subject": subject}, result({"task": {"id": number}}), at(second))


def updated(log: TodoLog, second: int, **fields: str) -> None:
    log.task_result("TaskUpdate", {"taskId": "1", **fields}, result(None), at(second))


def statuses(listed: tuple[Todo, ...]) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in listed]


def test_items_that_leave_the_list_are_past() -> None:
    log = TodoLog()
    log.write({"todos": [{"content": "a", "status": "completed"}, {"content": "b"}]}, at(1))
    log.write({"todos": []}, at(2))
    assert statuses(log.past()) == [("a", "completed"), ("b", "left")]
