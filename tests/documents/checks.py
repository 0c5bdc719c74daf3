"""Checks for every parser."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TypeVar

from memtui.ground.text import FormatError

T = TypeVar("T")

HOSTILE_SECONDS = 1.25
"""A quadratic parser needs far longer for the texts below; a busy machine must not fail the test."""


def settled(text: str, parse: Callable[[str], T], render: Callable[[T], str]) -> None:
    """Reading `text` fails as documented, or gives what reading its canonical form gives again."""
    try:
        record = parse(text)
    except FormatError as error:
        assert_clause(error)
        return
    canonical = render(record)
    canonical.encode()
    assert parse(canonical) == record
    assert render(parse(canonical)) == canonical


def assert_clause(error: FormatError) -> None:
    message = str(error)
    assert message and "\n" not in message and len(message) < 160


def ends_soon(parse: Callable[[str], object], text: str, seconds: float = HOSTILE_SECONDS) -> None:
    """Reading a large text takes time in its size, not in its square."""
    start = process_time()
    try:
        parse(text)
    except FormatError as error:
        assert_clause(error)
    assert process_time() - start < seconds
