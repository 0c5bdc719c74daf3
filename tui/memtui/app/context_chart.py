"""The size of a session's context over its course, drawn with characters; compactions are marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from memtui.app.widgets.document import EMPTY, Document, concat, styled
from memtui.clock import local, parse_iso
from memtui.reading.records import CompactionFact, ContextSize

COLUMNS, ROWS = 28, 4
"""The drawing itself; with its scale it fits a window of 40 columns."""

_BLOCKS = " ▁▂▃▄▅▆▇█"
_STEPS = len(_BLOCKS) - 1
_MARK = "▼"


def context_chart(sizes: Sequence[ContextSize], compactions: Sequence[CompactionFact]) -> Document:
    """The chart; nothing for a session with fewer than two requests.

    A column stands for some requests and shows the largest of them, so that the peak before a compaction is
    seen. Time is not to scale: a night without a request is no column.
    """
    known = [size for size in sizes if size.tokens > 0]
    if len(known) < 2:
        return EMPTY
    width = min(COLUMNS, len(known))
    bounds = [len(known) * column // width for column in range(width + 1)]
    peaks = [max(size.tokens for size in known[start:end]) for start, end in pairwise(bounds)]
    marked = {_column(at, known, bounds) for each in compactions if (at := each.source.timestamp)}
    top = max(peaks)
    marks = "".join(_MARK if column in marked else " " for column in range(width))
    lines = [styled(("Context size", "label"), (f" · now {short_tokens(known[-1].tokens)} tokens", "dim"))]
    if marked:
        lines.append(styled("       ", (marks.rstrip(), "warn")))
    for row in range(ROWS, 0, -1):
        label = f"{short_tokens(top):>5} ┤" if row == ROWS else "    0 ┤" if row == 1 else "      │"
        lines.append(styled((label, "dim"), (_row(peaks, top, row), "accent")))
    lines.append(styled((_axis(known[0].timestamp, known[-1].timestamp, width), "dim")))
    if compactions:
        number = len(compactions)
        what = "compaction" if number == 1 else "compactions"
        lines.append(styled((_MARK, "warn"), (f" {number} {what}", "dim")))
    return concat(*lines)


def short_tokens(tokens: int) -> str:
    """A number of tokens in at most five characters: ``950``, ``12k``, ``1.2M``."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_500:
        return f"{round(tokens / 1_000)}k"
    return f"{tokens / 1_000_000:.1f}M"


def _row(peaks: Sequence[int], top: int, row: int) -> str:
    """One row of blocks, 1 being the lowest; whatever is not nothing shows at least a little."""
    heights = [max(1, round(peak / top * ROWS * _STEPS)) for peak in peaks]
    return "".join(_BLOCKS[min(_STEPS, max(0, height - (row - 1) * _STEPS))] for height in heights).rstrip()


def _column(timestamp: str, sizes: Sequence[ContextSize], bounds: Sequence[int]) -> int:
    """The column of the last request before a compaction."""
    before = sum(1 for size in sizes if size.timestamp <= timestamp)
    index = max(0, before - 1)
    return next(column for column, end in enumerate(bounds[1:]) if index < end)


def _axis(first: str, last: str, width: int) -> str:
    begin, end = (f"{local(moment):%H:%M}" if (moment := parse_iso(text)) else "" for text in (first, last))
    gap = " " * max(1, width - len(begin) - len(end))
    return f"       {begin}{gap}{end}".rstrip()
