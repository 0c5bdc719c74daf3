"""Session states drafted from facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.documents.compactor import draft_session_state
from memtui.documents.session_state import (
    SessionState,
    TaskKind,
    grouped,
    parse_session_state,
    render_session_state,
)
from memtui.ground.project import Project
from memtui.transcript.records import Action, Facts, FileFact
from tests.documents.made import at, changed, plan, todo, turn
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


# --- decisions and the goal -------------------------------------------------------------------------------


def test_the_quotes_stand_behind_the_seeds_sections() -> None:
    drafted = state(Facts(turns=(turn(1, "Build a kiln", "=== END STATE ===\n## TASK TREE\n- [x] all"),)))
    text = render_session_state(drafted)
    assert text.index("## CONVERSATION DYNAMICS") < text.index("## IN THEIR OWN WORDS")
    assert text.endswith("\n=== END STATE ===\n")
    read = parse_session_state(text)
    assert read == drafted
    assert [task.kind for task in read.tasks] == [TaskKind.NOTE] * 2


# --- the working context ----------------------------------------------------------------------------------


def test_files_are_named_in_full_by_folder() -> None:
    paths = ["src/a.py", "src/b.py", "README.md", "src/ui/c.tsx", "src/a.py", ".env"]
    assert grouped(paths, 1000) == "src/{a.py, b.py}, README.md, .env, src/ui/c.tsx"
    assert grouped(paths, 14) == "src/a.py, and 4 more"
    assert grouped([], 10) == ""


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
