"""Recovery texts drafted from facts: a golden one, and what holds for any."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.checklist import Verdict, check_recovery
from memtui.documents.recovery_draft import draft_recovery
from memtui.formats.recovery import Plan, parse_recovery, render_recovery
from memtui.reading.facts import Facts
from memtui.reading.paths import is_absolute
from memtui.reading.records import (
    Action,
    Command,
    Correction,
    ErrorFact,
    FileFact,
    Landmark,
    PlanFact,
    Prompt,
    Source,
    Statement,
    Todo,
)
from tests.transcripts import SAID, Transcript

GOLDEN = Path(__file__).parents[1] / "data" / "recovery" / "session.md"
ROOT = "/work/app"


def session() -> Transcript:
    """A session with something for every section."""
    s = Transcript()
    s.user("The token refresh loses its lock: two tabs refresh at once. Fix it, and keep the API as it is.")
    s.tool("Read", "# App", file_path=f"{ROOT}/CLAUDE.md")
    s.tool("Read", "export type Token = ...", file_path=f"{ROOT}/src/types/token.ts")
    s.tool("Read", "export const storage", file_path=f"{ROOT}/src/auth/storage.ts")
    s.tool("Read", "notes", file_path=f"{ROOT}/docs/notes.md")
    s.say("The root cause is that the lock is released before the new token is stored.")
    s.call("ExitPlanMode", plan="# Plan: one lock\n\n1. Take `src/auth/lock.ts`\n2. Test two tabs\n")
    s.result("toolu_6", "User has approved your plan. You can now start coding.")
    s.tool(
        "TodoWrite",
        "ok",
        todos=[
            {"content": "Hold the lock until the token is stored", "status": "in_progress"},
            {"content": "Test two tabs", "status": "pending"},
        ],
    )
    s.broken("Bash", "Exit code 1\nError: Cannot find module 'async-mutex'", command="npm test")
    s.tool("Bash", "added 1 package", command="npm install --save-dev async-mutex")
    for _ in range(3):
        s.edit(f"{ROOT}/src/auth/refresh.ts")
    s.edit(f"{ROOT}/src/auth/refresh.test.ts")
    s.edit(f"{ROOT}/README.md")
    refused = s.call("Bash", command="npm publish")
    s.result(refused, f"{SAID}never publish from here, the pipeline does that", failed=True)
    s.user("Use one mutex for all tabs because the server counts them. export API_TOKEN=abcdef1234567890abcd")
    s.tool("Bash", "12 passed", command="npm test")
    s.tool("Bash", "[main 1234abc] Hold the lock", command="git commit -am 'Hold the lock'")
    s.tool(
        "TodoWrite",
        "ok",
        todos=[
            {"content": "Hold the lock until the token is stored", "status": "completed"},
            {"content": "Test two tabs", "status": "in_progress"},
        ],
    )
    s.say("The lock is held now, all 12 tests pass. The test with two tabs is left.")
    return s


def test_the_golden_one(tmp_path: Path) -> None:
    text = render_recovery(draft_recovery(session().facts(tmp_path), Path(ROOT)))
    assert text == GOLDEN.read_text("utf-8").removesuffix("\n")


def test_the_golden_one_passes_the_checklist() -> None:
    points = check_recovery(GOLDEN.read_text("utf-8"))
    assert [point for point in points if point.verdict is not Verdict.PASS] == []


def prompt(text: str, timestamp: str = "1") -> Prompt:
    return Prompt(text, "typed", Source(timestamp=timestamp))


def drafted(**facts: object) -> str:
    return render_recovery(draft_recovery(replace(Facts(), **facts), Path(ROOT)))  # type: ignore[arg-type]


def test_facts_without_anything_make_a_whole_text() -> None:
    text = drafted()
    recovery = parse_recovery(text)
    assert recovery.objective == "A session without words of the user"
    assert recovery.last_action == "Nothing was done: no tool was used."
    assert all(point.verdict is not Verdict.FAIL for point in check_recovery(text))


def test_a_vague_request_is_told_with_what_came_next_and_the_branch() -> None:
    asked = (prompt("Fix this bug"), prompt("The clock of the timeline jumps when I scroll"))
    recovery = draft_recovery(Facts(prompts=asked, first_prompt="Fix this bug", branch="clock"), Path(ROOT))
    assert recovery.objective == (
        "Fix this bug (branch clock) — then: The clock of the timeline jumps when I scroll"
    )


def test_the_language_of_the_user_is_kept() -> None:
    wish = "为 spec 系统添加独立的 category 分类字段，实现按阶段过滤加载。"
    recovery = draft_recovery(Facts(prompts=(prompt(wish),), first_prompt=wish), Path(ROOT))
    assert recovery.objective == wish


def test_decisions_say_why_or_who() -> None:
    def said(text: str, source: str, sentence: str = "") -> Statement:
        return Statement(text, sentence or text, source, "")  # type: ignore[arg-type]

    decisions = (
        said("We use the ledger because it is atomic.", "user"),
        said("Which store? → SQLite", "answer"),
        said("Let's take the second one.", "user"),
        said("Approved plan: One lock", "plan"),
        said("Test the branch, too?", "answer"),
        said("参考 https://example.org/x", "user"),
    )
    recovery = draft_recovery(Facts(decisions=decisions), Path(ROOT))
    assert recovery.decisions == (
        "We use the ledger: it is atomic.",
        "SQLite: the user's answer to “Which store?”",
        "Let's take the second one: the user said so",
        "Approved plan: One lock: the user approved it",
        "Test the branch, too: the user chose it",
        "参考 https://example.org/x: the user said so",
    )


def test_the_last_words_without_an_answer_are_pending() -> None:
    facts = Facts(prompts=(prompt("Go", "1"), prompt("now rename it", "9")), first_prompt="Go", ended="9")
    assert draft_recovery(facts, Path(ROOT)).pending == (
        "The user asked last, and nothing was done about it yet: now rename it",
    )
    answered = replace(facts, ended="99")
    assert draft_recovery(answered, Path(ROOT)).pending == ()


def test_what_was_cut_off_is_pending() -> None:
    action = Action("Bash", "npm run build", "interrupted", "")
    assert draft_recovery(Facts(last_action=action), Path(ROOT)).pending == (
        "Not finished: Bash `npm run build`",
    )


@pytest.mark.parametrize(
    ("tool", "target", "told"),
    [
        ("Bash", "make deploy", True),
        ("Bash", "ls dist/ && cat dist/x", False),
        ("Bash", "git fetch origin", False),
        ("WebFetch", "https://example.org", False),
        ("Edit", "/work/app/a.py", False),
    ],
)
def test_only_what_was_run_is_a_known_issue(tool: str, target: str, told: bool) -> None:
    error = ErrorFact(tool, target, "Error: no such thing", resolved=False)
    assert bool(draft_recovery(Facts(errors=(error,)), Path(ROOT)).known_issues) is told


def test_a_failed_check_is_told_once() -> None:
    failed = Command("npm test", "", "failed", 1, "Error: duplicate key")
    error = ErrorFact("Bash", "npm test", "Error: duplicate key", resolved=False)
    recovery = draft_recovery(Facts(commands=(failed,), errors=(error,)), Path(ROOT))
    assert recovery.known_issues == ("`npm test` failed when it ran last: Error: duplicate key",)


def test_commits_and_todos_are_the_changes() -> None:
    facts = Facts(
        landmarks=(Landmark("Hold the lock", "1234abc"), Landmark("https://example.org/pull/3", "")),
        past_todos=(Todo("Read the code", "completed"), Todo("Rewrite all", "dropped")),
        todos=(
            Todo("Fix it", "completed", "The lock."),
            Todo("Split it", "completed", "SKIPPED: not worth it"),
            Todo("Ship it", "pending"),
        ),
        modified_files=(FileFact("/work/app/a.py", 1, False),),
    )
    assert draft_recovery(facts, Path(ROOT)).changes == (
        "Hold the lock (commit 1234abc)",
        "https://example.org/pull/3",
        "Read the code",
        "Fix it",
    )


def test_notes_leave_out_what_was_pasted_and_plans_that_came_back() -> None:
    log = "\n".join(["✗ one failed"] * 4)
    facts = Facts(
        corrections=(Correction("Bash: x", log, ""), Correction("", "no, use the helper", "")),
        plans=(
            PlanFact("ExitPlanMode", "# Plan: A\nold", "rejected", ""),
            PlanFact("ExitPlanMode", "# Plan: B\nno", "rejected", ""),
            PlanFact("ExitPlanMode", "# Plan: A\nnew", "approved", ""),
        ),
    )
    notes = draft_recovery(facts, Path(ROOT)).notes
    assert notes == (
        "**The user's corrections**\n- no, use the helper\n\n**Plans that the user refused**\n- B"
    )


def test_secrets_are_masked_everywhere_but_in_paths() -> None:
    key = "sk-ant-" + "a1B2c3D4" * 5
    facts = Facts(
        prompts=(prompt(f"Use {key} for it"),),
        first_prompt=f"Use {key} for it",
        last_words=f"I wrote {key}.",
        constraints=(Statement(f"never print {key}", "", "user", ""),),
        modified_files=(FileFact(f"/work/app/{key}.txt", 1, False),),
    )
    recovery = draft_recovery(facts, Path(ROOT))
    text = render_recovery(recovery)
    assert text.count(key) == 1 + len([line for line in recovery.changes if key in line])
    assert recovery.working_files[0].path.endswith(f"{key}.txt")
    assert "- Masked: " in recovery.notes


def test_a_workflow_session_is_named_with_its_plan() -> None:
    plan = Plan(source="workflow", content="## Phase 1\n- [x] all")
    recovery = draft_recovery(Facts(), Path(ROOT), session_id="WFS-auth", workflow=plan)
    assert (recovery.session_id, recovery.plan) == ("WFS-auth", plan)


KINDS = st.sampled_from(["typed", "command", "plan", "queued"])
LINES = st.text(st.sampled_from("ab #->`[x]1.:\\/\n…中é<details>"), max_size=60)
UNIX = st.from_regex(r"/work/app/[a-z./ ()#-]{1,30}", fullmatch=True)
WINDOWS = st.from_regex(r"[CD]:\\[A-Za-z_\\. -]{1,30}", fullmatch=True)
PATHS = st.one_of(UNIX, WINDOWS).map(lambda path: " ".join(path.split()))
FILES = st.lists(
    st.builds(
        FileFact,
        path=PATHS,
        times=st.integers(1, 9),
        subagent=st.booleans(),
        created=st.booleans(),
    ),
    max_size=6,
    unique_by=lambda file: file.path,
).map(tuple)
STATEMENTS = st.lists(
    st.builds(
        Statement,
        LINES,
        LINES,
        st.sampled_from(["user", "assistant", "answer", "plan"]),
        st.just("1"),
    ),
    max_size=3,
).map(tuple)
FACTS = st.builds(
    Facts,
    prompts=st.lists(
        st.builds(Prompt, LINES, KINDS),
        max_size=3,
    ).map(tuple),
    first_prompt=LINES,
    modified_files=FILES,
    read_files=FILES,
    shell_files=st.lists(PATHS, max_size=2).map(tuple),
    commands=st.lists(
        st.builds(Command, LINES, LINES, st.sampled_from(["ok", "failed"]), st.none(), LINES),
        max_size=3,
    ).map(tuple),
    todos=st.lists(
        st.builds(Todo, LINES, st.sampled_from(["pending", "in_progress", "completed"])), max_size=3
    ).map(tuple),
    plans=st.lists(
        st.builds(
            PlanFact,
            st.sampled_from(["ExitPlanMode", "plan file"]),
            LINES,
            st.sampled_from(["approved", "rejected", "unknown"]),
            st.just(""),
            st.just("1"),
        ),
        max_size=2,
    ).map(tuple),
    errors=st.lists(
        st.builds(ErrorFact, st.sampled_from(["Bash", "Edit"]), LINES, LINES, st.booleans()),
        max_size=2,
    ).map(tuple),
    decisions=STATEMENTS,
    constraints=STATEMENTS,
    causes=STATEMENTS,
    corrections=st.lists(st.builds(Correction, LINES, LINES, st.just("1")), max_size=2).map(tuple),
    last_words=LINES,
    branch=st.sampled_from(["", "main", "fix"]),
)


@given(facts=FACTS)
def test_any_draft_is_read_back_as_it_was_made(facts: Facts) -> None:
    recovery = draft_recovery(facts, Path(ROOT))
    text = render_recovery(recovery)
    assert parse_recovery(text) == recovery
    assert render_recovery(parse_recovery(text)) == text


@given(facts=FACTS)
def test_any_draft_names_every_modified_file_by_its_absolute_path(facts: Facts) -> None:
    recovery = draft_recovery(facts, Path(ROOT))
    named = {file.path for file in recovery.working_files}
    assert {file.path for file in facts.modified_files} <= named
    assert all(is_absolute(file.path) for file in (*recovery.working_files, *recovery.reference_files))
    points = {point.name: point.verdict for point in check_recovery(render_recovery(recovery))}
    assert points["Absolute Paths"] is not Verdict.FAIL
    assert points["Project Root"] is Verdict.PASS


@given(facts=FACTS)
def test_the_same_facts_make_the_same_text(facts: Facts) -> None:
    assert draft_recovery(facts, Path(ROOT)) == draft_recovery(facts, Path(ROOT))
