"""What the doctor finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    NOTE = "note"
    """Good to know."""
    WARNING = "warning"
    """Something is lost, or will be."""
    BROKEN = "broken"
    """Something that is installed does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    check: str
    """What was looked at, in one word or two."""
    level: Level
    message: str
    advice: str = ""
    """What to do; "" when there is nothing to be done."""
