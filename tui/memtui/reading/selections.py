"""Which tests a command line picks: a run of one of them says nothing of the others."""

from __future__ import annotations

import re

from memtui.reading.tools import TEST_RUNNERS

_TESTS = re.compile(rf"\b(?:tests?|{'|'.join(TEST_RUNNERS)})\b")
_PICKED = re.compile(
    r"(?<!\S)(?:--?run|-k|-t|-g|--grep|--filter|--tests?|--testNamePattern|--test-name-pattern|-Dtest|--gtest_filter)"
    r"(?:=|\s+)(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s|&;<>-][^\s|&;<>]*)"
    r"|::(?P<node>\w[\w:]*)|\bcargo (?:nextest run|test)\s+(?P<name>[A-Za-z_][\w:]*)"
)
_EITHER = re.compile(r"\||\s+or\s+|,")
_LONGEST = 2_000


def picked(command: str) -> frozenset[str]:
    """The names by which a command line picks tests; none when it runs all that there are."""
    text = command[:_LONGEST]
    if _TESTS.search(text) is None:
        return frozenset()
    values = (match["value"] or match["node"] or match["name"] for match in _PICKED.finditer(text))
    names = (name.strip("\"'^$() ") for value in values for name in _EITHER.split(value))
    return frozenset(name for name in names if name)


def covers(passed: frozenset[str], failed: frozenset[str], message: str) -> bool:
    """Whether a run that picked `passed` and went well shows that another one, which failed, would now.

    Args:
        passed: what the run that went well picked.
        failed: what the one that failed had picked.
        message: what that one printed: of all tests those that failed may be named there.
    """
    if not passed:
        return True
    if not failed:
        return any(name in message for name in passed)
    return all(any(one in name for one in passed) for name in failed)
