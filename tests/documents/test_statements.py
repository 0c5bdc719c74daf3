"""Statements that were false once: what records say of plans, reports, commits, checks and first requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.events import check_event, error_event, last_errors, unsaved_work
from memtui.documents.quotes import CLAUDE, SUBAGENT, quotes_of
from memtui.documents.work import plan_in_force, recorded_decisions
from memtui.transcript.checks import is_check
from tests.transcripts import SAID, Transcript

APPROVED = "User has approved your plan. You can now start coding."
FILE = "/home/u/.claude/plans/quiet-fox.md"
NOTICE = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"
ROOT = Path("/work/app")


def test_an_edited_plan_is_not_approved_and_its_refusal_is_told(tmp_path: Path) -> None:
    t = Transcript()
    t.tool("Write", file_path=FILE, content="# Kiln\n- dig\n- fire\n")
    t.tool("ExitPlanMode", APPROVED, plan="# Kiln\n- dig\n- fire\n", planFilePath=FILE)
    t.tool("Edit", file_path=FILE, old_string="- dig", new_string="- [x] dig")
    t.tool("Edit", file_path=FILE, old_string="- fire", new_string="- tear it down")
    t.broken("ExitPlanMode", f"{SAID}no, keep it", planFilePath=FILE)
    facts = t.facts(tmp_path)
    approved = plan_in_force(facts)
    assert approved is not None
    assert approved.content == "# Kiln\n- [x] dig\n- fire\n"
    assert [each.decision.split(" (")[0] for each in recorded_decisions(facts)] == [
        'plan "Kiln" approved',
        'plan "Kiln" refused',
    ]


@pytest.mark.parametrize("opening", [NOTICE, '<teammate-message teammate_id="ann">done</teammate-message>'])
def test_work_that_a_notification_brought_has_its_closing_message(tmp_path: Path, opening: str) -> None:
    t = Transcript()
    t.user("Build it")
    t.say("Started.")
    t.user(opening)
    t.tool("Bash", "ok", command="ls dist")
    t.say("Built: all green.")
    t.user(opening)
    t.say("Noted.")
    t.user("And now?")
    t.say("Nothing.")
    said = [each.text for each in quotes_of(CLAUDE, t.facts(tmp_path))]
    assert said == ["Nothing.", "Built: all green.", "Started."]


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        ("Spawned.\nagent_id: ann@kiln\nname: ann", None),
        ("Launched.", {"status": "teammate_spawned"}),
        ([{"type": "text", "text": "Launched.\nagentId: a1 (internal)\nIt works."}], {"agentId": "a1"}),
    ],
)
def test_that_a_subagent_was_started_is_no_report(tmp_path: Path, content: object, detail: object) -> None:
    t = Transcript()
    t.result(t.call("Agent", description="d", prompt="p"), content, detail=detail)
    assert quotes_of(SUBAGENT, t.facts(tmp_path)) == []


@pytest.mark.parametrize(
    "command",
    [
        "git -C /work/app reset --hard HEAD~1",
        "git -c user.name=x reset -q @^",
        "git -C . commit --amend -m x",
    ],
)
def test_a_commit_that_was_undone_is_not_one_of_the_session(tmp_path: Path, command: str) -> None:
    t = Transcript()
    t.tool("Bash", "[main abc1234] dig\n 1 file changed", command="git commit -am dig")
    t.tool("Bash", "[main abc1235] fire\n 1 file changed", command="git commit -am fire")
    t.tool("Bash", "", command=command)
    marks = [(mark.text, bool(mark.superseded)) for mark in t.facts(tmp_path).landmarks]
    assert marks[:2] == [("dig", False), ("fire", True)]


def test_the_branch_of_a_subagents_worktree_is_not_the_sessions(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Go")
    t.envelope |= {"isSidechain": True, "agentId": "a1", "gitBranch": "agent-a1", "cwd": "/work/trees/a1"}
    t.tool("Bash", "", command="rm old.py")
    t.envelope |= {"isSidechain": False, "gitBranch": "main", "cwd": "/work/app"}
    t.edit("/work/app/a.py")
    facts = t.facts(tmp_path)
    assert (facts.branch, facts.branches, facts.cwds) == ("main", ("main",), ("/work/app",))
    assert [file.path for file in facts.shell_files] == ["/work/trees/a1/old.py"]


def test_work_that_is_only_local_is_said(tmp_path: Path) -> None:
    t = Transcript()
    t.edit("/work/app/a.py")
    t.tool("Bash", "[main abc1234] dig\n 1 file changed", command="git commit -am dig")
    assert unsaved_work(t.facts(tmp_path), ROOT) == ["Commits with no later push on record: abc1234"]
    t.tool("Bash", " ! [rejected] main -> main\nerror: failed to push", command="git push 2>&1 | tail -2")
    assert unsaved_work(t.facts(tmp_path), ROOT)
    t.tool("Bash", "main -> main", command="git push")
    assert unsaved_work(t.facts(tmp_path), ROOT) == []
    t.edit("/work/app/a.py")
    t.edit("/tmp/notes.md")
    assert unsaved_work(t.facts(tmp_path), ROOT) == ["Changed since the last commit on record (L4): a.py"]


def test_a_failure_is_answered_by_a_success_seen_through_a_pipe(tmp_path: Path) -> None:
    t = Transcript()
    t.tool("Bash", "FAILED test_kiln.py\n1 failed in 0.2s", command="pytest -q 2>&1 | tail -3")
    t.tool("Bash", "3 passed in 0.1s", command="uv run pytest -q 2>&1 | tail -1")
    facts = t.facts(tmp_path)
    (error,) = last_errors(facts, 2)
    assert ", ok when it ran again at L3: " in error_event(facts, error, ROOT)
    assert check_event(facts).startswith("SUCCESS: uv run pytest -q")
    t.tool("Bash", "nothing to see", command="uv run pytest -q 2>&1 | tail -1")
    assert check_event(t.facts(tmp_path)).startswith("no failure recognised, its exit status is hidden")


@pytest.mark.parametrize("tool", ["TaskStop", "KillShell"])
def test_a_background_command_that_was_stopped_does_not_run(tmp_path: Path, tool: str) -> None:
    t = Transcript()
    started = t.call("Bash", command="npm run dev", run_in_background=True)
    t.result(started, "Running in background", detail={"backgroundTaskId": "b1"})
    t.tool(tool, "stopped", **{"task_id" if tool == "TaskStop" else "shell_id": "b1"})
    assert [each.outcome for each in t.facts(tmp_path).commands] == ["interrupted"]


def test_an_address_of_documentation_is_no_pull_request(tmp_path: Path) -> None:
    t = Transcript()
    shown = (
        "https://github.com/owner/repo/pull/123 https://github.com/your-org/kiln/issues/3"
        " https://github.com/OWNER/REPO/pull/4 https://github.com/ownerly/repository-tools/pull/5"
    )
    t.tool("Bash", shown, command="cat CONTRIBUTING.md")
    assert [each.text for each in t.facts(tmp_path).addresses] == [
        "https://github.com/ownerly/repository-tools/pull/5"
    ]


@pytest.mark.parametrize(
    ("command", "checks"),
    [
        ("ruff format .", False),
        ("uv run ruff format --check .", False),
        ("npm run format:check", False),
        ("cargo fmt --check", False),
        ("ruff check . && ruff format .", True),
        ("npm run formatter-test", True),
    ],
)
def test_a_formatter_is_no_check(command: str, checks: bool) -> None:
    assert is_check(command) is checks
