"""A plan outlives its session in a file: Claude Code's own, or else one beside the state document."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.project import Places, Project, memtui_home
from memtui.store.state_updates import update_state
from tests.disk import mode_of
from tests.transcripts import Transcript

PLAN = "# Locks\n\n1. One lock per account\n2. Write the tests\n"
APPROVED = "User has approved your plan. You can now start coding."


def updated(tmp_path: Path, said: Transcript) -> tuple[str, Path]:
    """The document of a session, and the place of a plan beside it."""
    root = tmp_path / "app"
    root.mkdir(exist_ok=True)
    places = Places(
        Project(root), memtui_home({"MEMTUI_HOME": str(tmp_path / "memtui")}), tmp_path / "claude"
    )
    stored = update_state(places, transcript=said.write(tmp_path / "claude" / "projects" / "x", "a.jsonl"))
    assert stored is not None
    return stored.text, stored.path.with_name("plan.md")


def test_a_plan_without_a_file_gets_one(tmp_path: Path) -> None:
    said = Transcript(session_id="a", cwd=str(tmp_path / "app"))
    said.user("Fix the refresh race.")
    said.tool("ExitPlanMode", APPROVED, plan=PLAN)
    text, kept = updated(tmp_path, said)
    assert f"Plan (approved): Locks ({kept}, L2)" in text
    assert kept.read_text().strip() == PLAN.strip()
    assert mode_of(kept) == 0o600
    said.tool("ExitPlanMode", APPROVED, plan="# Other\n\n1. Do it\n")
    text, kept = updated(tmp_path, said)
    assert f"Plan (approved): Other ({kept}, L" in text
    assert "Do it" in kept.read_text()


def test_a_plan_with_a_file_of_claude_codes_needs_none(tmp_path: Path) -> None:
    said = Transcript(session_id="a", cwd=str(tmp_path / "app"))
    said.user("Fix the refresh race.")
    said.tool("ExitPlanMode", APPROVED, plan=PLAN, planFilePath="/home/me/.claude/plans/x.md")
    text, kept = updated(tmp_path, said)
    assert "/home/me/.claude/plans/x.md" in text
    assert not kept.exists()


def test_a_refused_plan_is_not_kept(tmp_path: Path) -> None:
    said = Transcript(session_id="a", cwd=str(tmp_path / "app"))
    said.user("Fix the refresh race.")
    said.broken(
        "ExitPlanMode",
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to "
        "proceed, the user said:\nNo locks, please.",
        plan=PLAN,
    )
    _, kept = updated(tmp_path, said)
    assert not kept.exists()
