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
from memtui.documents.recovery import Plan, is_unknown, parse_recovery, render_recovery
from memtui.documents.recovery_draft import choose_plan, draft_recovery, todo_list
from memtui.documents.session_state import SessionState
from memtui.documents.state_draft import working_context
from memtui.transcript.paths import is_absolute
from memtui.transcript.records import Command, ErrorFact, Facts, FileFact, PlanFact, Source, Todo, Turn
from memtui.transcript.turns import TurnLog
from tests.documents.made import answer, at, changed, failed, ran, said, todo, turn
from tests.documents.made import plan as made_plan
from tests.transcripts import SAID, Transcript

GOLDEN = Path(__file__).parents[1] / "data" / "recovery" / "session.md"
ROOT = "/work/app"


def session() -> Transcript:
    """A session with something for every section."""
    s, names = Transcript(), ("Hold the lock until the token is stored", "Test two tabs")
    states = (("in_progress", "pending"), ("completed", "in_progress"))
    todos = [[{"content": name, "status": state[at]} for at, name in enumerate(names)] for state in states]
    s.user("The token refresh loses its lock: two tabs refresh at once. Fix it, and keep the API as it is.")
    s.tool("Read", "# App", file_path=f"{ROOT}/CLAUDE.md")
    s.tool("Read", "export type Token = ...", file_path=f"{ROOT}/src/types/token.ts")
    s.tool("Read", "export const storage", file_path=f"{ROOT}/src/auth/storage.ts")
    s.tool("Read", "notes", file_path=f"{ROOT}/docs/notes.md")
    s.say("The root cause is that the lock is released before the new token is stored.")
    call = s.call("ExitPlanMode", plan="# Plan: one lock\n\n1. Take `src/auth/lock.ts`\n2. Test two tabs\n")
    s.result(call, "User has approved your plan. You can now start coding.")
    s.tool("TodoWrite", "ok", todos=todos[0])
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
    s.tool("TodoWrite", "ok", todos=todos[1])
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
    assert "no change" not in text.lower() and '"Fix it" (first asked)' in text


def test_a_package_whose_installation_may_have_failed_is_no_dependency_yet() -> None:
    facts = Facts(commands=(ran("cargo install cargo-llvm-cov 2>&1 | tail -20", 3),))
    line = "tried to add cargo-llvm-cov (cargo install, exit status hidden) (L3)"
    drafted = draft_recovery(facts, Path(ROOT)).dependencies
    assert (*drafted, working_context(facts, Path(ROOT)).dependencies) == (line, line)


def test_a_check_that_failed_is_a_known_issue_until_it_or_its_like_passes() -> None:
    failing = ran("go build -tags=e2e ./e2e/...", 4, "failed", "a.go:4:2: undefined: kiln")
    facts = Facts(commands=(failing,), errors=(failed(failing.text, 5, failing.output),))
    assert draft_recovery(facts, Path(ROOT)).known_issues[0].startswith("last check: FAILURE: go build")
    vetted = replace(facts, commands=(failing, ran("go vet -tags=e2e ./e2e/...", 8)))
    assert ", `go vet -tags=e2e ./e2e/...` ok at L8: " in working_context(vetted, Path(ROOT)).last_error
    assert ", `go vet -tags=e2e ./e2e/...` ok at L8: " in draft_recovery(vetted, Path(ROOT)).notes
    others = tuple(ran(f"make part{number}", 8 + number) for number in range(31))
    assert "Failures" not in draft_recovery(replace(facts, commands=(failing, *others)), Path(ROOT)).notes
    for tests, other in (("go test ./...", "go vet ./..."), ("cargo check --all", "cargo build --all")):
        unproved = replace(facts, commands=(ran(other, 8),), errors=(failed(tests, 5, "2 failed"),))
        assert "ok at" not in working_context(unproved, Path(ROOT)).last_error != ""
    stashed = failed("git checkout a && git stash pop", 5)
    put_right = Facts(errors=(stashed,), commands=(ran("git checkout b && git stash drop", 8),))
    assert working_context(put_right, Path(ROOT)).last_error == ""
    red = (ran("uv run pytest -q", 3, "failed"), ran("go test ./kiln -run TestClay", 9))
    done = Facts(commands=red, todos=(todo("Fix it", "completed", 9),))
    assert draft_memory(done).confidence.startswith("Medium")
    passed = replace(done, commands=(*red, ran("pytest -q", 12)))
    assert draft_memory(passed).confidence.startswith("High")


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
    assert points["Absolute Paths"] is not Verdict.FAIL and points["Project Root"] is Verdict.PASS


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
    assert asks == 1 or f'"Request {asks - 1}:' in drafted.objective


OWN = "Ticks and texts are Claude's own words.\n\n"
TODOS = (Todo("Read", "completed"), Todo("Write", "in_progress"), Todo("Test", "pending"))
APPROVED = PlanFact("ExitPlanMode", "# Plan\n\n1. `src/a.ts`\n", "approved", "/home/me/.claude/plans/a.md")


