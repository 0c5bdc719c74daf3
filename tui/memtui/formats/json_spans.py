"""Places of values in a JSON text, for changing one and keeping the rest byte for byte.

Works on texts that `json.loads` has accepted; it finds ends, it does not check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.ground.named import NamedTuple
from memtui.ground.patterns import deferred

_SPACE = deferred(r"[ \t\r\n]*")
_STRING = deferred(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NESTING = deferred(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_SCALAR = deferred(r"[^ \t\r\n,\]}]+")


class Span(NamedTuple):
    """A value's place: ``text[start:end]``."""

    start: int
    end: int


class Member(NamedTuple):
    """A member of an object; `key` is its raw JSON string."""

    key: str
    start: int
    value: Span


def skip_space(text: str, at: int) -> int:
    """The first offset from `at` on that is not white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def value_end(text: str, at: int) -> int:
    """The end of the value that begins at `at`."""
    if text[at] == '"':
        return _end(_STRING.match(text, at), at)
    if text[at] not in "[{":
        return _end(_SCALAR.match(text, at), at)
    depth = 0
    for found in _NESTING.finditer(text, at):
        mark = found[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if depth == 0:
                return found.end()
    return len(text)


def _end(found: re.Match[str] | None, at: int) -> int:
    return found.end() if found else at


def members(text: str, at: int) -> Iterator[Member]:
    """The members of the object that begins at `at`."""
    at = skip_space(text, at + 1)
    while text[at] != "}":
        end = value_end(text, at)
        start = skip_space(text, skip_space(text, end) + 1)
        value = Span(start, value_end(text, start))
        yield Member(text[at:end], at, value)
        at = skip_space(text, value.end)
        if text[at] == ",":
            at = skip_space(text, at + 1)


def items(text: str, at: int) -> Iterator[Span]:
    """The items of the array that begins at `at`."""
    at = skip_space(text, at + 1)
    while text[at] != "]":
        item = Span(at, value_end(text, at))
        yield item
        at = skip_space(text, item.end)
        if text[at] == ",":
            at = skip_space(text, at + 1)
