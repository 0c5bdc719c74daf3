"""A command's compact summary: the part of its file that survives compactions (seed 002)."""

from __future__ import annotations

import re

from memtui.formats.text import block, file_text
from memtui.ground.patterns import deferred

_START = deferred(r"^[ \t]*<!--[ \t]*COMPACT_SUMMARY_START\b", re.MULTILINE)
_END = deferred(r"<!--\s*COMPACT_SUMMARY_END\b")


def compact_summary(text: str) -> str | None:
    """The text between ``<!-- COMPACT_SUMMARY_START -->`` and ``<!-- COMPACT_SUMMARY_END -->``.

    The markers may hold a remark of one or more lines. None when either is missing.
    """
    text = file_text(text)
    start = _START.search(text)
    inside = text[start.end() :].partition("-->")[2] if start else ""
    end = _END.search(inside)
    return block(inside[: end.start()]) if end else None
