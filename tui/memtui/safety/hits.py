"""Places in a text where secrets stand."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    kind: str
    """What it is, in a few words: ``github token``."""


class Hit(NamedTuple):
    """A secret as it is reported."""

    line: int
    """The first one is 1."""
    kind: str
