"""Decisions, constraints and causes, read from single sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.reading.statements import chosen_option, found_in, settled_in
from tests.transcripts import Transcript


@pytest.mark.parametrize(
    "sentence",
    [
        "Don't stop until all functions are ported.",
        "dont do web search",
        "Do not manually edit package.json",
        "and don't touch the migrations",
        "never commit to main",
        "Always install packages as a background task.",
        "please use the british spelling :)",
        "must be controlled by configuration, default to 'off'",
        "at release.yml it shouldn't be a secret",
        "the call to the LLM needs to be configurable",
        "we explicitly don't want hardcoded visual tests.",
        "I'd rather implement it as tools than as scripts",
        "I want the formula to be called homebrew-tab instead of homebrew-entire",
        "prefer subagents to save on the main context",
        "let's not do the nuclear thing",
        "Refactor it without changing the public API",
        "Do it only on first run.",
        "Keep the public interface as it is.",
        "It should also check that the ledger is closed",
        "we want the judgement of a person in the end",
        "I kind of feel like we want either sqlite or duckdb.",
        "A. is fine, ensure we log",
        "N'utilise pas de nouvelle dépendance.",
        "il faut garder la compatibilité",
        "Je ne veux pas de tests visuels",
        "不要修改数据库结构",
        "必须使用现有的组件",
        "请用中文回答",
        "不是用底层代码手写，而是用现成的组件实现",
        "只能改前端代码",
        "gtコマンドは使わないで。",
        "必ずテストを書いてください。",
        "一旦シンプルなcron実行だけ実装して。",
        "コメントは日本語で統一してください",
        "Verwende keine neuen Pakete und ändere die Schnittstelle nicht.",
        "Die Tests müssen grün bleiben.",
        "Das darf auf keinen Fall auf main landen.",
        "No uses paquetes nuevos y no cambies la API.",
        "Não use novas dependências.",
        "Не добавляй новые зависимости.",
        "새 의존성은 추가하지 마세요.",
        "반드시 한국어로 답해 주세요.",
    ],
)
def test_constraints(sentence: str) -> None:
    assert settled_in(f"Look at this.\n- {sentence}\n") == ([], [sentence])


@pytest.mark.parametrize(
    "sentence",
    [
        "yes, let's go with A",
        "let's use apple container instead of docker proper.",
        "I think 2 is the right approach.",
        "I think B, nested in strategy options",
        "yeah rename it to plan_header_block",
        "we do container-first.",
        "okay, so it sounds like we're getting rid of the TTL.",
        "yes this is confusing, let's stop doing it if possible",
        "B) yeah let's go json.",
        "let's leave this for a future exercise.",
        "ooh dominant axis sounds perfect",
        "We decided to keep the old endpoint.",
        "On part sur SQLite.",
        "就用 SQLite 吧",
        "决定采用插件架构",
        "Sveltiaにしよう。",
    ],
)
def test_decisions(sentence: str) -> None:
    assert settled_in(sentence) == ([sentence], [])


@pytest.mark.parametrize(
    "text",
    [
        "I don't know what it does",
        "it doesn't work and they don't show up",
        "Don't we need a lock here?",
        "should we never retry?",
        "can you make sure the line count is correct?",
        "why do you always ask?",
        "let's go",
        "yes, let's go ahead",
        "ok let's go on",
        "let's go, use the planner",
        "if we want the ledger, what does it cost",
        "that should fix it",
        "let's keep going",
        "don't worry",
        "don't think so",
        "it only validates that the branch exists",
        "you must be kidding, right?",
        "Ich weiß nicht, warum es nicht läuft.",
        "No sé por qué no pasa nada",
        "Não sei o que falha",
        "Тест не работает и ничего не пишет",
        "테스트가 통과하지만 마지막 줄이 없어요",
        "这个不能运行",
        "为什么不要这个文件？",
        "どうして使わないの？",
        "> never push to main",
        "```\nnever push to main\n```",
        '"Never push to main" is what it says',
        "    | must be |",
        "x" * 400 + " must be short",
        "",
    ],
)
def test_what_settles_nothing(text: str) -> None:
    assert settled_in(text) == ([], [])


@pytest.mark.parametrize(
    "first",
    ["Code Review for PR #17: refunds", "more reviewer feedback:", "evaluate this feedback from Copilot:"],
)
def test_what_a_reviewer_demands_is_no_rule_of_the_user(first: str) -> None:
    said = "\n\n1. Critical\nThe check must be fixed before merging.\n\nNever merge without it."
    assert settled_in(first + said) == ([], [])
    assert settled_in("feedback:" + said)[1] == [
        "The check must be fixed before merging.",
        "Never merge without it.",
    ]
    assert settled_in(f"{first}\nnever rename the table")[1] == ["never rename the table"]


def test_a_decision_is_no_constraint_as_well() -> None:
    assert settled_in("let's just drop it, it must be removed.") == (
        ["let's just drop it, it must be removed."],
        [],
    )


def test_of_a_very_long_message_only_the_ends_count() -> None:
    paste = "some line of a log\n" * 500
    assert settled_in(f"never push.\n{paste}never pull.\n{paste}don't merge.")[1] == [
        "never push.",
        "don't merge.",
    ]


def _found(text: str) -> tuple[list[str], list[str]]:
    return found_in(text, text.lower())


@pytest.mark.parametrize(
    "sentence",
    [
        "I decided to keep the mutex because the queue is shared.",
        "Key Design Decision: Shell out to the CLI rather than adding the SDK.",
        "I'll go with SQLite, since it needs no server.",
    ],
)
def test_decisions_of_the_model_have_a_reason(sentence: str) -> None:
    assert _found(f"Done.\n\n**{sentence}**") == ([sentence], [])


@pytest.mark.parametrize(
    "sentence",
    [
        "The root cause is in `auth.py`: the token is refreshed twice.",
        "The issue was that the test never called the function.",
        "It turns out the worktree has no node_modules.",
        "根本原因是连接池没有关闭，所以测试在第二次运行时卡住了，而且一直没有释放任何连接。",
    ],
)
def test_causes(sentence: str) -> None:
    assert _found(f"Found it. {sentence}") == ([], [sentence])


@pytest.mark.parametrize(
    "text",
    [
        "I decided to look at the tests.",
        "Let me use grep instead of find because it is faster.",
        "The issue is:",
        "Is the problem that the cache is never cleared here?",
        "Because.",
        "The bug is gone.",
        "",
    ],
)
def test_what_the_model_says_all_day(text: str) -> None:
    assert _found(text) == ([], [])


OFFER = """Two more things.

