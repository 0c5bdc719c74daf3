"""Compactions without a capture: finding them in transcripts, and capturing them afterwards.

Hooks do not always run: they are installed late, time out, or are not called (Claude Code fact). But each
compaction leaves a boundary line in its session's transcript.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memtui.documents.capture import Capture, capture_name, render_pending
from memtui.ground.clock import parse_iso, whole_seconds
from memtui.ground.files import FileProblem, create_exclusive, private_folder
from memtui.ground.project import Places, Project
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry
from memtui.store.sessions import refuse_several
from memtui.store.transcripts import Transcript, TranscriptStore
from memtui.transcript.lines import read_lines, text_in, time_of

BOUNDARY = b'"compact_boundary"'  # only boundary lines contain it, as quotes in a message's text are escaped

_YEARS = range(2020, 9999)  # plausible years of a compaction; other times are ignored


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction as its transcript records it."""

    at: datetime
    """When it finished; aware."""
    trigger: str
    """`auto`, `manual`, or "" when the transcript does not say."""
    session_id: str
    transcript: Path
    uuid: str
    """Of its line: a resumed session's transcript may repeat it."""
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The auto-compactions of a project, oldest first, and those without a capture."""

    compactions: tuple[Compaction, ...]
    missing: tuple[Compaction, ...]
    sizes: Mapping[tuple[str, datetime], int]
    """Tokens before a compaction, by session and time of its capture, or its own where it has none."""


Reader = Callable[[Transcript], tuple[Compaction, ...]]


def compactions_in(transcript: Transcript) -> tuple[Compaction, ...]:
    """The compactions of a transcript, first to last, from its boundary lines alone. Raises `OSError`."""
    return tuple(
        compaction
        for line in read_lines(transcript.path, skip=lambda line: BOUNDARY not in line)
        for record in line.records
        if (compaction := _compaction(record, transcript)) is not None
    )


def coverage(
    transcripts: Iterable[Transcript], captures: Iterable[Capture], read: Reader = compactions_in
) -> Coverage:
    """Compare the auto-compactions in transcripts with captures.

    A capture is written when a compaction begins, so it belongs to the first one of its session that finishes
    at that time or later. `read` is `compactions_in`, or a cached version of it.
    """
    sessions: dict[str, set[tuple[datetime, str]]] = {}
    """The times and keys of the compactions of each session."""
    first: dict[str, Compaction] = {}
    for transcript in transcripts:
        with suppress(OSError):  # Claude Code removes old transcripts at any time
            for each in read(transcript):
                key = each.uuid or f"{each.session_id} {each.at.isoformat()}"
                sessions.setdefault(each.session_id, set()).add((each.at, key))
                known = first.get(key)
                if known is None or each.transcript.stem == each.session_id != known.transcript.stem:
                    first[key] = each
    in_order = {session: sorted(done) for session, done in sessions.items()}
    covered: set[str] = set()
    sizes: dict[tuple[str, datetime], int] = {}
    for capture in captures:
        done = in_order.get(capture.session_id, [])
        for _, key in done[bisect_left(done, (capture.timestamp, "")) :][:1]:
            covered.add(key)
            if (tokens := first[key].tokens) is not None:
                sizes[capture.session_id, capture.timestamp] = tokens
    autos = {key: each for key, each in first.items() if each.trigger == "auto"}
    found = sorted(autos, key=lambda key: (autos[key].at, autos[key].session_id))
    missing = tuple(autos[key] for key in found if key not in covered)
    sizes |= {(each.session_id, whole_seconds(each.at)): each.tokens for each in missing if each.tokens}
    return Coverage(tuple(autos[key] for key in found), missing, sizes)


def first_message(compaction: Compaction) -> str:
    """The user's first words in the session of a compaction, masked; "" when they cannot be read."""
    from memtui.transcript.facts import read_facts  # imported here: finding compactions does not need it

    try:
        return read_facts(compaction.transcript, until=compaction.at).first_prompt
    except OSError:
        return ""


def write_missing(project: Project, compaction: Compaction, message: str) -> Path | None:
    """Write the capture of a compaction, named by its own time; None if it has one by now."""
    moment = compaction.at.astimezone().replace(microsecond=0)
    text = render_pending(
        timestamp=moment,
        session_id=compaction.session_id,
        transcript=str(compaction.transcript),
        first_message=message,
    ).encode("utf-8", "replace")
    private_folder(project.compacts, within=project.root)
    for second in range(100):
        path = project.compacts / capture_name(moment + timedelta(seconds=second))
        if create_exclusive(path, text, within=project.root):
            return path
        if _is_of(path, project, compaction.session_id, moment):
            return None
    raise FileProblem(project.compacts, f"has captures for every second from {moment:%H:%M:%S} on already")


def _compaction(record: dict[str, object], transcript: Transcript) -> Compaction | None:
    from memtui.transcript.events import Boundary, events_of

    boundary = next((event for event in events_of(record) if isinstance(event, Boundary)), None)
    at = parse_iso(time_of(record))
    if boundary is None or at is None or at.year not in _YEARS:
        return None
    session, uuid = text_in(record, "sessionId") or transcript.session_id, text_in(record, "uuid")
    return Compaction(at, boundary.trigger, session, transcript.path, uuid, boundary.pre_tokens)


def _is_of(path: Path, project: Project, session_id: str, moment: datetime) -> bool:
    """Whether the capture at `path` is the one of this compaction."""
    try:
        capture = CaptureStore(project).load(Entry.of(path))
    except (FileProblem, OSError):
        return False
    return (capture.session_id, capture.timestamp) == (session_id, moment)


class Missing(NamedTuple):
    """A compaction without a capture."""

    compaction: Compaction
    message: str
    """The user's first words in its session, masked."""


def find_missing(places: Places) -> list[Missing]:
    """The auto-compactions of the project that have no capture, oldest first."""
    refuse_several(places)
    store = CaptureStore(places.project)
    captures: list[Capture] = []
    for entry in store.entries():
        with suppress(FileProblem):
            captures.append(store.load(entry))
    transcripts = TranscriptStore(places.project, places.claude).entries()
    return [Missing(each, first_message(each)) for each in coverage(transcripts, captures).missing]
