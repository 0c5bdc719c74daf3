"""Citations: the transcript line that a statement comes from."""

from __future__ import annotations

import re

from memtui.ground.clock import parse_iso, to_local
from memtui.transcript.records import Source

_CITED = re.compile(
    r"\s*\((?:[^()]{0,40}, )?(?:agent-[\w-]{1,100} )?L\d{1,9}(?: \d\d:\d\d)?(?:, [^()]{0,40})?\)$"
)


def citation(source: Source, *, clock: bool = False) -> str:
    """``L476``; with `clock`, for people, ``L476 14:53`` in local time; "" if the line is unknown.

    A line of a subagent's own transcript is ``agent-a1b2c3 L12``.
    """
    where = f"L{source.line}" if source.line else source.agent_line
    moment = parse_iso(source.timestamp) if clock and where else None
    return f"{where} {to_local(moment):%H:%M}" if moment is not None else where


def with_source(text: str, source: Source, *, clock: bool = False) -> str:
    """``text (L476)``; the text alone if the line is unknown."""
    where = citation(source, clock=clock)
    return f"{text} ({where})" if where else text


def source_label(label: str, source: Source, *, clock: bool = False) -> str:
    """``label (L476):``, to precede the content of that line."""
    return f"{with_source(label, source, clock=clock)}:"


def without_source(text: str) -> str:
    """The text without the citation at its end."""
    return _CITED.sub("", text)
