"""Parsing a search: words, with typed filters among them.

``file:auth.py cmd:pytest in:sessions before:2026-02-01 after:2026-01 is:pinned`` may stand anywhere in a
query; a value may be a phrase in quotes (``cmd:"go test"``). Anything else is searched for literally:
``in:nowhere`` and ``http://x`` are words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from memtui.store.folding import fold
from memtui.store.matching import Query

KINDS = ("sessions", "memories", "files", "captures", "states", "pins")
"""The kinds of things searched, in the order shown; ``in:`` names one or, with commas, several."""

_FILTER = re.compile(r'(?<!\S)(file|cmd|in|before|after|is):(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Search:
    """A parsed search."""

    words: str
    """The text without the filters."""
    files: tuple[str, ...] = ()
    """Folded parts of paths of files touched in a turn."""
    commands: tuple[str, ...] = ()
    """Folded parts of commands run in a turn."""
    kinds: tuple[str, ...] = KINDS
    since: datetime | None = None
    until: datetime | None = None
    pinned: bool = False

    @property
    def query(self) -> Query:
        """All terms of a match, including those of the filters."""
        words = Query.parse(self.words).terms
        return Query(tuple(dict.fromkeys((*words, *self.files, *self.commands))))

    def looks_in(self, kind: str) -> bool:
        """Whether a kind is searched."""
        if kind not in self.kinds:
            return False
        if self.pinned:
            return kind in ("memories", "pins") and not (self.files or self.commands)
        return kind == "sessions" or not (self.files or self.commands)


def parse_search(text: str) -> Search:
    """Parse any text."""
    found: dict[str, list[str]] = {}
    ends: dict[str, datetime] = {}

    def take(match: re.Match[str]) -> str:
        name, value = match[1].lower(), match[2] if match[2] is not None else match[3]
        if name in ("file", "cmd") and fold(value):
            found.setdefault(name, []).append(fold(value))
        elif name == "in" and (kinds := _kinds(value)):
            found.setdefault(name, []).extend(kinds)
        elif name in ("before", "after") and (moment := day(value)):
            ends[name] = moment
        elif name == "is" and value.lower() == "pinned":
            found[name] = [value]
        else:
            return match[0]
        return " "

    words = _FILTER.sub(take, text)
    until = ends.get("before")
    return Search(
        " ".join(words.split()) if found or ends else text,
        tuple(found.get("file", ())),
        tuple(found.get("cmd", ())),
        tuple(kind for kind in KINDS if kind in found["in"]) if "in" in found else KINDS,
        ends.get("after"),
        until - timedelta(microseconds=1) if until else None,
        "is" in found,
    )


def day(text: str) -> datetime | None:
    """The beginning of a day, month or year in local time (``2026-02-23``, ``2026-02``); None if invalid."""
    match = _DAY.fullmatch(text)
    if match is None:
        return None
    try:
        year, month, number = (int(part) if part else 1 for part in match.groups())
        return datetime(year, month, number).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def _kinds(value: str) -> list[str]:
    """The kinds matching these prefixes, "" for an unknown one."""
    named = [part for part in value.lower().split(",") if part]
    kinds = [next((kind for kind in KINDS if kind.startswith(part.rstrip("s"))), "") for part in named]
    return kinds if all(kinds) else []
