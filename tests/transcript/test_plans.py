"""Plans and their fate."""

from __future__ import annotations

from pathlib import Path

from memtui.transcript.records import to_json
from tests.transcripts import SAID, STOP, Transcript

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
    session.tool("MultiEdit", file_path=FILE, edits=[{"old_string": "- a", "new_string": "- c"}])
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
