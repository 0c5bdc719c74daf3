"""The choice of the plan, and its preservation word for word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memtui.documents.recovery import Plan, choose_plan, todo_list
from memtui.transcript.plans import stated_plan
from memtui.transcript.records import Facts, FileFact, PlanFact, PromptKind, Source, Todo, Turn
from memtui.transcript.turns import TurnLog
from tests.documents.made import changed, commit, ran, turn
from tests.documents.made import plan as made_plan

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
        "## Phase 1\n\n\n## Todo list\n\n- [x] Read\n- [>] Write\n- [ ] Test\n\n"
        "## Approved plan (/home/me/.claude/plans/a.md)\n\n# Plan\n\n1. `src/a.ts`"
    )


def test_todos_are_marked_as_the_seed_marks_them() -> None:
    assert todo_list((*TODOS, Todo("Two\nlines  \n", "strange"))) == (
        "- [x] Read\n- [>] Write\n- [ ] Test\n- [-] Two\n  lines"
    )


def test_a_long_plan_is_quoted_by_its_headings_with_their_lines() -> None:
    content = "# A kiln\n" + "long text\n" * 900 + "## Fire\n- [ ] heat\n```\n# no heading\n```\n"
    plan = choose_plan(Facts(plans=(made_plan(content, "approved", 5, "/p/calm.md"),)), None)
    assert plan.content == (
        "9,048 characters, 906 lines; read it in /p/calm.md. Its headings by line number:\n\n"
        "1: # A kiln\n902: ## Fire\n903: - [ ] heat"
    )


def test_a_stated_plan_stands_below_the_todos() -> None:
    said = "Here's my plan:\n1. Add a lock\n2. Test it\n3. Ship it"
    plan = choose_plan(Facts(todos=TODOS[:1], turns=(prompt(said),)), None)
    assert plan.content == f"- [x] Read\n\n## In the user's words\n\n{said}"


@pytest.mark.parametrize(
    "text",
    [
        "Here's my plan: \n1. Read the code\n2. Move the lock\n3. Test it",
        "I want to: first read the parser, then move the lock, finally run the tests",
        "1. add the field\n2. rename it in src/a.py\n3. run the tests",
        "最终的目的是\n1. 搜集数据集\n2. 预训练\n3. 用rl强化",
        "首先读取解析器，然后修改锁，最后运行测试",
        "まず設計を読み、次に実装し、最後にテストする",
        "D'abord lire le code, ensuite corriger le verrou, enfin lancer les tests",
        "Steps:\n1) Fix the lock\n2) Check it\n3) Push it",
        "Here's my plan: 1. add a lock 2. test it 3. ship it",
        "我的计划是:1. 加锁 2. 测试 3. 发布",
        "我的计划是：1.加锁；2.测试；3.发布",
        "My plan: 1) add a lock; 2) test it",
        "我的计划是：1）加锁；2）测试；3）发布",
        "计划\n1）加锁\n2）测试\n3）发布",
        "計画：（1）鍵を足す（2）試す",
        "계획: 1. 잠금 추가 2. 테스트 3. 배포",
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


def test_a_pasted_manual_or_diff_is_no_plan() -> None:
    steps = "1. add a thing\n2. test a thing\n3. ship a thing"
    assert asked(f"This is the manual:\n{'It says things. ' * 200}\n{steps}") == ""
    changed = "\n".join(f"+{line}" for line in steps.split("\n"))
    assert asked(f"Look:\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n{changed}\n {steps}") == ""


def test_only_the_users_own_words_state_a_plan() -> None:
    steps = "Do these:\n1. add a\n2. add b\n3. add c"
    assert asked(steps, "rejection") == ""
    assert asked(steps, "queued") == steps
    assert asked("Implement the following plan:\n\njust one thing", "plan") != ""


def test_an_inferred_plan_is_what_was_asked_done_and_left() -> None:
    facts = Facts(
        turns=(
            turn(1, "Fix the lock.\n\nIt is in src.", "Fixed."),
            turn(9, "and the colour, too", "Painted."),
            turn(20, "[pasted: 3 lines, 20 characters: ✓ a b]", end="interrupted"),
        ),
        landmarks=(
            commit("Hold the lock", 4, "1234abc"),
            replace(commit("https://x.org/pull/1", 5, ""), kind="pull request"),
        ),
        modified_files=(changed("/w/a.py", 2, times=2), FileFact("/w/b.py", 1, False, created=True)),
        commands=(ran("npm test", 12),),
    )
    assert choose_plan(facts, None) == Plan(
        source="inferred",
        content=(
            "First asked (L1):\nFix the lock.\n\nIt is in src.\n\n"
            "Asked since, newest first:\n- [pasted: 3 lines, 20 characters: ✓ a b] (L20)\n"
            "- and the colour, too (L9)\n\n"
            "Done, by the record:\n- [x] committed Hold the lock (1234abc) (L4)\n"
            "- [x] pull request https://x.org/pull/1 (L5)\n"
            "- [x] changed /w/a.py (L2)\n- [x] created /w/b.py\n"
            "- [x] last check: SUCCESS: npm test (L12)\n\n"
            'Open, by the record:\n- [ ] last asked (L20): "[pasted: 3 lines, 20 characters: ✓ a b]"'
        ),
    )
