"""Each rule masks, or matches, its line and leaves the other one alone."""

from __future__ import annotations

from typing import Any

import pytest

from memtui.secrets.secrets import _NEAR, masked
from memtui.secrets.values import pattern, table
from tests.secrets.forms import forms


def _filled(line: str) -> str:
    return forms(line)[0][0]


def _rules(*groups: str) -> list[Any]:
    return [
        pytest.param(rule, id=f"{group}-{at}") for group in groups for at, rule in enumerate(table()[group])
    ]


@pytest.mark.parametrize("rule", _rules("token", "form", "place"))
def test_a_rule_masks_its_line_and_leaves_the_other(rule: dict[str, Any]) -> None:
    line, other = _filled(rule["yes"]), _filled(rule["no"])
    assert pattern(rule["find"]).search(line)
    assert masked(line) != line
    assert masked(other) == other


@pytest.mark.parametrize("rule", _rules("gap"))
def test_a_value_behind_a_gap_is_masked(rule: dict[str, Any]) -> None:
    line, other = _filled(rule["yes"]), _filled(rule["no"])
    assert masked(line) != line
    assert masked(other) == other


@pytest.mark.parametrize("rule", _rules("value"))
def test_a_pattern_matches_its_line_only(rule: dict[str, Any]) -> None:
    assert pattern(rule["find"]).search(rule["yes"])
    assert not pattern(rule["find"]).fullmatch(rule["no"])


def test_the_quick_look_knows_a_part_of_each_word_of_the_rules() -> None:
    words = {word for rule in table()["place"] for word in rule["near"]} | set(table()["names"]["cores"])
    assert [word for word in words if word.isascii() and not any(part in word for part in _NEAR)] == []
