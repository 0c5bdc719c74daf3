"""A transcript's records as lines for reading."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from memtui.app.widgets.document import BLANK, Document, Line
from memtui.app.widgets.transcript_lines import can_fold, date_line, render
from memtui.app.widgets.transcript_window import Window
from memtui.ground.clean import clean
from memtui.transcript.blocks import blocks
from memtui.transcript.lines import Line as Read
from tests.app.widgets.hosts import hostile_texts
from tests.app.widgets.records import Record, call, result, said, text, user, write


def made(*records: Record, problem: str = "", unfolded: bool = False) -> list[Line]:
    found = blocks(Read(0, 100, records, problem))
    return [line for block in found for line in render(block, unfolded=unfolded)]


def rendered(*records: Record, problem: str = "", unfolded: bool = False) -> list[tuple[str, str]]:
    lines = made(*records, problem=problem, unfolded=unfolded)
    return [(each.role, each.text) for each in lines if each.text or each.role]


def window_of(*records: Record) -> Window:
    with TemporaryDirectory() as folder:
        window = Window(write(Path(folder) / "t.jsonl", *records))
        window.index.scan(window.path)
        window.show_only(talk=False)
        window.move_to(0)
    return window


def shown(*records: Record, unfolded: bool = False, days: bool = False) -> list[str]:
    """A window of these records, calls and results joined."""
    window = window_of(*records)
    if unfolded:
        window.unfolded |= {block.key for block in window.blocks}
        window.compose()
    return [each.text for each in window.document.lines if each.text and (days or each.role != "label")]


def texts(*records: Record) -> list[str]:
    return [words for _, words in rendered(*records)]


def test_a_prompt_has_its_time() -> None:
    first, second = (each for each in made(user("Fix it\nand test")) if each.text)
    assert [first.text, second.text] == ["10:15 ❯ Fix it", "        and test"]
    assert [(span.role, first.text[span.start : span.end]) for span in first.spans] == [
        ("dim", "10:15 "),
        ("prompt", "Fix it"),
    ]
    assert (second.role, first.hang) == ("prompt", 8)
    assert texts({**user("no time"), "timestamp": None}) == ["❯ no time"]


def test_records_outside_the_conversation_are_left_out() -> None:
    noise: list[Record] = [
        {"type": "progress", "data": {"type": "bash_progress"}},
        {"type": "file-history-snapshot"},
        {"type": "queue-operation", "operation": "popAll", "content": "x"},
        {"type": "mode"},
        {"type": "ai-title", "aiTitle": "t"},
        {"type": "system", "subtype": "turn_duration"},
        user("Caveat: The messages below were generated", isMeta=True),
        said({"type": "thinking", "thinking": "", "signature": "x"}),
        result(""),
        result("The file /p/a.py has been updated."),
        {},
    ]
    assert [texts(record) for record in noise] == [[]] * len(noise)
    queued = {"type": "queue-operation", "operation": "enqueue", "content": "and paint it"}
    assert texts(queued) == ["❯ and paint it  (queued)"]


@pytest.mark.parametrize(
    ("block", "row"),
    [
        (call("Bash", command="npm test"), "● Bash  npm test"),
        (call("Bash", command="npm test", description="run"), "● Bash  npm test  ▸"),
        (call("Bash", command="cat <<E\nx\nE"), "● Bash  cat <<E ⏎ x ⏎ E  ▸"),
        (call("Edit", file_path="/p/src/a.py", old_string="x"), "● Edit  src/a.py  +0 −1  ▸"),
        (call("Read", file_path="/elsewhere/b.py"), "● Read  /elsewhere/b.py"),
        (call("Grep", pattern="a.*b", path="/p"), "● Grep  a.*b  ▸"),
        (call("Agent", description="look", prompt="long"), "● Agent  look  ▸"),
        (
            call("TodoWrite", todos=[{"status": "completed"}, {"status": "pending"}, 3]),
            "● TodoWrite  1 of 2 done  ▸",
        ),
        (call("TodoWrite", todos=None), "● TodoWrite  0 of 0 done  ▸"),
        (call("TaskUpdate", taskId="4", status="completed"), "● TaskUpdate  4 completed  ▸"),
        (call("mcp__x__y", number=3, words="hello"), "● mcp__x__y  hello  ▸"),
        (call("Odd", file_path=7), "● Odd  ▸"),
        (call("Read", file_path=f"/{'deep/' * 30}name.py"), f"● Read  …p/{'deep/' * 20}name.py  ▸"),
        (call("Bash", command="x" * 500), f"● Bash  {'x' * 109}…  ▸"),
    ],
)
def test_a_call_takes_one_line(block: Record, row: str) -> None:
    assert texts(said(block)) == [row]


def test_an_unfolded_call_shows_what_it_was_given() -> None:
    lines = rendered(said(call("Agent", description="look", prompt="one\ntwo", depth=3)), unfolded=True)
    assert lines[1:] == [("", "  prompt:"), ("code", "    one"), ("code", "    two"), ("", "  depth: 3")]


def test_an_unfolded_edit_is_a_diff_in_colour() -> None:
    edit = call("Edit", file_path="/p/a.py", old_string="the old word", new_string="the new word")
    gone, come = made(said(edit), unfolded=True)[1:]
    assert [(each.role, each.text) for each in (gone, come)] == [
        ("bad", "  - the old word"),
        ("good", "  + the new word"),
    ]
    assert [gone.text[span.start : span.end] for span in gone.spans] == ["old"]
    assert [(span.role, come.text[span.start : span.end]) for span in come.spans] == [("added", "new")]


def test_a_call_says_how_it_ended_and_how_much_it_gave() -> None:
    long = "\n".join("abcdef")
    assert shown(said(call("Bash", command="ls")), result(long)) == ["● Bash  ls  6 lines ▸"]
    assert shown(said(call("Bash", command="ls")), result("a")) == ["● Bash  ls", "  └ a"]
    failed = result("Exit code 3\nno", failed=True)
    assert shown(said(call("Bash", command="ls")), failed) == [
        "● Bash  ls  ✗ exit 3",
        "  └ Exit code 3",
        "    no",
    ]
    task = result(long, toolUseResult={"totalToolUseCount": 12, "totalDurationMs": 190_000})
    assert shown(said(call("Task", description="x")), task) == ["● Task  x  12 calls, 3 min  6 lines ▸"]
    task = result(long, toolUseResult={"totalToolUseCount": 1})
    assert shown(said(call("Task", description="x")), task) == ["● Task  x  1 call  6 lines ▸"]
    assert shown(said(call("Bash", command="ls")), result(long), unfolded=True) == [
        "● Bash  ls  6 lines ▾",
        "  └ a",
        *(f"    {letter}" for letter in "bcdef"),
    ]


def test_results_stand_under_their_calls() -> None:
    first, second = (
        {**call("Read", file_path="/p/a"), "id": "1"},
        {**call("Read", file_path="/p/b"), "id": "2"},
    )
    answers = [result("of a"), result("of b")]
    for number, answer in enumerate(answers, 1):
        answer["message"]["content"][0]["tool_use_id"] = str(number)
    assert shown(said(first), said(second), *answers) == ["● Read  a", "  └ of a", "● Read  b", "  └ of b"]


def test_a_subagents_own_transcript_is_offered() -> None:
    ended = result("done", toolUseResult={"agentId": "a1b2"})
    assert shown(said(call("Task", description="x")), ended)[-1] == "  ▸ its own transcript"
    assert "its own" not in shown(result("done", toolUseResult={"agentId": "../x"}))[-1]


def test_results_are_shortened() -> None:
    assert texts(result("a\nb\nc\nd\ne")) == ["  └ a", "    b", "    c", "    … 2 more lines ▸"]
    assert texts(result([{"type": "text", "text": "a\nb\nc\nd"}])) == [
        "  └ a",
        "    b",
        "    c",
        "    … 1 more line ▸",
    ]
    assert texts(result("     1→import os\n     2→\n")) == ["  └ 2 lines ▸"]
    assert texts(result("     1→import os\n")) == ["  └ 1 line ▸"]


def test_errors_are_bad_and_longer() -> None:
    lines = rendered(result("<tool_use_error>no\nsuch\nfile</tool_use_error>", failed=True))
    assert lines == [("bad", "  └ no"), ("bad", "    such"), ("bad", "    file")]


@pytest.mark.parametrize(
    ("metadata", "caption"),
    [
        ({"trigger": "auto", "preTokens": 155_000, "postTokens": 12_100}, "▼ COMPACTED auto 155k → 12k"),
        ({"trigger": "manual", "preTokens": 900}, "▼ COMPACTED manual 900"),
        ({}, "▼ COMPACTED"),
        (None, "▼ COMPACTED"),
    ],
)
def test_a_compaction_is_a_rule_across(metadata: Any, caption: str) -> None:
    record = {"type": "system", "subtype": "compact_boundary", "compactMetadata": metadata}
    assert rendered(record) == [("rule", f"──── {caption} ")]


def test_summary_and_thinking_unfold() -> None:
    summary = user("This session is being continued from a previous conversation ...", isCompactSummary=True)
    assert rendered(summary) == [("label", "▸ Summary, 64 characters")]
    assert "being continued" in rendered(summary, unfolded=True)[1][1]
    thinking = said({"type": "thinking", "thinking": "first\nthen"})
    assert rendered(thinking) == [("label", "▸ Thinking, 10 characters")]
    assert rendered(thinking, unfolded=True)[1:] == [("quote", "first"), ("quote", "then")]


def test_an_image_is_named() -> None:
    image = {"type": "image", "source": {"media_type": "image/png", "data": "x" * 4000}}
    record = user("", message={"role": "user", "content": [image, text("what is it?")]})
    assert texts(record) == ["▣ image/png, 3 kB", "10:15 ❯ what is it?"]


def test_pasted_text_is_folded() -> None:
    long = user("\n".join(f"row {number}" for number in range(40)))
    assert texts(long)[-1] == "        … 20 more lines ▸"
    assert texts(long)[-2] == "        row 19"
    assert "        row 39" in [words for _, words in rendered(long, unfolded=True)]
    assert can_fold(made(long)) and can_fold(made(long, unfolded=True))


def test_days_are_set_apart() -> None:
    early, late = user("a"), {**user("b"), "timestamp": "2026-01-04T10:15:00.000Z"}
    assert shown(early, early, late, days=True) == [
        "──── Fri 02 Jan 2026 ",
        "10:15 ❯ a",
        "10:15 ❯ a",
        "──── Sun 04 Jan 2026 ",
        "10:15 ❯ b",
    ]
    block = blocks(Read(0, 9, ({**early, "timestamp": None},)))[0]
    assert date_line(block) is None


def test_a_subagent_is_set_apart() -> None:
    record = said(text("looking"), call("Bash", command="ls"), isSidechain=True, agentId="a1")
    assert rendered(record) == [("dim", "┆ looking"), ("dim", "┆ ● Bash  ls")]


def test_problems_are_reported() -> None:
    read = Read(5, 12_800_005, (), "too long")
    assert [line.text for block in blocks(read) for line in render(block, unfolded=False)] == [
        "… line of 12.8 MB skipped"
    ]
    assert rendered(problem="not JSON") == [("dim", "… line that is not JSON skipped")]
    assert blocks(Read(5, 5, (), "torn")) == []
    assert blocks(Read(5, 5, (), "too long")) == []


@hostile_texts
@pytest.mark.parametrize("unfolded", [True, False])
def test_everything_is_cleaned(hostile: str, unfolded: bool) -> None:
    records = (
        user(hostile),
        said(text(hostile), call("Bash", command=hostile), call(hostile, **{"x": hostile, hostile: 3})),
        said(call("Edit", file_path=hostile, old_string=hostile, new_string=hostile + "x")),
        said({"type": "thinking", "thinking": hostile}, {"type": "image", "source": {"media_type": hostile}}),
        result(hostile),
        result(hostile, failed=True),
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": hostile}},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": hostile}},
    )
    for line in made(*records, unfolded=unfolded):
        assert clean(line.text) == line.text
        assert "\n" not in line.text


def test_results_without_end_are_cut() -> None:
    lines = made(result("x\n" * 9000), unfolded=True)
    assert len(lines) < 5010
    assert "4,000 more, y copies all of it" in Document(lines).text


def test_blank_lines_are_never_two() -> None:
    lines = window_of(user("a"), user("a")).document.lines
    assert [each.text for each in lines[1:]] == ["", "10:15 ❯ a", "", "10:15 ❯ a"]
    assert BLANK in lines
