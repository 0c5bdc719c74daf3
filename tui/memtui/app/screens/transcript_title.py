"""The frame of a transcript: its session, time, and the current position."""

from __future__ import annotations

from rich.cells import cell_len

from memtui.app.widgets.transcript_pages import Shows
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.app.widgets.wrap import cut
from memtui.ground.clean import clean_line
from memtui.ground.clock import day_and_minute, parse_iso, to_local
from memtui.transcript.session_head import SessionHead

_CORNERS = 6
"""Cells of the frame's upper line that are not available to the title."""


def title(view: TranscriptView, width: int) -> str:
    """The upper line of the frame: the session at the left, the position at the right.

    Args:
        view: the transcript.
        width: width of the frame in cells.
    """
    source, block = view.source, view.current
    index = source.index
    turn = ""
    if index.complete and index.asks and block is not None:
        turn = f"turn {index.turn_at(block.key[0])} of {len(index.asks)}"
    name = clean_line(source.path.stem.removeprefix("agent-"))[:8]
    percent = f" {view.bar.percent} %"
    room = max(1, width - _CORNERS - cell_len(percent))
    left = _fitting((name, clean_line(source.head.model), times(source.head), turn), room - 1) + " "
    return left + "─" * max(0, room - cell_len(left)) + percent


def _fitting(parts: tuple[str, str, str, str], room: int) -> str:
    """The parts that fit: the times are dropped first, then the model."""
    name, model, when, turn = parts
    for some in ((name, model, when, turn), (name, model, turn), (name, turn)):
        text = " · ".join(part for part in some if part)
        if cell_len(text) <= room:
            return text
    return cut(name, room)


def times(head: SessionHead) -> str:
    """The times of start and end: ``23 Feb 12:53–15:40``."""
    start, end = parse_iso(head.started), parse_iso(head.ended)
    if start is None or end is None:
        return ""
    same = to_local(start).date() == to_local(end).date()
    return (
        f"{day_and_minute(start)}–{to_local(end):%H:%M}"
        if same
        else f"{day_and_minute(start)}–{day_and_minute(end)}"
    )


def place(view: TranscriptView, found: str, typed: str) -> str:
    """The lower line of the frame: the typed number, the search, the line, the visible kinds."""
    source, block = view.source, view.current
    if block is None:
        return ""
    query = clean_line(view.window.query.text)
    number = source.index.number_at(block.key[0])
    parts = [
        typed,
        f"/{query}  {found}" if query else "",
        f"{len(view.marks)} marked" if view.marks else "",
        "" if source.shows is Shows.ALL else str(source.shows),
        f"L{number}" if number else "",
    ]
    return " · ".join(part for part in parts if part)
