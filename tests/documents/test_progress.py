"""The reading progress stored beside a state document."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.session_state import Progress, fingerprint, parse_progress, render_progress
from memtui.ground.text import FormatError

ONE = Progress(version=3, transcript="/t/返金.jsonl", offset=1200, head="aa", tail="bb")


def test_it_is_one_json_object_that_names_its_format() -> None:
    text = render_progress(ONE)
    assert text.endswith("}\n")
    assert json.loads(text)["format"] == 1
    assert "返金" in text
    assert parse_progress(text) == ONE
    assert parse_progress(json.dumps({**json.loads(text), "carried": {"line": 3}})) == ONE  # as once written


def test_nothing_may_have_been_read_for_the_first_version() -> None:
    first = ONE.replace(version=1, offset=0)
    assert parse_progress(render_progress(first)) == first


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "null",
        '{"format": 2, "version": 1, "transcript": "t", "offset": 1, "head": "", "tail": ""}',
        '{"format": 1, "version": 0, "transcript": "t", "offset": 1, "head": "", "tail": ""}',
        '{"format": 1, "version": 1, "transcript": "t", "offset": -1, "head": "", "tail": ""}',
        '{"format": 1, "version": 1}',
        "[" * 100_000,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_progress(text)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(FormatError):
        parse_progress(text)


def test_bytes_are_known_again() -> None:
    assert fingerprint(b"a") == fingerprint(b"a") != fingerprint(b"b")
    assert len(fingerprint(b"a")) == 32
