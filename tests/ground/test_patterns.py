"""Patterns compiled on first use."""

from __future__ import annotations

import re

import pytest

from memtui.ground.patterns import deferred


def test_it_does_what_the_compiled_pattern_does() -> None:
    word = deferred(r"(?P<first>[a-z])[a-z]*", re.IGNORECASE)
    found = word.fullmatch("Word")
    assert found is not None
    assert found["first"] == "W"
    assert word.fullmatch("no word") is None
    assert word.sub("x", "two Words") == "x x"
    assert word.pattern == r"(?P<first>[a-z])[a-z]*"
    assert deferred(rb"\d").findall(b"a1b2") == [b"1", b"2"]


def test_it_is_compiled_once_and_not_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    original = re.compile

    def recorded(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return original(pattern, flags)

    monkeypatch.setattr(re, "compile", recorded)
    word = deferred("[a-z]+")
    assert compiled == []
    assert word.search("a") is not None
    assert word.search("1") is None
    assert compiled == ["[a-z]+"]
