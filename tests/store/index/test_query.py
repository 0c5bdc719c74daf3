"""The filters of a query."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.store.index.query import KINDS, parse_search


def test_filters_may_stand_anywhere() -> None:
    found = parse_search(
        'refund file:Auth.py cmd:"go  test" in:mem,s before:2026-03 AFTER:2026-02-23 is:pinned race'
    )
    assert found.words == "refund race"
    assert (found.files, found.commands) == (("auth.py",), ("go test",))
    assert found.kinds == ("sessions", "memories") and found.pinned
    assert found.since == datetime(2026, 2, 23).astimezone()
    assert found.until is not None and found.until < datetime(2026, 3, 1).astimezone()
    assert found.query.terms == ("refund", "race", "auth.py", "go test")


@pytest.mark.parametrize(
    "text", ["in:nowhere", "http://x.de", "before:soon", "after:2026-13", "is:open", "file:", "profile:x"]
)
def test_unknown_filters_are_searched_as_words(text: str) -> None:
    found = parse_search(text)
    assert found.words == text and found.kinds == KINDS and not found.files


@given(st.text() | st.text(st.sampled_from('file:cmdinbefore"2026-01, ')))
def test_any_text_is_a_query(text: str) -> None:
    found = parse_search(text)
    assert all(found.looks_in(kind) in (True, False) for kind in KINDS)


def test_where_a_filter_cannot_match_nothing_is_looked_for() -> None:
    assert [kind for kind in KINDS if parse_search("file:a b").looks_in(kind)] == ["sessions"]
    assert [kind for kind in KINDS if parse_search("is:pinned b").looks_in(kind)] == ["memories", "pins"]