**First question:** When should it run?

| Option | What |
|--------|------|
| **A. On commit (Recommended)** | Cheap. |
| **B. On save** | Dear. |

```
A. not this
```

For the log:
1. **Silent** - nothing is shown
2) Loud
"""


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("A.", "When should it run? → On commit (Recommended) — Cheap."),
        ("b", "When should it run? → On save — Dear."),
        ("option 2", "For the log → Loud"),
        ("yes, let's go with B", "When should it run? → On save — Dear."),
        ("I think 1 is the right approach.", "For the log → Silent - nothing is shown"),
        ("I think 2 more tests are needed", ""),
        ("let's go with a cache", ""),
        ("1 and please be quick", "For the log → Silent - nothing is shown"),
        ("C", ""),
        ("a test would be nice", ""),
        ("2) Loud", ""),
        ("1. yes\n2. no", ""),
        ("A" + " long" * 50, ""),
        ("", ""),
    ],
)
def test_what_a_short_answer_chose(choice: str, expected: str) -> None:
    assert chosen_option(choice, OFFER) == expected


def test_statements_of_a_session(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Add a cache. Never store tokens in it.")
    session.say("Which one?\n\nA) in memory\nB) on disk")
    session.user("B")
    session.user("<user-memory-input>always run make fmt</user-memory-input>")
    session.say("Done. The problem was that the old cache was never closed.")
    session.user("never store tokens in it")
    facts = session.facts(tmp_path)
    assert [(each.text, each.sentence, each.source) for each in facts.decisions] == [
        ("Which one? → on disk", "B", "answer")
    ]
    assert [(each.text, each.source) for each in facts.constraints] == [
        ("Never store tokens in it.", "user"),
        ("always run make fmt", "user"),
    ]
    assert [each.text for each in facts.causes] == ["The problem was that the old cache was never closed."]


def test_a_constraint_that_goes_on_or_is_taken_back_in_part_counts_beside_the_first(tmp_path: Path) -> None:
    session = Transcript()
    said = [
        "Never touch the migrations.",
        "Never touch the migrations of the shop without asking.",
        "Never touch it.",
    ]
    for text in (*said, *said):
        session.user(text)
    assert [each.text for each in session.facts(tmp_path).constraints] == said


def test_the_words_of_a_plan_are_not_the_users(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Implement the following plan:\n\n# P\n\nNever use threads.", planContent="# P")
    assert session.facts(tmp_path).constraints == ()
