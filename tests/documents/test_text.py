"""Normal forms of texts."""

from __future__ import annotations

import pytest

from memtui.ground.text import one_line, without_backticks


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("`a b`", "a b"),
        ("` a `", "a"),
        ("`a", "`a"),
        ("``", "``"),
        ("` `", "` `"),
        ("`a` `b`", "`a` `b`"),
        ("", ""),
    ],
)
def test_back_ticks_around_the_whole_are_taken_off(text: str, bare: str) -> None:
    assert without_backticks(text) == bare


def test_lines_are_joined_by_one_space() -> None:
    assert one_line(" a \r\n \n\u2028 b\n") == "a b"
