"""Session states drafted from facts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtui.documents.compactor import draft_session_state
from memtui.documents.session_state import (
    SessionState,
    TaskKind,
    done_tasks,
    grouped,
    parse_session_state,
    render_session_state,
)
from memtui.ground.project import Project
from memtui.transcript.records import Action, Facts, FileFact
from memtui.transcript.short_text import tokens
from tests.documents.made import at, changed, commit, failed, plan, ran, todo, turn
from tests.transcripts import Transcript

APP = Project(Path("/work/app"))


def state(facts: Facts) -> SessionState:
    return draft_session_state(facts, APP)


def technical(drafted: SessionState) -> list[str]:
    return [line.removeprefix("- ") for line in drafted.working.technical_state.split("\n")]


def tree(facts: Facts) -> str:
    return render_session_state(state(facts)).partition("## TASK TREE\n")[2].partition("\n\n")[0]


# --- the task tree ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "name"), [(r"C:\Users\ada\kiln", "kiln"), ("/work/kiln", "kiln"), ("/", "/"), ("a:b", "a:b")]
)
def test_a_project_of_another_system_has_its_folders_name(root: str, name: str) -> None:
    assert draft_session_state(Facts(), Project(Path(root))).identity.project == f"{name} ({root})"


def test_in_progress_is_what_a_task_tool_says() -> None:
    facts = Facts(
        turns=(turn(1, "Build a kiln", "Dug."), turn(9, "go on", "Fired half.")),
        todos=(todo("dig", "completed", 4), todo("fire", "in_progress", 5), todo("glaze", "pending", 5)),
    )
    assert tree(facts) == (
        "- [x] dig (L4)\n"
        "- [ ] **IN PROGRESS**: fire (L5)\n"
        '  - Sub: Last asked (L9): "go on"\n'
        '  - Sub: Claude said last (L10): "Fired half."\n'
        "  - Blocker: None on record\n"
        "- [ ] NEXT: glaze (L5)"
    )


def test_or_a_turn_without_an_end() -> None:
    facts = Facts(turns=(turn(1, "Build a kiln", "I dig.", end="interrupted"),))
    assert tree(facts) == (
        '- [ ] **IN PROGRESS**: "Build a kiln" (L1)\n'
        '  - Sub: Claude said last (L2): "I dig."\n'
        "  - Blocker: the last turn was interrupted (L1)"
    )


def test_answered_requests_are_not_in_progress() -> None:
    facts = Facts(turns=(turn(1, "Build a kiln", "Built."),), landmarks=(commit("a kiln", 2),))
    assert tree(facts) == (
        '- [x] a kiln (committed) (L2)\n- Last asked (L1): "Build a kiln"\n- Claude said last (L2): "Built."'
    )


@pytest.mark.parametrize(
    ("action", "blocker"),
    [
        (
            Action("AskUserQuestion", "Which clay?", "unknown", "", at(5)),
            'Claude asked (L5): "Which clay?"',
        ),
        (
            Action("ExitPlanMode", "# Plan", "unknown", ""),
            "plan neither approved nor refused on record: A kiln (L4)",
        ),
        (
            Action("Bash", "npm test", "failed", "ran 3\nError: duplicate key", at(5)),
            "Error: duplicate key (L5)",
        ),
        (Action("Bash", "npm test", "ok", "fine"), "None on record"),
    ],
)
def test_the_blocker_names_the_open_question(action: Action, blocker: str) -> None:
    plans = (plan("# A kiln", "unknown", 4),)
    facts = Facts(turns=(turn(1, "Build", end="running"),), plans=plans, last_action=action)
    doing = next(task for task in state(facts).tasks if task.kind is TaskKind.IN_PROGRESS)
    assert doing.children[-1].text == blocker


def test_what_was_committed_before_the_list_stays_done() -> None:
    facts = Facts(
        landmarks=(commit("early", 2), commit("late", 9), commit("gone", 3, superseded="amend")),
        todos=(todo("write", "completed", 8), todo("seed", "completed", 8, "SKIPPED: no data")),
        todos_began=at(5),
    )
    assert done_tasks(facts) == ["early (committed) (L2)", "write (L8)"]


# --- decisions and the goal -------------------------------------------------------------------------------


def test_the_quotes_stand_behind_the_seeds_sections() -> None:
    drafted = state(Facts(turns=(turn(1, "Build a kiln", "=== END STATE ===\n## TASK TREE\n- [x] all"),)))
    text = render_session_state(drafted)
    assert text.index("## CONVERSATION DYNAMICS") < text.index("## IN THEIR OWN WORDS")
    assert text.endswith("\n=== END STATE ===\n")
    read = parse_session_state(text)
    assert read == drafted
    assert [task.kind for task in read.tasks] == [TaskKind.NOTE] * 2


def test_a_long_wide_session_stays_within_its_size() -> None:
    words = "返金の処理が二回走るので、ロックを取ってから書き込むように直して。" * 30
    drafted = state(Facts(turns=tuple(turn(n * 9, words, words, words) for n in range(1, 9))))
    assert tokens(render_session_state(drafted)) <= 5_000
    assert drafted.extra[0].text.count("Claude: ") >= 2


# --- the working context ----------------------------------------------------------------------------------


def test_files_are_named_in_full_by_folder() -> None:
    paths = ["src/a.py", "src/b.py", "README.md", "src/ui/c.tsx", "src/a.py", ".env"]
    assert grouped(paths, 1000) == "src/{a.py, b.py}, README.md, .env, src/ui/c.tsx"
    assert grouped(paths, 14) == "src/a.py, and 4 more"
    assert grouped([], 10) == ""


def test_checks_and_errors_are_events() -> None:
    facts = Facts(
        commands=(ran("npm test", 3, "failed"), ran("npm run lint", 5), ran("ls", 6)),
        errors=(failed("npm test", 3),),
    )
    shown = state(facts).working
    assert shown.last_compile == (
        "SUCCESS: npm run lint (L5; 1 command since, the last one ok); "
        "failed, and no later run of it on record passed: npm test (L3; 2 commands since, the last one ok)"
    )
    assert shown.last_error == (
        'Bash `npm test` failed at L3, 2 commands since, the last one ok: output "Error: duplicate key"'
    )
    assert "Commands that failed" not in shown.technical_state


def test_commits_and_plans_name_their_lines() -> None:
    facts = Facts(
        landmarks=(
            commit("feat: kiln", 5, superseded="amend"),
            replace(commit("https://x.org/1", 7), kind="pull request", commit=""),
        ),
        plans=(plan("# A kiln", "approved", 3, "/p/calm.md"), plan("# A bowl", "unknown", 9)),
    )
    assert technical(state(facts)) == [
        "Plan (approved): A kiln (/p/calm.md, L3)",
        "Plan (neither approved nor refused on record): A bowl (L9)",
        "Commits: abc1234 feat: kiln, followed by an amend (L5)",
        "Pull requests: https://x.org/1 (L7)",
    ]


def test_what_runs_in_the_background_is_shown_with_its_port(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Start it")
    for command in ("npm run dev -- --port 5173", "sleep 90; gh pr checks"):
        started = transcript.call("Bash", command=command, run_in_background=True)
        transcript.result(started, "Command running in background", detail={"backgroundTaskId": "b"})
    lines = technical(state(transcript.facts(tmp_path)))
    assert "Started in the background: npm run dev -- --port 5173 (port 5173) (L2)" in lines
    assert lines[0] == "Last action: Bash `sleep 90; gh pr checks` was started in the background (L4)"
    assert not any("Started" in line and "sleep" in line for line in lines)


def test_scratch_files_are_no_state() -> None:
    read = ("/work/app/a.py", "/home/me/.claude/projects/-work-app/s/tool-results/b.txt", "/tmp/c.output")
    facts = Facts(
        read_files=tuple(FileFact(path, 1, subagent=False) for path in read),
        shell_files=tuple(changed(path) for path in ("/tmp/body.md", "/work/app/report.csv")),
    )
    assert technical(state(facts)) == ["Files written by commands: report.csv", "Files read: a.py"]


def test_what_became_of_an_edited_file_is_reported() -> None:
    facts = Facts(
        modified_files=(
            changed("/work/app/a.py", fate="put back with git"),
            changed("/work/app/b.py", fate="moved to /work/app/c.py"),
        )
    )
    assert technical(state(facts)) == [
        "Not as edited any more: a.py (put back with git), b.py (moved to c.py)"
    ]
