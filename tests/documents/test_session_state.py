"""Session states: their text, and drafts from facts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from memtui.documents.compactor import draft_session_state, next_state
from memtui.documents.markdown import Section
from memtui.documents.session_state import (
    Decision,
    Dynamics,
    Identity,
    SessionState,
    Task,
    TaskKind,
    WorkingContext,
    parse_session_state,
    render_session_state,
)
from memtui.documents.state_draft import grouped
from memtui.ground.project import Project
from memtui.ground.text import FormatError
from memtui.transcript.records import Action, Facts, FileFact
from tests.documents.checks import settled
from tests.documents.data import golden
from tests.documents.made import at, changed, plan, todo, turn
from tests.documents.strategies import hostile, nearly, session_states
from tests.transcripts import Transcript

GOLDEN = golden("session-state.md")
STATE = SessionState(
    version=7,
    identity=Identity(
        project="shop (/home/user/shop)",
        branch="feature/tax",
        goal="Move the checkout to the new tax service",
    ),
    tasks=(
        Task(kind=TaskKind.DONE, text="Write the client"),
        Task(
            kind=TaskKind.IN_PROGRESS,
            text="Switch the checkout",
            children=(
                Task(
                    kind=TaskKind.SUB,
                    text="map the error codes",
                    children=(Task(kind=TaskKind.SUB, text="4xx first"),),
                ),
                Task(kind=TaskKind.BLOCKER, text="None"),
            ),
        ),
        Task(kind=TaskKind.NEXT, text="Refunds"),
        Task(kind=TaskKind.LATER, text="Remove the old client"),
        Task(kind=TaskKind.OPEN, text="Tell support"),
        Task(kind=TaskKind.NOTE, text="Earlier: completed 4 tasks including the spike"),
    ),
    decisions=(
        Decision(text="Round per line (the service does)"),
        Decision(kind="constraint", text="Never touch legacy/"),
    ),
    working=WorkingContext(
        files_modified="src/checkout/tax.ts, src/checkout/tax.test.ts",
        last_compile="FAILURE\nTS2339: Property 'rate' does not exist",
        technical_state="sandbox reachable",
    ),
    dynamics=Dynamics(
        language="English", style="direct", phase="execution", last_intent="wanted the error codes mapped"
    ),
)


def test_the_golden_file_is_read_and_written_to_the_character() -> None:
    assert parse_session_state(GOLDEN) == STATE
    assert render_session_state(STATE) == GOLDEN


@given(session_states)
def test_a_state_comes_back_as_it_was(state: SessionState) -> None:
    text = render_session_state(state)
    assert parse_session_state(text) == state
    assert render_session_state(parse_session_state(text)) == text


@given(nearly(session_states, render_session_state) | hostile())
def test_any_text_is_refused_or_understood(text: str) -> None:
    settled(text, parse_session_state, render_session_state)


FOREIGN = """\
Here is the updated state:

```
===SESSION STATE V12===
Kept since noon.

## Identity
* **Project**: `shop`
* Branch: n/a
* Ticket: SHOP-12

## Mood
good

## Task Tree:
- [X] one
- [>] two
    * sub: deep
      goes on

      after a blank line
\t- Blocker: N/A
- [ ] in progress: three
- [ ] **NEXT:** four
a line of its own
- [ ] LATER: five

Free text.

## KEY DECISIONS
- Decision: use `x`
- **Constraint**: no y
- we agreed on z
- Decision: N/A

## Working Context
- Files modified:
  - a.py
  - b.py
- Last error: boom
  - at line 3
=== end state ===
```
Anything else?"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_models_spelling_is_read_without_its_chatter(line_end: str) -> None:
    assert parse_session_state(FOREIGN.replace("\n", line_end)) == SessionState(
        version=12,
        preamble="Kept since noon.",
        identity=Identity(project="`shop`", extra=("Ticket: SHOP-12",)),
        tasks=(
            Task(kind=TaskKind.DONE, text="one"),
            Task(
                kind=TaskKind.IN_PROGRESS,
                text="two",
                children=(
                    Task(kind=TaskKind.SUB, text="deep\ngoes on\n\nafter a blank line"),
                    Task(kind=TaskKind.BLOCKER, text="N/A"),
                ),
            ),
            Task(kind=TaskKind.IN_PROGRESS, text="three"),
            Task(kind=TaskKind.NEXT, text="four\na line of its own"),
            Task(kind=TaskKind.LATER, text="five"),
            Task(kind=TaskKind.NOTE, text="Free text."),
        ),
        decisions=(
            Decision(text="use `x`"),
            Decision(kind="constraint", text="no y"),
            Decision(text="we agreed on z"),
        ),
        working=WorkingContext(files_modified="- a.py\n- b.py", last_error="boom\n- at line 3"),
        extra=(Section(heading="Mood", text="good"),),
    )


