"""Reading a new capture without its model: the same values, or nothing."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.capture import parse_capture
from memtui.documents.capture_text import PendingText, fence, opening, read_pending, render_pending
from tests.documents.data import golden
from tests.documents.strategies import moments, texts

PENDING = golden("capture-pending.md")
MESSAGE = "Move the checkout to the new tax service.\n\n## Rules\n```\nnever touch legacy/\n```"


def agrees(text: str) -> bool:
    found = read_pending(text)
    if found is None:
        return True
    capture = parse_capture(text)
    return (found.status, *found) == (
        capture.status,
        capture.timestamp,
        capture.session_id,
        capture.first_message,
    )


def test_the_quick_reader_reads_a_new_capture() -> None:
    moment = datetime.fromisoformat("2025-12-25T08:15:00-05:00")
    assert read_pending(PENDING) == PendingText(moment, "abc123", MESSAGE)


def test_an_indented_line_of_the_message_is_read() -> None:
    found = read_pending(PENDING.replace("> Move", ">  Move").replace("Rules\n>", "Rules\n>\n>"))
    assert found is not None
    assert found.first_message == " " + MESSAGE.replace("Rules\n", "Rules\n\n")


def test_a_fence_is_longer_than_what_begins_its_line() -> None:
    assert fence("````x") == "`````\n````x\n`````"


def test_a_reviewed_or_changed_capture_is_left_to_the_parser() -> None:
    assert read_pending(golden("capture-reviewed.md")) is None
    assert read_pending(PENDING + "\n## Notes\n\nmine\n") is None
    assert read_pending(PENDING.replace("\n", "\r\n")) is None
    assert read_pending(PENDING.replace("T08:15", "T28:15")) is None


@given(moments, st.sampled_from(("abc-1", "a b", "`x`", "")), texts, texts)
def test_it_reads_what_the_parser_reads(moment: datetime, session: str, path: str, message: str) -> None:
    written = render_pending(timestamp=moment, session_id=session, transcript=path, first_message=message)
    assert agrees(written)


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
