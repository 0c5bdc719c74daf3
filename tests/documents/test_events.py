"""What happened, as groups of lines to choose from and as events with their age."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from memtui.documents import events
from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.compactor import draft_session_state
from memtui.documents.events import (
    STARTED,
    EvidenceGroup,
    changed_since,
    check_event,
    commands_run,
    error_event,
    evidence,
    last_errors,
    missing_work,
)
from memtui.documents.memory_file import draft_memory
from memtui.documents.quotes import CLAUDE, quotes_of
from memtui.documents.recovery import render_recovery
from memtui.documents.recovery_draft import draft_recovery, last_action
from memtui.documents.session_state import render_session_state
from memtui.documents.state_draft import working_context
from memtui.documents.work import branch_named, plan_in_force, recorded_decisions
from memtui.ground.project import Project
from memtui.transcript.checks import is_check, last_check
from memtui.transcript.facts import read_facts
from memtui.transcript.records import Action, Facts, Outcome
from tests.documents.made import answer, at, changed, commit, failed, plan, ran, todo, turn
from tests.transcripts import SAID, Transcript, tool_result, tool_use

ROOT = Path("/work/kiln")
FACTS = Facts(
    turns=(turn(1, "Build a kiln", "Built.", "I dig first."), turn(10, "fire it", "Fired.")),
    modified_files=(changed("/work/kiln/src/a.py", 4, times=2),),
    todos=(todo("dig", "completed", 5), todo("fire", "in_progress", 6)),
    plans=(plan("# A kiln\n\n1. dig", "approved", 3, "/p/calm.md"),),
    answers=(answer("Which clay?", "red", 2),),
    errors=(failed("npm test", 7),),
    commands=(ran("npm test", 7, "failed", "Error: duplicate key"), ran("ls", 8)),
    landmarks=(commit("dig", 9),),
    last_action=Action("Bash", "ls", "ok", "a b", source=at(8)),
)


def group(title: str) -> EvidenceGroup:
    return next(each for each in evidence(FACTS, ROOT) if each.title == title)


def texts(title: str) -> list[str]:
    return [item.text for item in group(title).items]


def test_every_line_names_its_source() -> None:
    assert texts("Tasks") == ["[x] dig (L5 09:00)", "[>] fire (L6 09:00)"]
    assert texts("Settled") == [
        'red: the user\'s answer to "Which clay?" (L2 09:00)',
        'plan "A kiln" approved (/p/calm.md): the user approved it (L3 09:00)',
    ]
    assert texts("Open, by the record") == ["fire (in progress, 2 commands since) (L6)"]
    assert texts("Failures")[0].startswith("Bash `npm test` failed at L7, 1 command since: ")
    assert texts("Commands") == ["✓ ls (L8 09:00)", "✗ npm test (L7 09:00)"]
    assert texts("Commits and pull requests") == ["abc1234 dig (L9 09:00)"]
    assert [item.line for item in group("Commands").items] == [8, 7]


def test_a_file_is_its_path_alone() -> None:
    (file,) = group("Files modified").items
    assert (file.text, file.detail, file.line) == ("src/a.py", "2 edits, L4 09:00", 4)


def test_of_a_capture_alone_nothing_is_said_to_be_open() -> None:
    (open_, _) = evidence(Facts(from_capture=True, first_prompt="Build a kiln"), ROOT)
    assert [item.text for item in open_.items] == ["only the capture is known: its transcript is gone"]


@pytest.mark.parametrize(
    ("tool", "target", "outcome", "result", "expected"),
    [
        ("Bash", "cd x && make | tail", "ok", "\n12 ok\n---\n", 'Bash `make` succeeded (L9): output "12 ok"'),
        ("Bash", "make", "ok", "x y\n" * 300, "Bash `make` succeeded (L9)"),
        ("Bash", "make", "ok", "A=1\n\nB=2\n", 'Bash `make` succeeded (L9): output "A=1 ⏎ B=2"'),
        ("Bash", "make", "failed", "ran\nError: no\n", 'Bash `make` failed (L9): output "Error: no"'),
        ("Bash", "sleep 9", "background", "run", f"Bash `sleep 9` was {STARTED} (L9)"),
        ("Bash", "rm x", "ok", "(Bash completed with no output)", "Bash `rm x` succeeded (L9)"),
        ("Bash", "rm x", "rejected", "The user doesn't want", "Bash `rm x` was rejected by the user (L9)"),
        ("Bash", "rm x", "interrupted", "[Request", "Bash `rm x` was interrupted (L9)"),
        ("Bash", "rm x", "unknown", "", "Bash `rm x` has no result in the transcript (unknown) (L9)"),
        ("Edit", "/w/a.py", "ok", "The file /w/a.py has been updated", "Edit `/w/a.py` succeeded (L9)"),
        ("Grep", "lock", "ok", "[\nFound 3 files\na", "Grep `lock` succeeded (L9)"),
        ("Task", "", "ok", "", "Task succeeded (L9)"),
    ],
)
def test_an_action(tool: str, target: str, outcome: Outcome, result: str, expected: str) -> None:
    assert last_action(Facts(last_action=Action(tool, target, outcome, result, source=at(9)))) == expected


def test_a_subagent_whose_work_is_not_on_record_is_named(tmp_path: Path) -> None:
    session = Transcript()
    call = session.call("Task", description="fix", prompt="fix")
    session.result(call, detail={"status": "completed", "agentId": "a1"})
    path = session.write(tmp_path)
    facts = read_facts(path)
    assert [(each.text, each.source.line) for each in facts.missing_agents] == [("a1", 2)]
    missing = "subagent a1 (L2): transcript missing; changes are known only from the result"
    assert missing_work(facts) == missing
    state = draft_session_state(facts, Project(APP))
    texts = (
        render_recovery(draft_recovery(facts, APP)),
        render_session_state(state),
        compaction_notes(facts, state, APP),
        repr(evidence(facts, APP)),
    )
    assert all("subagent a1 (L2" in text for text in texts)

    # It is found later, without any change to the session's own transcript.
    agent = Transcript()
    agent.envelope |= {"isSidechain": True, "agentId": "a1"}
    agent.edit("/work/app/a.py")
    agent.write(tmp_path / "5e55-1d" / "subagents", "agent-a1.jsonl")
    assert read_facts(path).missing_agents == ()


def test_work_of_a_subagent_within_the_session_is_on_record(tmp_path: Path) -> None:
    session = Transcript()
    call = session.call("Task", description="fix", prompt="fix")
    session.agent("assistant", tool_use("t1", "Read", file_path="/work/app/a.py"))
    session.result(call, detail={"status": "completed", "agentId": "a1"})
    assert session.facts(tmp_path).missing_agents == ()


def test_a_failed_check_of_a_subagent_is_answered_by_another_form(tmp_path: Path) -> None:
    t = Transcript()
    for command, said in (("pytest tests -v", "Exit code 1\nno clay"), ("uv run pytest tests", "ok")):
        t.agent("assistant", tool_use(command, "Bash", command=command))
        t.agent("user", tool_result(command, said, failed=said != "ok"))
    facts, later = t.facts(tmp_path), ", `uv run pytest tests` ok at"
    assert list(commands_run(facts, 9))[1].startswith(f"`pytest tests -v`: failed{later}")
    assert f"of a subagent failed at L2{later}" in error_event(facts, last_errors(facts, 2)[0], APP)


def test_what_closed_a_turn_before_a_hook_asked_for_more_did_close_it(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Build a kiln")
    t.say("Built.")
    t.user("Stop hook feedback:\nSay what is missing", isMeta=True)
    t.say("Nothing is missing.")
    assert [each.text for each in quotes_of(CLAUDE, t.facts(tmp_path))] == ["Nothing is missing."]


def test_what_did_not_run_neither_counts_nor_fails(tmp_path: Path) -> None:
    t = Transcript()
    t.tool("Bash", "ok", command="npm test")
    t.broken("Bash", "Exit code 1\n(eval):cd:1: no such file or directory: app", command="cd app && npm test")
    t.result(t.call("Bash", command="npm test"), f"{SAID}not now", failed=True)
    t.result(t.call("Bash", command="git push"), f"{SAID}not now", failed=True)
    facts = t.facts(tmp_path)
    assert list(commands_run(facts, 9)) == ["`npm test`: ok (L1)", "`git push`: refused (L7)"]
    assert last_errors(facts, 9) == [] and check_event(facts).startswith("SUCCESS: npm test (L1")
    t.tool("Bash", "ok", command="mise run fmt && uv run ruff check .")
    assert check_event(t.facts(tmp_path)).startswith("SUCCESS: mise")
    assert check_event(t.facts(tmp_path), lints=False).startswith("SUCCESS: npm test (L1"), "no compiler"


APPROVED = "User has approved your plan. You can now start coding."
FILE = "/home/u/.claude/plans/quiet-fox.md"
NOTICE = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"
APP = Path("/work/app")


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
        "no, keep it",
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
    said = [turn.closing and turn.closing.text for turn in t.facts(tmp_path).turns]
    assert said == ["Started.", "Built: all green.", "Noted.", "Nothing."]


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


def test_a_failure_is_answered_by_a_success_seen_through_a_pipe(tmp_path: Path) -> None:
    t = Transcript()
    t.tool("Bash", "FAILED test_kiln.py\n1 failed in 0.2s", command="pytest -q 2>&1 | tail -3")
    t.tool("Bash", "3 passed in 0.1s", command="uv run pytest -q 2>&1 | tail -1")
    facts = t.facts(tmp_path)
    (error,) = last_errors(facts, 2)
    assert ", `uv run pytest -q` ok at L3: " in error_event(facts, error, APP)
    assert check_event(facts).startswith("SUCCESS: uv run pytest -q")
    t.tool("Bash", "exit: 1", command='git merge-base --is-ancestor a b; echo "exit: $?"')
    assert '; echo "exit: $?"`: exit status 1 (L5)' in "".join(commands_run(t.facts(tmp_path), 3))
    assert '" ended, exit status 1 (L5)' in last_action(t.facts(tmp_path)).replace("`", '"')
    t.tool("Bash", "nothing to see", command="uv run pytest -q 2>&1 | tail -1")
    assert check_event(t.facts(tmp_path)).startswith("no failure recognised, its exit status is hidden")


@pytest.mark.parametrize("tool", ["TaskStop", "KillShell"])
def test_a_background_command_that_was_stopped_does_not_run(tmp_path: Path, tool: str) -> None:
    t = Transcript()
    started = t.call("Bash", command="npm run dev", run_in_background=True)
    t.result(started, "Running in background", detail={"backgroundTaskId": "b1"})
    t.tool(tool, "stopped", **{"task_id" if tool == "TaskStop" else "shell_id": "b1"})
    assert [each.outcome for each in t.facts(tmp_path).commands] == ["interrupted"]


def test_a_formatter_is_no_check() -> None:
    formats = "ruff format .;uv run ruff format --check .;npm run format:check;cargo fmt --check"
    assert not any(map(is_check, formats.split(";")))
    assert is_check("ruff check . && ruff format .") and is_check("npm run formatter-test")


def test_the_last_push_and_what_stands_in_no_commit_are_told() -> None:
    facts = Facts(modified_files=(changed("/work/app/a.py", 4),), commands=(ran("make", 5),))
    unchecked = "No command on record is recognised as a check"
    assert list(events.repository(facts)) == ["No command on record commits or pushes", unchecked]
    pushed = replace(facts, commands=(ran("git add . && git push -u origin x 2>&1 | tail", 6, "failed"),))
    assert next(events.repository(pushed)) == "Last push: `git push -u origin x`: failed (L6)"
    quoted = "git commit -m \"$(cat <<'EOF'\ngit push later\nEOF\n)\" && git push --dry-run"
    lines = "X=1 git -c a=b push -o 'a b\nc'\ngh pr create --title 'a b'\necho 'then\ngit push later'"
    assert list(events.repository(replace(facts, commands=(ran(quoted, 6),)))) == [unchecked]
    undone = replace(facts, commands=(ran(lines, 6),), landmarks=(commit("dig", 2, superseded="reset"),))
    assert list(events.repository(undone)) == [
        "Last push: `git -c a=b push -o 'a b`: exit status hidden (L6)",
        "Commits undone by a reset: dig (L2)",
        unchecked,
    ]
    fed = replace(facts, commands=(ran("git commit -F - <<'EOF' && git push origin main\nmsg\nEOF", 6),))
    assert next(events.repository(fed)) == "Last push: `git push origin main`: ok (L6)"
    since = replace(pushed, landmarks=(commit("dig", 2),))
    assert list(events.repository(since))[1] == "At least 1 file changed since the last commit (L2)"


def test_a_merge_that_stopped_at_a_conflict_blocks_until_it_is_ended(tmp_path: Path) -> None:
    t = Transcript()
    t.user("Merge it")
    t.tool("Bash", "ok", command="npm test")
    t.broken("Bash", "Exit code 1\nAutomatic merge failed; fix it", command="git merge kiln && npm i")
    t.tool("Bash", "<<<<<<< HEAD", command="grep '<<<' a.ts")
    stands = "`git merge kiln && npm i` stopped at a conflict (L4)"
    draft = draft_recovery(t.facts(tmp_path), ROOT)
    assert draft.known_issues == (stands,) and draft.pending[0] == stands
    assert events.check_event(t.facts(tmp_path)).endswith("; `git merge kiln` run since)")
    t.tool("Bash", "[main abc1234] merge", command="git commit --no-edit")
    assert stands not in draft_recovery(t.facts(tmp_path), ROOT).pending


def test_a_run_in_another_folder_settles_nothing() -> None:
    later = Facts(cwd="/work/app", commands=(ran("cd api && npm test", 5), ran("npm test", 6)))
    assert events.ran_again(later, failed("cd web && npm test", 1)) == f"{events.SETTLED} at L6"


def test_later_runs_are_looked_for_of_few_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = range(3, 99)
    facts = Facts(
        commands=tuple(ran(f"make x{line}", line, "failed") for line in lines),
        errors=(failed("make all", 1), *(failed(f"make x{line}", line) for line in lines)),
    )
    looked = Mock(return_value="")
    monkeypatch.setattr(events, "ran_again", looked)
    assert last_errors(facts, 2)[0].source.line == 98 and working_context(facts, APP).last_error
    assert 0 < looked.call_count < 12 and len(last_errors(facts, 99)) == 15


def test_plans_and_scratch_files_are_no_changes_that_a_check_would_cover(tmp_path: Path) -> None:
    made = Transcript(cwd="/work/app")
    made.edit("/work/app/tax.py")
    made.tool("Bash", "3 passed", command="pytest")
    made.tool("Write", "ok", file_path="/home/ann/.claude/plans/tax.md", content="x")
    made.tool("Write", "ok", file_path="/tmp/try.py", content="x")
    made.tool("Write", "ok", file_path="/work/app/report.md", content="x")
    made.result(made.call("Write", file_path="/work/app/x.json", content="x"), detail={"type": "create"})
    made.tool("Bash", command="rm x.json")
    check = last_check(facts := made.facts(tmp_path))
    assert check and not changed_since(facts, check.source)
    made.edit("/work/app/tax.py")
    assert changed_since(made.facts(tmp_path), check.source) == "at least 1 file changed since"


def test_a_failure_that_the_user_pasted_is_the_last_one_until_a_check_runs(tmp_path: Path) -> None:
    t = Transcript()
    t.tool("Bash", "3 passed", command="pytest -q")
    steps = "\n".join(f"[{n}/9] step {n} of the build of it" for n in range(1, 9))
    log = f"$ ./run.sh\n{steps}\nnpm error no clay"
    t.user(f"{log}\nError: failed to solve\n$ ")
    t.say("Fixed! It should work now.")
    facts = t.facts(tmp_path)
    told = 'What the user pasted shows that something failed at L3: output "npm error no clay'
    assert draft_recovery(facts, APP).known_issues[0].startswith(told)
    assert working_context(facts, APP).last_error.startswith(told)
    assert "; a failure pasted by the user since)" in check_event(facts)
    assert draft_memory(facts).confidence.startswith("Low — ") and told in draft_memory(facts).confidence
    t.tool("Bash", "3 passed", command="pytest -q")
    assert draft_recovery(t.facts(tmp_path), APP).known_issues[0].startswith("N/A: last check: SUCCESS")


def test_a_traceback_is_a_failure_and_a_chain_clears_one(tmp_path: Path) -> None:
    t = Transcript()
    raised = "Traceback (most recent call last):\n  File x\nTypeError: no clay\ndone"
    t.tool("Bash", raised, command="python3 kiln.py")
    t.tool("Bash", raised, command="cat notes.txt")
    (error,) = (facts := t.facts(tmp_path)).errors
    assert "`python3 kiln.py` failed at L2, 1 command since" in error_event(facts, error, APP)
    t.tool("Bash", "ok", command="make clay && python3 kiln.py | tail -2")
    facts = t.facts(tmp_path)
    assert "failed at L2, ran again at L5 with its exit status hidden: " in error_event(facts, error, APP)


def test_files_that_git_or_a_shell_shows_as_gone_are_no_key_files(tmp_path: Path) -> None:
    t = Transcript()
    for name in ("plan/a.md", "b.py", "c.py", "d.py"):
        t.edit(f"/work/app/{name}")
    shown = "Changes:\n\tdeleted:    b.py\n D c.py\nls: plan/: No such file or directory"
    t.tool("Bash", shown, command="git status; git status -s; ls plan/")
    facts = t.facts(tmp_path)
    assert draft_memory(facts).key_files == ("d.py",)
    assert working_context(facts, APP).files_modified == "d.py"
    assert branch_named(replace(facts, branch="main", cwd="/elsewhere")) == ""


def test_a_command_is_shown_with_the_folder_outside_and_a_check_with_what_it_says(tmp_path: Path) -> None:
    t = Transcript(cwd="/work/app")
    t.tool("Bash", "ok", command="cd /work/app/api && make all")
    t.tool("Bash", "ok", command="cd /tmp && git init -q kiln")
    later = Facts(cwd="/work/app", commands=(ran("cd api && make all", 5), ran("cd /tmp && git init", 6)))
    for failing in (
        *(f"cd {folder} && make all" for folder in ("~/app", "$A", "-", "'/tmp'", "..")),
        "git init",
    ):
        assert ", `" in events.ran_again(later, failed(failing, 1))
    assert list(commands_run(t.facts(tmp_path), 2)) == [
        "`cd /tmp && git init -q kiln`: ok (L3)",
        "`make all`: ok (L1)",
    ]
    t.tool("Bash", "[lint:go] 0 issues.\n[fmt] $ gofmt -w .", command="mise fmt && mise lint 2>&1 | head -20")
    assert last_action(t.facts(tmp_path)).endswith('succeeded (L5): output "[lint:go] 0 issues."')