def test_lines_like_the_first_and_the_last_are_text() -> None:
    section = Section(heading="Mood", text="=== END STATE ===\nx")
    state = STATE.replace(preamble="=== SESSION STATE v9 ===\nx", extra=(section,))
    assert parse_session_state(render_session_state(state)) == state


def test_a_value_that_is_a_list_stands_under_its_label() -> None:
    text = render_session_state(parse_session_state(FOREIGN))
    assert "- Files modified:\n  - a.py\n  - b.py\n- Last compile: N/A\n" in text


def test_a_line_of_a_task_that_looks_like_an_item_comes_back() -> None:
    state = SessionState(tasks=(Task(kind=TaskKind.NEXT, text="one\n- a\\b - c\n\\- d"),))
    assert parse_session_state(render_session_state(state)) == state


def test_levels_beyond_the_twelfth_are_put_on_it() -> None:
    lines = "\n".join("  " * depth + f"- {depth}" for depth in range(20))
    state = parse_session_state(f"## TASK TREE\n{lines}\n")
    assert render_session_state(state).count("\n" + "  " * 11 + "- ") == 9


@pytest.mark.parametrize("text", ["", "## Goal\nx", "=== SESSION STATE v9999999999 ===\n"])
def test_invalid_session_states_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match="neither a SESSION STATE line nor a section"):
        parse_session_state(text)


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
        "- [x] dig (ticked by Claude, L4)\n"
        "- [ ] **IN PROGRESS**: fire (L5)\n"
        "  - Blocker: None on record\n"
        "- [ ] NEXT: glaze (L5)"
    )


def test_or_a_turn_without_an_end() -> None:
    facts = Facts(turns=(turn(1, "Build a kiln", "I dig.", end="interrupted"),))
    assert tree(facts) == (
        '- [ ] **IN PROGRESS**: "Build a kiln" (L1)\n  - Blocker: the last turn was interrupted (L1)'
    )


@pytest.mark.parametrize(
    ("action", "blocker"),
    [
        (Action("AskUserQuestion", "Which clay?", "unknown", "", at(5)), 'Claude asked (L5): "Which clay?"'),
        (Action("ExitPlanMode", "# Plan", "unknown", ""), "plan without an answer: A kiln (L4)"),
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
    assert read == drafted and not read.tasks


# --- the working context ----------------------------------------------------------------------------------


def test_files_are_named_in_full_by_folder() -> None:
    paths = ["src/a.py", "src/b.py", "README.md", "src/ui/c.tsx", "src/a.py", ".env"]
    assert grouped(paths, 1000) == "src/{a.py, b.py}, README.md, .env, src/ui/c.tsx"
    assert grouped(paths, 14) == "src/a.py, and 4 more"
    assert grouped([], 10) == ""


def test_what_runs_in_the_background_is_shown(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.user("Start it")
    for command in ("npm run dev", "mkdir -p x && npm run dev", "sleep 90; gh pr checks"):
        started = transcript.call("Bash", command=command, run_in_background=True)
        transcript.result(started, "Command running in background", detail={"backgroundTaskId": "b"})
    lines = technical(state(transcript.facts(tmp_path)))
    told = "started in the background"
    assert lines[0] == f"Last action: Bash `sleep 90; gh pr checks` was {told} (L6)"
    assert f"`mkdir -p x && npm run dev`: {told} (L4)" in lines[1]


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


KEY = "ghp_" + "a1B2c3D4" * 5


def test_secrets_are_masked(tmp_path: Path) -> None:
    s = Transcript()
    s.user(f"Use {KEY} to read the list of releases. Never print {KEY}.")
    s.tool("TodoWrite", todos=[{"content": f"Log in with {KEY}", "status": "in_progress"}])
    s.edit(f"/work/app/{KEY}.py")
    s.broken("Bash", f"Exit code 1\nError: {KEY} is not known", command=f"TOKEN={KEY} make test")
    facts = s.facts(tmp_path)
    first = draft_session_state(facts, APP)
    assert "Use [masked: github token] to read" in first.identity.goal
    s.user(f"Now use {KEY} for the upload, too, because it may write.")
    for state in (first, next_state(None, facts, APP), next_state(first, s.facts(tmp_path), APP)):
        assert state is not None
        text = render_session_state(state)
        assert KEY not in text
        assert "[masked: github token].py" in text
