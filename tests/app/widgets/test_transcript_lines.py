"""What a transcript's records look like to a reader."""

from __future__ import annotations

from typing import Any

import pytest

from memtui.app.widgets.document import Document
from memtui.app.widgets.transcript_lines import join, render
from memtui.clean import clean
from memtui.formats.transcript import Line as Read
from tests.app.widgets.hosts import hostile_texts
from tests.app.widgets.records import Record, call, result, said, text, user


def rendered(*records: Record, problem: str = "") -> list[tuple[str, str]]:
    made = render(Read(0, 100, records, problem))
    return [(each.role, each.text) for each in made if each.text or each.role]


def texts(*records: Record) -> list[str]:
    return [words for _, words in rendered(*records)]


def test_a_prompt_has_its_time() -> None:
    made = [each for each in render(Read(0, 9, (user("Fix it\nand test"),))) if each.text]
    assert [each.text for each in made] == ["10:15 ❯ Fix it", "        and test"]
    assert [(span.role, made[0].text[span.start : span.end]) for span in made[0].spans] == [
        ("dim", "10:15 "),
        ("prompt", "Fix it"),
    ]
    assert (made[1].role, made[0].hang) == ("prompt", 8)
    assert texts({**user("no time"), "timestamp": None}) == ["❯ no time"]


def test_a_slash_command_is_shown_with_its_words() -> None:
    typed = "<command-message>review</command-message><command-name>/review</command-name>"
    assert texts(user(f"{typed}<command-args>the diff</command-args>")) == ["10:15 ❯ /review the diff"]


def test_what_is_no_conversation_is_left_out() -> None:
    noise: list[Record] = [
        {"type": "progress", "data": {"type": "bash_progress"}},
        {"type": "file-history-snapshot"},
        {"type": "queue-operation", "operation": "enqueue", "content": "x"},
        {"type": "mode"},
        {"type": "ai-title", "aiTitle": "t"},
        {"type": "system", "subtype": "turn_duration"},
        user("Caveat: The messages below were generated", isMeta=True),
        said({"type": "thinking", "thinking": "hm"}),
        result(""),
        result("The file /p/a.py has been updated."),
        {},
    ]
    assert [texts(record) for record in noise] == [[]] * len(noise)


def test_the_model_says_markdown() -> None:
    assert rendered(said(text("# Done\n- one"))) == [("title", "Done"), ("", "• one")]


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (call("Bash", command="npm test", description="run"), "● Bash  npm test"),
        (call("Bash", command="cat <<E\nx\nE"), "● Bash  cat <<E …"),
        (call("Edit", file_path="/p/src/a.py", old_string="x"), "● Edit  src/a.py"),
        (call("Read", file_path="/elsewhere/b.py"), "● Read  /elsewhere/b.py"),
        (call("Grep", pattern="a.*b", path="/p"), "● Grep  a.*b"),
        (call("Agent", description="look", prompt="long"), "● Agent  look"),
        (
            call("TodoWrite", todos=[{"status": "completed"}, {"status": "pending"}, 3]),
            "● TodoWrite  1 of 2 done",
        ),
        (call("TodoWrite", todos=None), "● TodoWrite  0 of 0 done"),
        (call("TaskUpdate", taskId="4", status="completed"), "● TaskUpdate  4 completed"),
        (call("mcp__x__y", number=3, words="hello"), "● mcp__x__y  hello"),
        (call("Odd", file_path=7), "● Odd  "),
        (call("Bash", command="x" * 500), f"● Bash  {'x' * 159}…"),
    ],
)
def test_a_call_takes_one_line(block: Record, shown: str) -> None:
    assert texts(said(block)) == [shown]


def test_results_are_shortened() -> None:
    assert texts(result("a\nb\nc\nd\ne")) == ["  └ a", "    b", "    c", "    … 2 more lines"]
    assert texts(result([{"type": "text", "text": "a\nb\nc\nd"}])) == [
        "  └ a",
        "    b",
        "    c",
        "    … 1 more line",
    ]
    assert texts(result("     1→import os\n     2→\n")) == ["  └ 2 lines"]
    assert texts(result("     1→import os\n")) == ["  └ 1 line"]


def test_errors_are_bad_and_longer() -> None:
    made = rendered(result("<tool_use_error>no\nsuch\nfile</tool_use_error>", failed=True))
    assert made == [("bad", "  └ no"), ("bad", "    such"), ("bad", "    file")]


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        (
            {"trigger": "auto", "preTokens": 155_000, "postTokens": 12_100},
            "compacted (auto, 155k → 12k tokens)",
        ),
        ({"trigger": "manual", "preTokens": 900}, "compacted (manual, 900 tokens)"),
        ({}, "compacted"),
        (None, "compacted"),
    ],
)
def test_a_compaction_is_a_rule_across(metadata: Any, shown: str) -> None:
    record = {"type": "system", "subtype": "compact_boundary", "compactMetadata": metadata}
    assert rendered(record) == [("rule", f"──── {shown} ")]


def test_a_summary_is_folded() -> None:
    summary = user("This session is being continued from a previous conversation ...", isCompactSummary=True)
    assert rendered(summary) == [("label", "▸ summary of what came before, 64 characters")]


def test_a_subagent_is_set_apart() -> None:
    record = said(text("looking"), call("Bash", command="ls"), isSidechain=True, agentId="a1")
    assert rendered(record) == [("dim", "┆ looking"), ("dim", "┆ ● Bash  ls")]


def test_problems_are_told() -> None:
    assert [each.text for each in render(Read(5, 12_800_005, (), "too long"))] == [
        "… line of 12.8 MB skipped"
    ]
    assert rendered(problem="not JSON") == [("dim", "… line that is not JSON skipped")]
    assert render(Read(5, 5, (), "torn")) == []
    assert render(Read(5, 5, (), "too long")) == []


@hostile_texts
def test_everything_is_cleaned(hostile: str) -> None:
    records = (
        user(hostile),
        said(text(hostile), call("Bash", command=hostile), call(hostile, x=hostile)),
        result(hostile),
        result(hostile, failed=True),
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": hostile}},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": hostile}},
    )
    for made in render(Read(0, 9, records)):
        assert clean(made.text) == made.text
        assert "\n" not in made.text


def test_long_texts_are_cut() -> None:
    made = render(Read(0, 9, (said(text("x\n" * 5000)),)))
    assert len(made) < 1010
    assert "4,000 more lines" in Document(made).text


def test_blank_lines_are_never_two() -> None:
    made = join([render(Read(0, 9, (user("a"),))), render(Read(0, 9, (user("b"),)))])
    assert [each.text for each in made] == ["", "10:15 ❯ a", "", "10:15 ❯ b", ""]
