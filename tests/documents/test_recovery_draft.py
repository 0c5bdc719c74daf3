"""Recovery texts drafted from facts: a golden one, the plan, and properties of all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.checklist import Verdict, check_recovery
from memtui.documents.compaction_notes import compaction_notes
from memtui.documents.memory_file import draft_memory
from memtui.documents.recovery import (
    Plan,
    choose_plan,
    draft_recovery,
    is_unknown,
    parse_recovery,
    render_recovery,
    todo_list,
)
from memtui.documents.session_state import SessionState, working_context
from memtui.transcript.paths import is_absolute
from memtui.transcript.plans import stated_plan
from memtui.transcript.records import (
    Command,
    ErrorFact,
    Facts,
    FileFact,
    PlanFact,
    PromptKind,
    Quote,
    Source,
    Todo,
    Turn,
)
from memtui.transcript.turns import TurnLog
from tests.documents.made import answer, at, changed, ran, said, todo, turn
from tests.documents.made import plan as made_plan
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
    call = s.call("ExitPlanMode", plan="# Plan: one lock\n\n1. Take `src/auth/lock.ts`\n2. Test two tabs\n")
    s.result(call, "User has approved your plan. You can now start coding.")
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


@pytest.mark.parametrize(
    "facts",
    [
        Facts(),
        Facts(turns=(turn(1, "Why is the sky blue?", "It scatters."),)),
        Facts(turns=(turn(1, "Why is the sky blue?", end="running"),)),
        Facts(modified_files=tuple(changed(f"/w/{number}.py", number) for number in range(9))),
        Facts(from_capture=True, first_prompt="Fix it"),
    ],
)
def test_a_draft_passes_the_checklist(facts: Facts) -> None:
    text = render_recovery(draft_recovery(facts, Path(ROOT)))
    assert [point for point in check_recovery(text) if point.verdict is not Verdict.PASS] == []


def test_of_a_capture_alone_every_section_says_so() -> None:
    facts = Facts(from_capture=True, first_prompt="Fix it")
    text = render_recovery(draft_recovery(facts, Path(ROOT)))
    assert text.count("nly the capture is known: its transcript is gone") == 11
    assert "no change" not in text.lower()
    assert '"Fix it" (first asked)' in text


def test_a_package_whose_installation_may_have_failed_is_no_dependency_yet() -> None:
    facts = Facts(commands=(ran("cargo install cargo-llvm-cov 2>&1 | tail -20", 3),))
    line = "tried to add cargo-llvm-cov (cargo install, exit status hidden) (L3)"
    assert draft_recovery(facts, Path(ROOT)).dependencies == (line,)
    assert working_context(facts, Path(ROOT)).dependencies == line


def test_a_failed_check_that_no_later_run_covers_is_a_known_issue() -> None:
    facts = Facts(
        commands=(
            ran("cd /w && go test ./... | grep FAIL", 3, "failed", "--- FAIL: TestKiln"),
            ran("uv run pytest -q", 4, "failed", "E assert 1 == 2"),
            ran("pytest -q", 5),
            ran("go test ./kiln -run TestClay", 9),
        )
    )
    line = 'go test ./... | grep FAIL (L3; 3 commands since): output "--- FAIL: TestKiln"'
    failure = f"failed, and no later run of it on record passed: {line}"
    assert draft_recovery(facts, Path(ROOT)).known_issues == (failure,)
    assert (
        working_context(facts, Path(ROOT)).last_compile
        == f"SUCCESS: go test ./kiln -run TestClay (L9); {failure}"
    )
    done = replace(facts, todos=(todo("Fix it", "completed", 9),))
    assert draft_memory(done).confidence.startswith("Medium")
    assert failure.partition(" (L3")[0] in draft_memory(done).confidence
    passed = replace(done, commands=(*facts.commands, ran("go test ./...", 12)))
    assert draft_memory(passed).confidence.startswith("High")
    assert draft_recovery(passed, Path(ROOT)).known_issues[0].startswith("N/A: last check: SUCCESS")


def test_notes_name_what_is_not_quoted_and_subagents_are_quoted() -> None:
    facts = Facts(
        todos=(todo("x", "pending"),),
        turns=tuple(turn(number * 9, f"ask {number} " + "w" * 700, "Ok.") for number in range(1, 7)),
        subagent_results=(said("The parser has three callers.", 20),),
    )
    notes = draft_recovery(facts, Path(ROOT)).notes
    asked = notes.partition("newest first**\n")[2].partition("\n\n")[0].split("\n")
    assert [line[:7] for line in asked] == ["- ask 3", "- ask 2", "- ask 1"]
    assert "- L20 Subagent: The parser has three callers." in draft_recovery(facts, Path(ROOT)).extra[0].text


def test_notes_name_the_last_commands_and_the_pull_requests_that_were_seen() -> None:
    address = "https://github.com/kiln/kiln/pull/7"
    check = replace(ran("pytest -q", 9), by="subagent")
    facts = Facts(
        commands=(ran("npm run kiln", 3, "failed"), ran("npm run kiln", 5)),
        agent_checks=(check,),
        addresses=(said(address, 6),),
    )
    notes = draft_recovery(facts, Path(ROOT)).notes
    assert (
        "**Commands and their last outcome**\n- `pytest -q`: ok, by a subagent (L9)\n"
        "- `npm run kiln`: 2 times, last: ok (L5)\n\n"
        f"**Pull requests and issues seen**\n- {address} (L6)"
    ) in notes
    shown = compaction_notes(facts, SessionState(), Path(ROOT))
    assert f"- Pull requests and issues seen: {address} (L6)" in shown
    assert "- pytest -q (L9)" in shown


def test_secrets_are_masked_everywhere() -> None:
    key = "sk-ant-" + "a1B2c3D4" * 5
    facts = Facts(
        turns=(turn(1, f"Use {key} for it", f"I wrote {key}."),),
        answers=(answer("Which key?", key, 3),),
        modified_files=(changed(f"/work/app/{key}.txt"),),
    )
    recovery = draft_recovery(facts, Path(ROOT))
    text = render_recovery(recovery)
    assert key not in text
    assert recovery.working_files[0].path.endswith("/[masked: anthropic key].txt")


def test_a_workflow_session_is_named_with_its_plan() -> None:
    workflow = Plan(source="workflow", content="## Phase 1\n- [x] all")
    recovery = draft_recovery(Facts(), Path(ROOT), session_id="WFS-auth", workflow=workflow)
    assert (recovery.session_id, recovery.plan) == ("WFS-auth", workflow)


KINDS = st.sampled_from(["typed", "command", "plan", "queued"])
LINES = st.text(st.sampled_from("ab #->`[x]1.:\\/\n…中é<details>"), max_size=60)
UNIX = st.from_regex(r"/work/app/[a-z./ ()#-]{1,30}", fullmatch=True)
WINDOWS = st.from_regex(r"[CD]:\\[A-Za-z_\\. -]{1,30}", fullmatch=True)
PATHS = st.one_of(UNIX, WINDOWS).map(lambda path: " ".join(path.split()))
SOURCES = st.integers(0, 300).map(at)
FILES = st.lists(
    st.builds(FileFact, path=PATHS, times=st.integers(1, 9), subagent=st.booleans(), created=st.booleans()),
    max_size=6,
    unique_by=lambda file: file.path,
).map(tuple)
COMMANDS = st.builds(
    Command, LINES, LINES, st.sampled_from(["ok", "failed"]), st.none(), LINES, source=SOURCES
)
PLANS = st.builds(
    PlanFact,
    st.sampled_from(["ExitPlanMode", "plan file"]),
    LINES,
    st.sampled_from(["approved", "rejected", "unknown"]),
    st.just(""),
    source=SOURCES,
)
TURNS = st.builds(
    turn,
    st.integers(1, 300),
    LINES,
    LINES,
    LINES,
    kind=KINDS,
    end=st.sampled_from(["answered", "interrupted", "api error", "running"]),
)
FACTS = st.builds(
    Facts,
    turns=st.lists(TURNS, max_size=4).map(tuple),
    modified_files=FILES,
    read_files=FILES,
    shell_files=FILES,
    commands=st.lists(COMMANDS, max_size=3).map(tuple),
    todos=st.lists(
        st.builds(Todo, LINES, st.sampled_from(["pending", "in_progress", "completed"]), source=SOURCES),
        max_size=3,
    ).map(tuple),
    plans=st.lists(PLANS, max_size=2).map(tuple),
    errors=st.lists(
        st.builds(ErrorFact, st.sampled_from(["Bash", "Edit"]), LINES, LINES, source=SOURCES), max_size=2
    ).map(tuple),
    subagent_results=st.lists(st.builds(Quote, LINES, SOURCES), max_size=2).map(tuple),
    branch=st.sampled_from(["", "main", "fix"]),
)


@given(facts=FACTS)
def test_any_draft_comes_back_and_names_every_modified_file_by_its_absolute_path(facts: Facts) -> None:
    recovery = draft_recovery(facts, Path(ROOT))
    assert draft_recovery(facts, Path(ROOT)) == recovery
    text = render_recovery(recovery)
    assert parse_recovery(text) == recovery
    assert render_recovery(parse_recovery(text)) == text
    named = {file.path for file in recovery.working_files}
    assert {file.path for file in facts.modified_files} <= named
    files = [*recovery.working_files, *recovery.reference_files]
    assert all(is_absolute(file.path) or is_unknown(file.path) for file in files)
    points = {point.name: point.verdict for point in check_recovery(text)}
    assert points["Absolute Paths"] is not Verdict.FAIL
    assert points["Project Root"] is Verdict.PASS


@pytest.mark.parametrize("asks", [1, 3])
def test_an_objective_of_long_requests_passes_the_checklist(tmp_path: Path, asks: int) -> None:
    t = Transcript()
    for number in range(asks):
        t.user(f"Request {number}: " + "glaze the tall blue jars once more " * 20)
        t.say("Done.")
    drafted = draft_recovery(t.facts(tmp_path), Path(ROOT))
    verdicts = {each.name: each.verdict for each in check_recovery(render_recovery(drafted))}
    assert verdicts["Objective"] is Verdict.PASS
    assert drafted.objective.startswith('"Request 0:')
    assert "(first asked, L1)" in drafted.objective
    assert asks == 1 or f': "Request {asks - 1}:' in drafted.objective


OWN = "A tick is Claude's own word.\n\n"
TODOS = (Todo("Read", "completed"), Todo("Write", "in_progress"), Todo("Test", "pending"))
APPROVED = PlanFact("ExitPlanMode", "# Plan\n\n1. `src/a.ts`\n", "approved", "/home/me/.claude/plans/a.md")


def prompt(text: str, kind: PromptKind = "typed") -> Turn:
    log = TurnLog()
    log.opened(kind, text, Source(1))
    return log.finish(1)[0]


def asked(text: str, kind: PromptKind = "typed") -> str:
    return stated_plan((prompt("Hello there"), prompt(text, kind), prompt("and go on with it")))


def test_a_workflow_comes_first_and_loses_nothing_of_the_others() -> None:
    plan = choose_plan(Facts(todos=TODOS, plans=(APPROVED,)), Plan(source="workflow", content="## Phase 1\n"))
    assert plan.source == "workflow"
    assert plan.content == (
        f"## Phase 1\n\n\n## Todo list\n\n{OWN}- [x] Read\n- [>] Write\n- [ ] Test\n\n"
        "## Approved plan (/home/me/.claude/plans/a.md)\n\n# Plan\n\n1. `src/a.ts`"
    )


def test_todos_are_marked_as_the_seed_marks_them() -> None:
    assert todo_list((*TODOS, Todo("Two\nlines  \n", "strange"))) == (
        "- [x] Read\n- [>] Write\n- [ ] Test\n- [-] Two\n  lines"
    )


def test_of_a_long_plan_the_ends_are_quoted_and_all_headings_and_boxes_named() -> None:
    middle = "long text\n" * 500 + "## Clay\n- [ ] dig\n" + "long text\n" * 400
    content = "# A kiln\n" + middle + "## Fire\n- [ ] heat\n```\n# no heading\n```\n"
    plan = choose_plan(Facts(plans=(made_plan(content, "approved", 5, "/p/calm.md"),)), None)
    head = "The ends of 9,066 characters; the whole is /p/calm.md:\n\n# A kiln\nlong text\n"
    assert plan.content.startswith(head) and "## Fire\n- [ ] heat\n" in plan.content
    assert plan.content.endswith("\n1: # A kiln\n502: ## Clay\n503: - [ ] dig\n904: ## Fire\n905: - [ ] heat")
    assert len(plan.content) < 8_400


def test_a_stated_plan_stands_below_the_todos() -> None:
    said = "Here's my plan:\n1. Add a lock\n2. Test it\n3. Ship it"
    plan = choose_plan(Facts(todos=TODOS[:1], turns=(prompt(said),)), None)
    assert plan.content == f"{OWN}- [x] Read\n\n## In the user's words\n\n{said}"


@pytest.mark.parametrize(
    "text",
    [
        "Here's my plan: \n1. Read the code\n2. Move the lock\n3. Test it",
        "1. add the field\n2. rename it in src/a.py\n3. run the tests",
        "最终的目的是\n1. 搜集数据集\n2. 预训练\n3. 用rl强化",
        "Steps:\n1) Fix the lock\n2) Check it\n3) Push it",
        "计划\n1）加锁\n2）测试\n3）发布",
        "Tasks for today:\n**1. Fix the lock**\n**2. Check it twice**\n**3. Push it**",
    ],
)
def test_a_message_that_lays_out_steps(text: str) -> None:
    assert asked(text) == text


def test_bullets_are_steps_only_in_the_first_message() -> None:
    text = "So the scenario has:\n- a state ACTIVE\n- a commit with a trailer\n- no checkpoint for it"
    assert stated_plan((prompt(text),)) == text
    assert stated_plan((prompt("Fix the lock"), prompt(text))) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Fix the lock",
        "1. Fix the lock",
        "I did this:\n1. start a session\n2. edit a file\n3. run a prompt\nHow is 2 handled?",
        "we changed it to search the branch first, then I merged it",
        "1. src/a.py\n2. src/b.py\n3. src/c.py",
        "1. Should it be red?\n2. Should it be blue?\n3. Or add green?",
        "```\n1. add a\n2. add b\n3. add c\n```",
        "Use versions: 1.2 3.4 and 5.6",
        "feedback:\n1. Double encoding in chat.ts\n// Now:\nsend(it);\n// Should be:\nsend({ it });\n"
        "2. No tests\nThe critical paths need them.\n3. Type safety\nAdd assertions to what is parsed there.",
        "User: please:\n1. add a\n2. add b\n3. add c\nAgent: ok\nUser: more\nAgent: ok",
        "please:\n" + "1. add a\n2. add b\n3. add c\n" + "x" * 20_000,
    ],
)
def test_a_message_that_does_not(text: str) -> None:
    assert asked(text) == ""


def test_only_the_users_own_words_state_a_plan() -> None:
    steps = "Do these:\n1. add a\n2. add b\n3. add c"
    assert asked(steps, "rejection") == ""
    assert asked(steps, "queued") == steps
    assert asked("Implement the following plan:\n\njust one thing", "plan") != ""


def test_an_inferred_plan_is_what_was_asked() -> None:
    facts = Facts(
        turns=(
            turn(1, "Fix the lock.\n\nIt is in src.", "Fixed."),
            turn(9, "and the colour, too", "Painted."),
            turn(20, "[pasted: 3 lines, 20 characters: ✓ a b]", end="interrupted"),
        ),
    )
    assert choose_plan(facts, None) == Plan(
        source="inferred",
        content=(
            "Asked, newest first:\n- [pasted: 3 lines, 20 characters: ✓ a b] (L20)\n"
            "- and the colour, too (L9)\n- first asked (L1):\n  Fix the lock.\n\n  It is in src."
        ),
    )


def test_files_put_back_are_none_that_the_session_modified() -> None:
    facts = Facts(modified_files=(changed("/w/a.py", 2, fate="put back with git"), changed("/w/b.py", 3)))
    assert working_context(facts, Path("/w")).files_modified == "b.py"
