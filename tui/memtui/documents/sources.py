"""Citations: a statement names the line of the transcript that it comes from."""

from __future__ import annotations

import re

from memtui.clock import local, parse_iso
from memtui.reading.records import Source

_CITED = re.compile(r"\s*\((?:[^()]{0,40}, )?L\d{1,9}(?: \d\d:\d\d)?(?:, [^()]{0,40})?\)$")


def cited(source: Source, *, clock: bool = False) -> str:
    """``L476``; with `clock`, for a person, ``L476 14:53`` in local time; "" when the line is not known."""
    if not source.line:
        return ""
    moment = parse_iso(source.timestamp) if clock else None
    return f"L{source.line} {local(moment):%H:%M}" if moment is not None else f"L{source.line}"


def sourced(text: str, source: Source, *, clock: bool = False) -> str:
    """``text (L476)``; the text alone when the line is not known."""
    where = cited(source, clock=clock)
    return f"{text} ({where})" if where else text


def named(label: str, source: Source, *, clock: bool = False) -> str:
    """``label (L476):``, in front of what that line says."""
    return f"{sourced(label, source, clock=clock)}:"


def without_source(text: str) -> str:
    """A text without the citation at its end: the same statement may be read from another line later."""
    return _CITED.sub("", text)
