"""Captures of memtui and of other tools: nothing is lost."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given

from memtui.documents.capture import (
    Capture,
    capture_name,
    fence,
    memory_name,
    parse_capture,
    render_capture,
    render_pending,
    reviewed,
    truncated,
)
from memtui.documents.markdown import Section
from memtui.ground.text import FormatError, opening
from tests.documents.checks import settled
from tests.documents.data import golden
from tests.documents.strategies import captures, hostile, moments, nearly, texts

MOMENT = datetime.fromisoformat("2025-12-25T08:15:00-05:00")
MESSAGE = "Move the checkout to the new tax service.\n\n## Rules\n```\nnever touch legacy/\n```"
TRANSCRIPT = "/home/user/.claude/projects/-home-user-shop/90dd90a0.jsonl"
PENDING = golden("capture-pending.md")
REVIEWED = golden("capture-reviewed.md")


def _render(message: str) -> str:
    return render_pending(timestamp=MOMENT, session_id="abc123", transcript=TRANSCRIPT, first_message=message)


def test_a_pending_capture_is_written_to_the_character() -> None:
    assert _render(MESSAGE) == PENDING


@given(captures)
def test_a_capture_comes_back_as_it_was(capture: Capture) -> None:
    text = render_capture(capture)
    assert parse_capture(text) == capture
    assert render_capture(parse_capture(text)) == text


@given(moments, texts, texts, texts)
def test_the_hook_writes_what_the_record_writes(
    moment: datetime, session_id: str, transcript: str, message: str
) -> None:
    text = render_pending(
        timestamp=moment, session_id=session_id, transcript=transcript, first_message=message
    )
    text.encode()
    assert render_capture(parse_capture(text)) == text
    assert parse_capture(text).first_message == truncated(message)


@given(nearly(captures, render_capture) | hostile())
def test_any_text_is_refused_or_understood(text: str) -> None:
    settled(text, parse_capture, render_capture)


FOREIGN = """\
# autocompact capture
- **status**: PENDING
**Timestamp**: 2025-12-25T08:15:00Z
**Trigger:** auto
**Session ID**: `abc 123`

## TRANSCRIPT (path)

```text
/home/user/my project/a b.jsonl
```
kept by hand

## Later
- look at **this**

## First Message

> line one
line two, not quoted"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_another_tools_capture_is_read(line_end: str) -> None:
    capture = parse_capture("\ufeff" + FOREIGN.replace("\n", line_end))
    assert capture == Capture(
        status="pending",
        timestamp=datetime.fromisoformat("2025-12-25T08:15:00Z"),
        session_id="abc 123",
        transcript="/home/user/my project/a b.jsonl",
        first_message="line one\nline two, not quoted",
        header="**Trigger:** auto",
        transcript_note="kept by hand",
        extra=(Section(heading="Later", text="- look at **this**"),),
    )


def test_a_transcript_path_needs_no_code_fence() -> None:
    path = FOREIGN[FOREIGN.index("```text") : FOREIGN.index("kept")]
    capture = parse_capture(FOREIGN.replace(path, " `/a b.jsonl`\n"))
    assert (capture.transcript, capture.transcript_note) == ("/a b.jsonl", "kept by hand")


def test_another_tools_lines_survive_a_review() -> None:
    text = render_capture(reviewed(parse_capture(FOREIGN), summary="Done.", memory="m-memory.md"))
    assert "**Session ID:** abc 123\n**Trigger:** auto\n\n## Transcript" in text
    assert "```\n\nkept by hand\n\n## First Message" in text
    assert text.endswith("## Later\n\n- look at **this**\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "neither the title"),
        ("# Something else\n\nText.", "neither the title"),
        ("# Autocompact Capture\n", "no Timestamp line"),
        (PENDING.replace("2025-12-25T08:15:00-05:00", "yesterday"), "'yesterday' is not an ISO 8601 time"),
        (PENDING.replace("2025-12-25T08:15:00-05:00", "x" * 99), f"timestamp '{'x' * 40}' is"),
        (PENDING.replace("pending", "lost", 1), "'lost', neither pending nor reviewed"),
        (PENDING.replace("pending", "x" * 99, 1), f"status is '{'x' * 40}', neither"),
    ],
)
def test_invalid_captures_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        parse_capture(text)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        ("[the memory](20251225_081500-memory.md)", "20251225_081500-memory.md"),
        ("[x](.project/compacts/20251225_081500-memory.md)", "20251225_081500-memory.md"),
        ("`./20251225_081500-memory.md`", "20251225_081500-memory.md"),
        ("Nothing worth keeping.", ""),
        ("Nothing.", ""),
        ("See 20251225_081500-memory.md", ""),
    ],
)
def test_the_memory_section_of_other_tools(memory: str, expected: str) -> None:
    start = REVIEWED.index("[2025")
    capture = parse_capture(REVIEWED[:start] + memory)
    assert capture.memory == expected
    assert capture.memory_note == ("" if expected else memory)
    assert parse_capture(f"{REVIEWED[:start]}{memory}\nA note.").memory_note.endswith("A note.")


def test_a_memory_is_a_file_name_and_never_a_path() -> None:
    assert reviewed(parse_capture(PENDING), summary="", memory="../../x-memory.md").memory == "x-memory.md"
    assert parse_capture(REVIEWED.replace("./2025", "..\\2025")).memory == "20251225_081500-memory.md"


def test_a_capture_without_a_status_line_has_one_by_what_it_holds() -> None:
    assert parse_capture(PENDING.replace("**Status:** pending\n", "")).status == "pending"
    written = REVIEWED.replace("**Status:** reviewed\n", "")
    assert parse_capture(written).status == "reviewed"
    assert parse_capture(written[: written.index("## Memory")]).status == "reviewed"
    assert parse_capture(written.replace("## Summary", "## Mine")).status == "reviewed"


def test_the_file_names_carry_the_local_time() -> None:
    assert capture_name(MOMENT) == "20251225_081500-autocompact.md"
    assert memory_name("20251225_081500-autocompact.md") == "20251225_081500-memory.md"
    assert capture_name(datetime.fromisoformat("0033-01-02T03:04:05Z")) == "00330102_030405-autocompact.md"


def test_an_indented_line_of_the_message_is_read() -> None:
    found = parse_capture(PENDING.replace("> Move", ">  Move").replace("Rules\n>", "Rules\n>\n>"))
    assert found.first_message == " " + MESSAGE.replace("Rules\n", "Rules\n\n")


def test_a_fence_is_longer_than_what_begins_its_line() -> None:
    assert fence("````x") == "`````\n````x\n`````"


@pytest.mark.parametrize(
    ("message", "listed"),
    [
        ("\n  \n Fix the refresh \nthird", "Fix the refresh"),
        ("brainstorm:\n\nhow the lock is let go\nand when", "brainstorm: how the lock is let go"),
        ("brainstorm:\n- how\n- when", "brainstorm: how"),
        ("brainstorm:\n", "brainstorm:"),
        ("评审：\n锁什么时候释放\n以后", "评审： 锁什么时候释放"),
        (" \n\n", ""),
    ],
)
def test_a_capture_is_listed_by_the_first_line_with_words_and_what_a_colon_announces(
    message: str, listed: str
) -> None:
    assert opening(message) == listed
