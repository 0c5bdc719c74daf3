"""Cleaning: the result cannot control a terminal, and nothing disappears."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.ground import clean as module
from memtui.ground.clean import clean, clean_line

ANY = st.text(st.characters(exclude_categories=()))


IGNORABLE = [
    0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0,
    *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
]  # fmt: skip
"""Default_Ignorable_Code_Point of Unicode 15."""


def test_the_search_and_the_table_agree() -> None:
    each_on_a_line = "\n".join(map(chr, range(0x110000)))
    found = {match.start() // 2 for match in re.finditer(module._NEEDS_CLEANING, each_on_a_line)}
    placed = (0x200C, 0x200D, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
    assert found == {*module._table(), *placed} - {0x0A}
    assert {code for code in range(0x80) if clean(chr(code)) != chr(code)} == {*range(0x80)} & found


def test_nothing_invisible_is_left_between_letters() -> None:
    for code in (*IGNORABLE, 0xFFF9, 0xFFFA, 0xFFFB):  # thousands: a test for each would take minutes
        assert clean(f"a{chr(code)}b") in ("ab", "a\ufffdb"), hex(code)
        shown = clean(f"<sys{chr(code) * 3}tem>")
        assert shown in ("<system>", "<sys\ufffd\ufffd\ufffdtem>"), hex(code)


@pytest.mark.parametrize(
    "text",
    [
        "❤\ufe0f ☎\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3 ©\ufe0f",
        "葛\U000e0100飾区 辻\ufe00",
        "می\u200cخواهم نمی\u200cدانم",
        "ক্\u200cত श्री संस्कृत",
        "\u182e\u1823\u1829\u182d\u1823\u182f\u180b",
        "한국어 ไทย עברית Ελληνικά",
    ],
)
def test_what_writing_needs_is_kept(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("葛\U000e0100\U000e0101", "葛\U000e0100\ufffd"),
        ("1\ufe0f 2\ufe0e x\ufe0f", "1 2 x"),
        ("a\u200cb ا\u200c", "ab ا"),
        ("क्\u200dष", "क्ष"),
        ("a\ufe0f\u200d👍", "a👍"),
    ],
)
def test_elsewhere_it_is_not(hidden: str, shown: str) -> None:
    assert clean(hidden) == shown


@given(ANY)
def test_clean_text_is_harmless_and_encodable(text: str) -> None:
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
