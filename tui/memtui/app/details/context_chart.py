"""A curve of a session's context size over time, with compactions and the limit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memtui.app.widgets.document import EMPTY, Document, Line, concat, styled
from memtui.app.widgets.wrap import short_tokens
from memtui.ground.clock import day_and_minute, parse_iso, to_local
from memtui.lost.context_gauge import learned_limit
from memtui.transcript.records import CompactionFact, ContextSize

COLUMNS, ROWS = 28, 5
"""Size of the drawing; with its scale it fits a window of 40 columns."""

_MARK, _LIMIT = "▼", "╌"
_ACROSS, _DOWN = 2, 4
"""Columns and rows of dots in a braille character."""
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the dots from the top down, added to U+2800 (Unicode, Braille Patterns)."""


def context_chart(sizes: Sequence[ContextSize], compactions: Sequence[CompactionFact]) -> Document:
    """The chart; empty for a session with fewer than two requests.

    A column of dots stands for some requests and shows the largest of them, so that the peak before a
    compaction is visible. Time is not to scale: a night without requests takes no column.
    """
    known = [size for size in sizes if size.tokens > 0]
    if len(known) < 2:
        return EMPTY
    peaks = _peaks([size.tokens for size in known])
    limit = learned_limit(compactions)
    top = max(*peaks, limit)
    marked = {_column(at, known) for each in compactions if (at := each.source.timestamp)}
    lines = [styled(("Context size", "label"), (f" · now {short_tokens(known[-1].tokens)} tokens", "dim"))]
    if marked:
        marks = "".join(_MARK if column in marked else " " for column in range(COLUMNS))
        lines.append(styled("       ", (marks.rstrip(), "warn")))
    limit_row = ROWS - 1 - _height(limit, top) // _DOWN if limit else -1
    for number, row in enumerate(_curve([_height(peak, top) for peak in peaks])):
        label = limit if number == limit_row else top if number == 0 else 0
        scale = f"{short_tokens(label):>5} ┤" if label or number == ROWS - 1 else "      │"
        drawn = _with_limit(row) if number == limit_row else [(row.rstrip(), "accent")]
        lines.append(styled((scale, "dim"), *drawn))
    lines.append(styled((_axis(known[0].timestamp, known[-1].timestamp), "dim")))
    return concat(*lines, _legend(len(compactions), limit))


def _peaks(tokens: Sequence[int]) -> list[int]:
    """The largest request of each column of dots; a short session is stretched."""
    width = COLUMNS * _ACROSS
    bounds = [len(tokens) * column // width for column in range(width + 1)]
    return [max(tokens[start : max(end, start + 1)]) for start, end in pairwise(bounds)]


def _height(tokens: int, top: int) -> int:
    """The dot for a number of tokens; 0 is the lowest."""
    return round(tokens / top * (ROWS * _DOWN - 1))


def _curve(heights: Sequence[int]) -> list[str]:
    """The rows of the drawing from the top: a line through all heights, with vertical jumps."""
    cells = [[0] * COLUMNS for _ in range(ROWS)]
    before = heights[0]
    for x, height in enumerate(heights):
        # A jump starts next to the previous dot, so that a slope stays a thin line.
        reach = range(min(height, before + 1), max(height, before - 1) + 1)
        for y in reach:
            down = ROWS * _DOWN - 1 - y
            cells[down // _DOWN][x // _ACROSS] |= _DOTS[down % _DOWN][x % _ACROSS]
        before = height
    return ["".join(chr(0x2800 + bits) if bits else " " for bits in row) for row in cells]


def _with_limit(row: str) -> list[tuple[str, str]]:
    """The row of the limit: the curve, and dashes wherever the curve is not."""
    return [
        (_LIMIT * len(part), "warn") if part.isspace() else (part, "accent")
        for part in re.findall(" +|[^ ]+", row)
    ]


def _legend(number: int, limit: int) -> Line:
    what = "compaction" if number == 1 else "compactions"
    marks = [(_MARK, "warn"), (f" {number} {what} · ", "dim")] if number else []
    if limit:
        return styled(*marks, (_LIMIT, "warn"), (f" limit {short_tokens(limit)}", "dim"))
    return styled(*marks, ("none automatic" if number else "no compaction yet", "dim"))


def _column(timestamp: str, sizes: Sequence[ContextSize]) -> int:
    """The column of the last request before a compaction."""
    before = sum(1 for size in sizes if size.timestamp <= timestamp)
    # The last of the columns of dots for a stretched request, or the one of a request among many.
    dot = max(before * COLUMNS * _ACROSS - 1, 0) // len(sizes)
    return dot // _ACROSS


def _axis(first: str, last: str) -> str:
    """The times of the first and the last request, with their days if these differ."""
    moments = [to_local(moment) for text in (first, last) if (moment := parse_iso(text))]
    dated = len({moment.date() for moment in moments}) > 1
    times = [day_and_minute(moment) if dated else f"{moment:%H:%M}" for moment in moments]
    gap = " " * (COLUMNS - sum(map(len, times)))
    return f"       {gap.join(times)}".rstrip()