def prompt(text: str) -> Turn:
    log = TurnLog()
    log.opened("typed", text, Source(1))
    return log.finish(1)[0]


def test_a_workflow_comes_first_and_loses_nothing_of_the_others() -> None:
    plan = choose_plan(Facts(todos=TODOS, plans=(APPROVED,)), Plan(source="workflow", content="## Phase 1\n"))
    assert plan.source == "workflow"
    assert plan.content == (
        f"## Phase 1\n\n\n## Todo list\n\n{OWN}- [x] Read\n- [>] Write\n- [ ] Test\n\n"
        "## Approved plan (/home/me/.claude/plans/a.md)\n\n# Plan\n\n1. `src/a.ts`"
    )


def test_todos_are_marked_as_the_seed_marks_them() -> None:
    listed = choose_plan(Facts(todos=(Todo("Dig", "pending", "Deep"),)), None)
    assert listed.source == "todo (TaskCreate)" and "own words.\n\n- [ ] Dig\n  Deep" in listed.content
    assert todo_list((*TODOS, Todo("Two\nlines  \n", "strange"))) == (
        "- [x] Read\n- [>] Write\n- [ ] Test\n- [-] Two\n  lines"
    )


def test_a_plan_is_quoted_whole_or_its_ends_also_when_it_is_worked_on() -> None:
    line = "long text\n"
    content = f"# A kiln\n{line * 500}## Clay\n- [ ] dig\n{line * 400}## Fire\n- [ ] heat\n```\n# no\n```\n"
    facts = Facts(plans=(made_plan(content, "approved", 5, "/p/calm.md"),))
    plan = choose_plan(facts, None)
    end = "\n\nThe whole is /p/calm.md. Its titles:\n\n- A kiln\n- Clay\n- Fire"
    assert plan.content.startswith("# A kiln\nlong text\n") and plan.content.endswith(end)
    assert len(plan.content) < 8_400
    worked = (changed("/p/calm.md", 8), changed("/w/a.py", 9))
    begun = "Work on it has begun, and may depart from it.\n\n"
    assert choose_plan(replace(facts, modified_files=worked), None).content == begun + plan.content
    short = Facts(plans=(APPROVED,), modified_files=worked)
    own = "inferred (written by Claude, approved by the user)"
    assert choose_plan(short, None) == Plan(source=own, content=begun + APPROVED.content.strip())
    ended = replace(short, past_todos=(todo("Dig", "completed", 9),))
    done = "1 of 1 task ticked by Claude (L9): it is done, and what followed may depart from it.\n\n"
    assert choose_plan(ended, None).content.startswith(f"{done}# Plan")


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("Here's my plan: \n1. Read the code\n2. Move the lock\n3. Test it", True),
        ("最终的目的是\n1. 搜集数据集\n2. 预训练\n3. 用rl强化", True),
        ("The scenario has:\n- a state ACTIVE\n- a commit\n- no checkpoint for it", True),
        ("1. Fix the lock", False),
        ("Look again:\n- How fast is it?\n- will it last?\n- survive a fire (more of a thought)", False),
        ("I did this:\n1. start a session\n2. edit a file\n3. run a prompt\nHow is 2 handled?", False),
    ],
)
def test_a_stated_plan_stands_below_the_todos_until_it_is_worked_on(text: str, states: bool) -> None:
    facts = Facts(todos=TODOS, turns=(prompt(text), prompt("and go on with it")))
    listed = f"{OWN}- [x] Read\n- [>] Write\n- [ ] Test"
    said = f"\n\n## In the user's words\n\n{text}" if states else ""
    assert choose_plan(facts, None).content == f"{listed}{said}"
    worked = replace(facts, modified_files=(changed("/w/a.py", 9),))
    assert choose_plan(worked, None).content == listed


def test_requests_are_no_plan() -> None:
    none = "- N/A: no plan and no list of tasks on record; what was asked stands below"
    facts = Facts(turns=(turn(1, "Fix the lock."), turn(9, "Now build the wall of the long yard. " * 9)))
    assert choose_plan(facts, None) == Plan(source="inferred", content=none)
    worked = (changed("/w/docs/plans/a.md", 3), changed("/w/a.py", 10))
    done = replace(facts, todos=(todo("Dig", "completed", 4),), modified_files=worked)
    known = (
        "- 1 of 1 task ticked by Claude (L4); plan in /w/docs/plans/a.md (L3); what was asked stands below"
    )
    assert choose_plan(done, None).content == known


def test_files_put_back_are_none_that_the_session_modified() -> None:
    back = (changed("/w/a.py", 2, fate="put back"), changed("/w/b.py", 3))
    assert working_context(Facts(modified_files=back), Path("/w")).files_modified == "b.py"
