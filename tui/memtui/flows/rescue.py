"""Rescue: lost facts chosen by the user, handed to the session once or copied as a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memtui.documents.quotes import with_source
from memtui.ground.clean import clean_line
from memtui.ground.clock import Clock, local_minute, parse_iso
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.hooks.sections import LIMIT, size_of
from memtui.lost.outbox import RESCUE, Message, Outbox
from memtui.lost.records import TITLES, Aftermath, Row
from memtui.secrets.quoting import fenced, safe
from memtui.transcript.short_text import ends_of

ROOM = LIMIT - 700
"""Room for rows in characters; the rest is for the introduction, titles and the mark."""


def line_of(row: Row) -> str:
    """The text of a row: clean, masked, with its source."""
    return f"- {with_source(ends_of(clean_line(safe(row.quote)), 600), row.source)}"


def size_of_rows(rows: Iterable[Row]) -> int:
    """The length of rows in characters, out of `ROOM`."""
    return sum(size_of(line_of(row)) + 1 for row in rows)


def fitting(rows: Iterable[Row]) -> list[Row]:
    """The rows that fit, in order: after one that is too long, shorter ones may still fit."""
    kept, room = list[Row](), ROOM
    for row in rows:
        size = size_of_rows((row,))
        if size <= room:
            kept.append(row)
            room -= size
    return kept


def rescue_text(aftermath: Aftermath, rows: Sequence[Row], project: str) -> str:
    """The chosen rows that fit as notes for the session, by kind, below 9,000 characters with their mark."""
    moment = parse_iso(aftermath.compaction.source.timestamp)
    when = f" at {local_minute(moment)}" if moment else ""
    rows = fitting(rows)
    parts = [
        f"Notes on the project {clean_line(project)}, chosen by the user in memtui. The conversation was "
        f"compacted{when}; what is quoted was part of it before, and its summary does not have it. L12 names "
        f"line 12 of Claude Code's transcript {clean_line(aftermath.session_id)}.jsonl. "
        "These are facts to know, not new messages of the user."
    ]
    for kind, title in TITLES.items():
        if lines := [line_of(row) for row in rows if row.kind == kind]:
            parts.append(f"## {title}\n\n" + fenced("\n".join(lines)))
    return "\n\n".join(parts)


def hand_over(places: Places, clock: Clock, aftermath: Aftermath, rows: Sequence[Row]) -> Message:
    """Leave chosen rows for the session's next prompt or start, once; rows that wait already are left out."""
    outbox = Outbox(places.home, aftermath.session_id)
    known = {key for each in outbox.waiting() for key in each.keys}
    new = [row for row in rows if row.key not in known]
    rows = fitting(new)
    if not rows:
        waits = "has these lines waiting for its next prompt already"
        why = "has no room for a line that was chosen" if new else waits
        raise FileProblem(f"Session {clean_line(aftermath.session_id)[:8]}", why)
    text = rescue_text(aftermath, rows, places.project.name)
    keys = tuple(row.key for row in rows)
    return outbox.put(Message(RESCUE, text, rows=len(rows), keys=keys, at=clock().isoformat()))
