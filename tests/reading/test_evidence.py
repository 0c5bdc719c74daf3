"""Evidence: facts as titled groups of one-line items."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.reading.evidence import EvidenceGroup, evidence, shown
from memtui.reading.facts import Facts
from memtui.reading.records import (
    Command,
    CompactionFact,
    ErrorFact,
    FileFact,
    PlanFact,
    Prompt,
    Todo,
)
from memtui.reading.short_text import first_sentence, one_line, shortened, telling_line

ROOT = Path("/work/shop")


def only(facts: Facts) -> EvidenceGroup:
    (group,) = evidence(facts, ROOT)
    return group


def test_no_facts_no_groups() -> None:
    assert evidence(Facts(), ROOT) == ()


def test_files_are_told_by_their_path_in_the_project() -> None:
    files = (FileFact("/work/shop/src/a.py", 3, False, created=True), FileFact("/etc/hosts", 1, True))
    group = only(Facts(modified_files=files))
    assert group.title == "Files modified"
    assert [item.text for item in group.items] == ["src/a.py", "/etc/hosts"]
    assert [item.detail for item in group.items] == ["3 edits, new", "by a subagent"]
    assert shown("/work/shopping/a.py", ROOT) == "/work/shopping/a.py"
    assert shown("/work/shop/a.py", None) == "/work/shop/a.py"


def test_open_errors_come_first_and_say_what_went_wrong() -> None:
    errors = (
        ErrorFact("Bash", "npm test", "fine\n=====\nError: one", True),
        ErrorFact("Bash", "make", "Exit code 2\nmaking\nfatal: two", False),
    )
    group = only(Facts(errors=errors))
    assert [item.text for item in group.items] == [
        "open: Bash make: fatal: two",
        "resolved: Bash npm test: Error: one",
    ]
    assert group.items[0].detail == "Exit code 2\nmaking\nfatal: two"


def test_commands_and_prompts_come_newest_first() -> None:
    commands = (Command("ls", "", "ok", None, ""), Command("npm test", "", "failed", 1, "boom"))
    assert [item.text for item in only(Facts(commands=commands)).items] == ["✗ npm test (exit 1)", "✓ ls"]
    prompts = (Prompt("first", "typed"), Prompt("second\nline", "typed"))
    assert [item.text for item in only(Facts(prompts=prompts)).items] == ["second line", "first"]


def test_a_plan_is_listed_by_its_lines_and_kept_whole() -> None:
    content = "\n".join(f"{number}. step" for number in range(20))
    group = only(Facts(plans=(PlanFact("plan file", content, "approved", "/p.md"),)))
    assert group.items[0].text == "from plan file, approved (/p.md)"
    assert group.items[0].detail == content
    assert group.items[-1].text == "… 8 more lines"


def test_compactions_say_how_much_went() -> None:
    compactions = (
        CompactionFact("auto", 155_000, 12_000, summary="x" * 2000),
        CompactionFact("", None, None),
    )
    assert [item.text for item in only(Facts(compactions=compactions)).items] == [
        "auto, 155,000 tokens before, 12,000 after, summary of 2,000 characters",
        "compacted",
    ]


def test_todos_show_their_state() -> None:
    todos = (Todo("a", "completed"), Todo("b", "in_progress"), Todo("c", "pending"))
    assert [item.text for item in only(Facts(todos=todos)).items] == ["[x] a", "[>] b", "[ ] c"]


@given(st.text(max_size=400), st.text(max_size=400))
def test_every_item_is_one_line(text: str, other: str) -> None:
    facts = Facts(
        prompts=(Prompt(text, "typed"),),
        errors=(ErrorFact(other, text, other, False),),
        plans=(PlanFact("ExitPlanMode", text, "unknown", ""),),
    )
    facts = replace(facts, commands=(Command(text, "", "unknown", None, ""),))
    for group in evidence(facts, ROOT):
        for item in group.items:
            assert "\n" not in item.text
            assert len(item.text) <= 220


@given(st.text(max_size=300), st.integers(5, 80))
def test_shortening_keeps_the_width(text: str, width: int) -> None:
    cut = shortened(one_line(text), width)
    assert len(cut) <= width
    assert cut == one_line(text) or cut.endswith("…")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Hello, fix it. Then more.", "fix it."),
        ("please fix v1.2 of it! Now", "fix v1.2 of it!"),
        ("1. do this\n2. do that", "do this"),
        ("/review all of it", "all of it"),
        ("...\n\n> quoted words", "quoted words"),
        ("", ""),
    ],
)
def test_the_first_sentence_says_something(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("Exit code 1\n===== test session starts =====\nE  ValueError: no", "E  ValueError: no"),
        ("all is well", "all is well"),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'\nbye", "KeyError: 'a'"),
        ("[lint] 0 errors\na.py:3: error: no\n[lint] ERROR task failed", "a.py:3: error: no"),
        ("[lint] ERROR task failed", "[lint] ERROR task failed"),
        ("pytest --fail-under=100\nsh: 1: pytest: Permission denied", "sh: 1: pytest: Permission denied"),
        ("From host:a/b\nhint: a conflict\nCONFLICT (content): a.py", "CONFLICT (content): a.py"),
        ("Steps\n• the missing step\nout of memory", "Steps"),
        ("[lint] linter 2.8 (unknown)\na.go:1:2: unused x (unused)\n", "[lint] linter 2.8 (unknown)"),
        ("[lint] linter 2.8 (unknown)\na.go:1:2: x is missing\n", "a.go:1:2: x is missing"),
        ("Rebasing (1/2)\rRebasing (2/2)\rCONFLICT (content): a.py", "CONFLICT (content): a.py"),
        ("=== RUN Test/an_error\n--- PASS: Test/an_error\nFAIL: Test/b", "FAIL: Test/b"),
        ("", ""),
        ("-----\n\n", ""),
    ],
)
def test_the_telling_line_is_the_one_about_the_failure(output: str, line: str) -> None:
    assert telling_line(output) == line
