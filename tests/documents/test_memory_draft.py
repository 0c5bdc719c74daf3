"""Drafts: what a reviewer finds in the form, and what a session state says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memtui.documents.memory_draft import draft_memory, draft_summary
from memtui.documents.state_draft import draft_session_state
from memtui.formats.memory import parse_memory, render_memory
from memtui.formats.session_state import SessionState, TaskKind, parse_session_state, render_session_state
from memtui.reading.facts import Facts
from memtui.reading.records import (
    Action,
    Command,
    CompactionFact,
    Correction,
    ErrorFact,
    FileFact,
    PlanFact,
    Prompt,
    Source,
    Statement,
    Todo,
)
from tests.transcripts import Transcript

NOTHING = Facts()


def prompts(*texts: str) -> tuple[Prompt, ...]:
    return tuple(Prompt(text, "command" if text.startswith("/") else "typed") for text in texts)


def said(*texts: str) -> tuple[Statement, ...]:
    return tuple(Statement(text, text, "user", "") for text in texts)


def file(path: str, times: int = 1, *, subagent: bool = False) -> FileFact:
    return FileFact(path, times, subagent)


def error(message: str, *, resolved: bool = False) -> ErrorFact:
    return ErrorFact("Bash", "npm test", message, resolved)


def ran(text: str, outcome: str = "ok", output: str = "") -> Command:
    return Command(text, "", outcome, None, output)  # type: ignore[arg-type]


@dataclass
class At:
    root: Path = Path("/work/shop")
    name: str = "shop"


FULL = Facts(
    session_id="s1",
    cwd="/work/shop",
    branch="refunds",
    prompts=prompts("Hi, make refunds give the stock back. It is urgent.", "now run the tests"),
    first_prompt="Hi, make refunds give the stock back. It is urgent.",
    modified_files=(
        file("/work/shop/a.py"),
        file("/work/shop/b.py", 5),
        file("/x/agent.py", 9, subagent=True),
    ),
    todos=(Todo("write the test", "completed"), Todo("fix it", "in_progress"), Todo("deploy", "pending")),
    decisions=said("We use the ledger because it is atomic."),
    constraints=said("Never touch the API."),
    causes=said("The cause was a race."),
    corrections=(Correction("Edit", "no, use the existing helper instead of a new one", ""),),
    errors=(error("Exit code 1\nran 3\nError: duplicate key"), error("ENOENT: no such file", resolved=True)),
    commands=(ran("npm test", "failed", "1 failed"), ran("npm test")),
    last_action=Action("Bash", "npm test", "ok", "12 passed"),
)


def test_a_memory_says_what_the_facts_show() -> None:
    memory = draft_memory(FULL)
    assert memory.title == "make refunds give the stock back"
    assert memory.goal.startswith("Hi, make refunds give the stock back. It is urgent.")
    assert "Last asked: now run the tests" in memory.goal
    assert memory.learnings[:3] == (
        "We use the ledger because it is atomic.",
        "The cause was a race.",
        "Constraint: Never touch the API.",
    )
    assert any("use the existing helper" in each for each in memory.learnings)
    assert any(each.startswith("Resolved: Bash npm test failed: ENOENT") for each in memory.learnings)
    assert memory.questions == (
        "fix it (in progress)",
        "deploy",
        "Bash npm test failed: Error: duplicate key",
    )
    assert memory.confidence == "Medium — 2 todos and 1 error left open"
    assert memory.key_files == ("b.py", "a.py", "/x/agent.py")


def test_a_memory_comes_back_from_its_file() -> None:
    memory = draft_memory(FULL)
    assert parse_memory(render_memory(memory)) == memory


def test_the_same_facts_give_the_same_words() -> None:
    assert draft_memory(FULL) == draft_memory(replace(FULL))
    assert draft_summary(FULL) == draft_summary(replace(FULL))


@pytest.mark.parametrize(
    ("texts", "title"),
    [
        (("/erk:implement", "make it fast, please"), "make it fast, please"),
        (("/erk:implement",), "/erk:implement"),
        (("请把这个计划精简一下。谢谢",), "请把这个计划精简一下"),
        (("スライドページってどう作られている？",), "スライドページってどう作られている？"),
        (("- [ ] \n\n# Fix the login\nmore",), "Fix the login"),
        (("Bonjour ! Le panier est vide au démarrage.",), "Le panier est vide au démarrage"),
        (("你好，请把这个计划精简一下。",), "请把这个计划精简一下"),
        ((), "Session without words of the user"),
    ],
)
def test_the_title_is_the_first_thing_said_that_says_something(texts: tuple[str, ...], title: str) -> None:
    facts = Facts(prompts=prompts(*texts), first_prompt=texts[0] if texts else "")
    assert draft_memory(facts).title == title


def test_a_task_names_a_session_of_commands_without_a_plan() -> None:
    todos = (Todo("hold the lock", "completed"), Todo("test it", "pending"))
    facts = Facts(prompts=prompts("/implement"), first_prompt="/implement", todos=todos)
    assert draft_memory(facts).title == "/implement: hold the lock"


def test_a_plan_names_a_session_of_commands() -> None:
    plan = PlanFact("ExitPlanMode", "# Plan: print hello\n1. do it", "approved", "")
    facts = Facts(prompts=prompts("/implement"), first_prompt="/implement", plans=(plan,))
    assert draft_memory(facts).title == "Plan: print hello"


def test_secrets_are_masked() -> None:
    key = "sk-ant-" + "a1B2c3D4" * 5
    facts = replace(
        NOTHING,
        prompts=prompts(f"Use {key} to log in"),
        first_prompt=f"Use {key} to log in",
        constraints=said(f"Never print {key}."),
        todos=(Todo(f"remove {key}", "pending"),),
    )
    memory = draft_memory(facts)
    assert memory.title == memory.goal == "Use [masked: anthropic key] to log in"
    assert (memory.learnings, memory.questions) == (
        ("Constraint: Never print [masked: anthropic key].",),
        ("remove [masked: anthropic key]",),
    )
    assert draft_summary(facts) == "Use [masked: anthropic key] to log in. No file was changed."


def test_what_is_no_bug_is_no_question() -> None:
    errors = (
        ErrorFact(
            "WebFetch",
            "https://example.org/x",
            "Request failed with status code 404",
            False,
            Source(timestamp="1"),
        ),
        ErrorFact("Bash", "ls dist && cat dist/x", "No such file or directory", False, Source(timestamp="1")),
        ErrorFact("Bash", "./skill search", "Error", False, Source(timestamp="1")),
        ErrorFact(
            "Bash", "sleep 99 && make", "Blocked: sleep 99 followed by: make", False, Source(timestamp="1")
        ),
        ErrorFact(
            "Bash",
            "npm publish",
            "npm error code E403\nnpm error 403 Forbidden",
            False,
            Source(timestamp="1"),
        ),
    )
    memory = draft_memory(replace(NOTHING, errors=errors, modified_files=(file("/a"),)))
    assert memory.questions == ("Bash npm publish failed: npm error 403 Forbidden",)
    assert memory.confidence == "Medium — 1 error left open"


def test_errors_that_do_not_say_why_are_no_learnings() -> None:
    solved = (
        error("[lint] ERROR task failed", resolved=True),
        error("Agent type 'x' not found", resolved=True),
        error("[test] $ go test ./...\nrunning 3 of 4", resolved=True),
    )
    assert draft_memory(replace(NOTHING, errors=solved)).learnings == ()
    told = error("a/b.go:40:1: badly formatted", resolved=True)
    assert len(draft_memory(replace(NOTHING, errors=(told,))).learnings) == 1


def test_key_files_are_there() -> None:
    files = (
        replace(file("/work/shop/a.py", 5), fate="deleted"),
        replace(file("/work/shop/b.py", 4), fate="moved to /work/shop/c.py"),
        file("/work/shop/c.py", 2),
        replace(file("/work/shop/d.py"), fate="put back with git"),
    )
    memory = draft_memory(replace(NOTHING, cwd="/work/shop", modified_files=files))
    assert memory.key_files == ("c.py", "d.py")


@pytest.mark.parametrize(
    ("first", "later", "goal"),
    [
        (
            "/ship",
            ("the importer drops the last row of each file", "ok"),
            "/ship — then: the importer drops the last row of each file",
        ),
        (
            "Find out why the night job dies.\n" + "2026-03-01T10:00:11Z ERROR died\n" * 30,
            (),
            "Find out why the night job dies.",
        ),
    ],
)
def test_the_goal_is_what_was_asked(first: str, later: tuple[str, ...], goal: str) -> None:
    facts = replace(NOTHING, prompts=prompts(first, *later), first_prompt=first)
    assert draft_memory(facts).goal == goal


def test_long_titles_end_at_a_word() -> None:
    facts = Facts(prompts=prompts("please " + "reconsider everything " * 9), first_prompt="x")
    title = draft_memory(facts).title
    assert len(title) <= 60
    assert title.endswith(("reconsider…", "everything…"))


@pytest.mark.parametrize(
    ("facts", "confidence"),
    [
        (NOTHING, "Low — nothing was changed"),
        (replace(NOTHING, modified_files=(file("/a"),)), "Medium — no todo list and no test run to judge by"),
        (
            replace(NOTHING, modified_files=(file("/a"),), commands=(ran("pytest -q"),)),
            "High — pytest -q passed, no error left open",
        ),
        (
            replace(NOTHING, modified_files=(file("/a"),), commands=(ran("make test", "failed"),)),
            "Low — the last check failed: make test",
        ),
        (
            replace(NOTHING, modified_files=(file("/a"),), todos=(Todo("x", "completed"),)),
            "High — 1 todo done, no error left open",
        ),
        (
            replace(NOTHING, modified_files=(file("/a"),), errors=(error("the disk is full"),)),
            "Medium — 1 error left open",
        ),
    ],
)
def test_confidence_is_never_more_than_the_facts_show(facts: Facts, confidence: str) -> None:
    assert draft_memory(facts).confidence.startswith(confidence)


def test_short_corrections_and_questions_are_no_learnings() -> None:
    facts = replace(
        NOTHING, corrections=(Correction("x", "stop", ""), Correction("x", "why do you do it that way?", ""))
    )
    assert draft_memory(facts).learnings == ()


def test_the_summary_is_a_sentence_or_two() -> None:
    assert draft_summary(FULL) == (
        "make refunds give the stock back. 3 files modified, 1 todo done, 1 decision."
    )
    assert draft_summary(NOTHING) == "No file was changed."


def state(facts: Facts) -> SessionState:
    drafted = draft_session_state(facts, At())
    assert parse_session_state(render_session_state(drafted)) == drafted
    return drafted


def test_a_session_state_has_all_its_parts() -> None:
    drafted = state(FULL)
    assert drafted.identity.project == "shop (/work/shop)"
    assert drafted.identity.branch == "refunds"
    assert [task.kind for task in drafted.tasks] == [TaskKind.DONE, TaskKind.IN_PROGRESS, TaskKind.NEXT]
    assert [decision.kind for decision in drafted.decisions] == ["decision", "constraint"]
    assert drafted.working.files_modified == "a.py, b.py, /x/agent.py"
    assert drafted.working.last_compile == "SUCCESS: npm test"
    assert drafted.working.last_error == "Bash npm test failed: Error: duplicate key (open)"
    assert drafted.dynamics.language == "English"
    assert drafted.dynamics.phase == "execution"
    assert drafted.dynamics.last_intent == "now run the tests"


def test_at_most_fifteen_tasks_and_none_is_lost_silently() -> None:
    todos = tuple(Todo(f"old {number}", "completed") for number in range(30))
    todos += (Todo("now", "in_progress"), Todo("next", "pending"), Todo("later", "pending"))
    tasks = state(replace(NOTHING, todos=todos)).tasks
    assert len(tasks) == 15
    assert tasks[0].text.startswith("Earlier: completed 19 tasks including old 16; old 17; old 18")
    assert [task.kind for task in tasks[-3:]] == [TaskKind.IN_PROGRESS, TaskKind.NEXT, TaskKind.LATER]


def test_a_failed_action_blocks_the_task_in_progress() -> None:
    action = Action("Bash", "npm test", "failed", "3 failed")
    tasks = state(replace(NOTHING, todos=(Todo("fix", "in_progress"),), last_action=action)).tasks
    assert tasks[0].children[0].text == "3 failed"
    assert state(replace(NOTHING, last_action=action)).dynamics.phase == "debugging"


def test_a_plan_gives_the_tasks_when_there_is_no_list() -> None:
    plan = PlanFact("ExitPlanMode", "# Plan\n1. first\n2. second\n- [x] third", "approved", "")
    drafted = state(replace(NOTHING, plans=(plan,)))
    assert [task.text for task in drafted.tasks] == ["first", "second", "third"]
    assert drafted.dynamics.phase == "planning"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Le total du panier est faux, il faut le corriger pour les clients", "French"),
        ("please fix the login page", "English"),
        ("我需要你把计划精简一下", "Chinese"),
        ("コミットしてください", "Japanese"),
        ("로그인 페이지를 고쳐 주세요", "Korean"),
        ("исправь страницу входа", "Russian"),
        ("", ""),
    ],
)
def test_the_language_is_that_of_the_users_words(text: str, language: str) -> None:
    assert state(replace(NOTHING, prompts=prompts(text))).dynamics.language == language


def test_nothing_is_made_up_from_nothing() -> None:
    drafted = state(NOTHING)
    assert drafted.tasks == ()
    assert drafted.decisions == ()
    assert drafted.working.last_error == ""
    assert drafted.dynamics.last_intent == ""


def test_slips_of_the_model_with_its_own_tools_are_neither_learnings_nor_questions() -> None:
    slips = tuple(
        ErrorFact(tool, target, "no", resolved)
        for resolved in (True, False)
        for tool, target in (
            ("Edit", "/work/shop/a.py"),
            ("Read", "b.py"),
            ("Bash", "cd x && ls y"),
            ("Grep", "z"),
        )
    )
    memory = draft_memory(replace(NOTHING, errors=slips, modified_files=(file("/a"),)))
    assert (memory.learnings, memory.questions) == ((), ())
    assert "error" not in memory.confidence


def test_an_answer_to_what_comes_next_is_told_alone_when_it_says_something() -> None:
    answers = (
        Statement("Plan ready. What would you like to do next? → Run /review", "", "answer", ""),
        Statement("Ready to implement? → store it in settings.json (Recommended)", "", "answer", ""),
        Statement("Which database? → SQLite (Recommended)", "", "answer", ""),
    )
    facts = replace(NOTHING, decisions=answers)
    expected = ("store it in settings.json", "Which database? → SQLite")
    assert draft_memory(facts).learnings == expected
    assert tuple(decision.text for decision in state(facts).decisions) == expected


def test_the_role_of_the_model_and_addresses_are_no_titles() -> None:
    text = "You are an experienced developer.\n\nhttps://example.com/x\nuse context7\nlook at the login form"
    facts = Facts(prompts=prompts(text), first_prompt=text)
    assert draft_memory(facts).title == "look at the login form"


def test_a_bare_command_is_explained_by_the_summary_of_its_compaction() -> None:
    intent = "1. Primary Request and Intent:\n   Round the cart. Now.\n\n2. Key Concepts"
    summary = CompactionFact("auto", 1, None, summary=f"Analysis:\n1. x\n\nSummary:\n{intent}")
    facts = Facts(prompts=prompts("/go"), first_prompt="/go", compactions=(summary,))
    assert draft_memory(facts).title == "Round the cart"
    assert draft_memory(facts).goal == "/go: Round the cart."
    assert state(facts).identity.goal == "/go: Round the cart."


def test_notes_of_the_model_itself_are_the_last_key_files() -> None:
    files = (file("/home/u/.claude/plans/x.md", 9), file("/work/shop/a.py"))
    assert draft_memory(replace(FULL, modified_files=files)).key_files[0] == "a.py"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cd /work && npm test 2>&1 | tail -5", "npm test"),
        ("uv run pytest -q", "uv run pytest -q"),
        ("git commit -m 'make test pass'", ""),
        ("gh pr create --body 'npm test'", ""),
        ("mise run test:ci && mise run lint", "mise run test:ci && mise run lint"),
    ],
)
def test_what_counts_as_a_check(command: str, shown: str) -> None:
    compiled = state(replace(NOTHING, commands=(ran(command),))).working.last_compile
    assert compiled == (f"SUCCESS: {shown}" if shown else "")


def test_a_sentence_that_only_announces_is_told_with_what_it_announces(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Here's my plan:\n\n1. Read the tokens from the keyring. Then more.\n2. Test it.")
    facts = session.facts(tmp_path)
    assert draft_memory(facts).title.startswith("Here's my plan: Read the tokens")
