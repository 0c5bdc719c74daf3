"""Cleaning: nothing that comes out can steer a terminal, and nothing disappears from sight."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui import clean as module
from memtui.clean import clean, clean_line

ANY = st.text(st.characters(exclude_categories=()))


def test_the_search_and_the_table_agree() -> None:
    for code in range(0x110000):
        found = module._NEEDS_CLEANING.search(chr(code)) is not None
        assert found == ((code in module._TABLE and code != 0x0A) or code == 0x200D), hex(code)


@given(ANY)
def test_what_comes_out_is_harmless_and_can_be_encoded(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    for char in cleaned:
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(char) not in (
            "RLO",
            "LRO",
            "RLE",
            "LRE",
            "PDF",
            "RLI",
            "LRI",
            "FSI",
            "PDI",
        )


@given(ANY)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]52;c;AAAA\x07", "␛]52;c;AAAA␇"),
        ("\x1b[2Jend", "␛[2Jend"),
        ("\x9b2J", "\ufffd2J"),
        ("a\u202eb", "a\ufffdb"),
        ("a\tb\r\nc\rd", "a   b\nc␍d"),
        ("so\xadft", "soft"),
        ("\x1b]0;never ended", "␛]0;never ended"),
        ("a\u200d b\u200d", "a b"),
        ("a\u200d👍", "a👍"),
        ("👩\u200d👧 ❤️\u200d🔥 👍🏽\u200d♀️", "👩\u200d👧 ❤️\u200d🔥 👍🏽\u200d♀️"),
    ],
)
def test_hostile_text_stays_visible(hostile: str, shown: str) -> None:
    assert clean(hostile) == shown


def test_a_line_is_one_line() -> None:
    assert clean_line(" a\n\tb\u2028c ") == "a b c"
