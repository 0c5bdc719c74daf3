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


def ok(check: str, message: str) -> Finding:
    """A check that found all in order."""
    return Finding(check, Level.OK, message)


def note(check: str, message: str, advice: str = "") -> Finding:
    """Something that is good to know."""
    return Finding(check, Level.NOTE, message, advice)


def warning(check: str, message: str, advice: str = "") -> Finding:
    """Something that is lost, or will be."""
    return Finding(check, Level.WARNING, message, advice)


def broken(check: str, message: str, advice: str = "") -> Finding:
    """Something that is installed and does not work."""
    return Finding(check, Level.BROKEN, message, advice)
