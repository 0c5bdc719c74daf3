"""The doctor's findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    NOTE = "note"
    """A remark."""
    WARNING = "warning"
    """Data is lost, or will be."""
    BROKEN = "broken"
    """An installed part does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    check: str
    """The name of the check, in one word or two."""
    level: Level
    message: str
    advice: str = ""
    """Advice, or ""."""


def ok(check: str, message: str) -> Finding:
    """The finding of a successful check."""
    return Finding(check, Level.OK, message)


def note(check: str, message: str, advice: str = "") -> Finding:
    """A remark."""
    return Finding(check, Level.NOTE, message, advice)


def warning(check: str, message: str, advice: str = "") -> Finding:
    """A finding on lost data, or data that will be lost."""
    return Finding(check, Level.WARNING, message, advice)


def broken(check: str, message: str, advice: str = "") -> Finding:
    """A finding on an installed part that does not work."""
    return Finding(check, Level.BROKEN, message, advice)
