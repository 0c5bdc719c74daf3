"""Captures, their review (seed 001), and compactions without one, which are captured afterwards.

Hooks do not always run: they are installed late, time out, or are not called (Claude Code fact). But each
compaction leaves a boundary line in its session's transcript.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memtui.documents.capture import (
    Capture,
    capture_name,
    memory_name,
    parse_capture,
    render_capture,
    render_pending,
    reviewed,
)
from memtui.ground import files
from memtui.ground.clean import without_surrogates
from memtui.ground.clock import parse_iso, whole_seconds
from memtui.ground.files import FileChanged, FileProblem
from memtui.ground.project import Places, Project, expanded
from memtui.ground.text import FormatError
from memtui.store.listing import CAPTURE_NAME, TIME, Entry, newest_first, scan
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.lines import read_lines, text_in, time_of

LIMIT = 1 << 20  # maximum size of captures that are read, in bytes; usual ones have 1 KB

_SUFFIX = "-autocompact.md"
_CHANGED = "has changed since it was listed; look at it again"


class CaptureStore:
    """The captures of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = project.compacts

    def entries(self) -> list[Entry]:
        """All captures, pending, reviewed and broken, newest first by the time in their names."""
        return newest_first(scan(self.folder, CAPTURE_NAME, within=self.project.root))

    def load(self, entry: Entry) -> Capture:
        return self._load(entry.path)[0]

    def readable(self) -> tuple[list[Capture], list[FileProblem]]:
        """The captures that can be read, newest first, and the problems of the others."""
        captures, problems = list[Capture](), list[FileProblem]()
        for entry in self.entries():
            try:
                captures.append(self.load(entry))
            except FileProblem as problem:
                problems.append(problem)
        return captures, problems

    def newest_pending(self, session_id: str | None = None) -> Entry | None:
        """The newest pending capture, of this session or of any, or None. Broken ones are skipped."""
        for entry in self.entries():
            with suppress(FileProblem):
                found = self.load(entry)
                if found.status == "pending" and session_id in (None, found.session_id):
                    return entry
        return None

    def resolve(self, argument: str) -> Entry:
        """A capture by its path (absolute, from here or the project), file name, or its time in that."""
        argument = argument.strip()
        if time := TIME.fullmatch(argument.removesuffix(".md").removesuffix("-autocompact")):
            argument = f"{time[1]}_{time[2]}{_SUFFIX}"
        if not argument or "\0" in argument:
            raise FileProblem(self.folder, "is where captures are; name one of them")
        named = expanded(argument)
        paths = [folder / named for folder in (self.folder, Path.cwd(), self.project.root)]
        path = next(filter(os.path.lexists, paths), paths[0])
        if files.resolved(path.parent) != files.resolved(self.folder) or path.name in ("", ".."):
            raise FileProblem(path, f"is not in {self.folder}, where this project's captures are")
        if not CAPTURE_NAME.fullmatch(path.name):
            raise FileProblem(path, f"is not called like a capture (...{_SUFFIX})")
        try:
            return Entry.of(self.folder / path.name)
        except OSError as error:
            raise FileProblem(path, "does not exist; `memtui captures` lists those that do") from error

    def create(self, moment: datetime, session_id: str, transcript: str, first_message: str) -> Path | None:
        """Write a pending capture; None if the session has one of that time by now.

        Many sessions may be compacted at once: its name has the first free second from `moment` on.
        """
        named = {"session_id": session_id, "transcript": transcript, "first_message": first_message}
        text = _encode(render_pending(timestamp=moment, **named))
        files.private_folder(self.folder, within=self.project.root)
        for second in range(600):
            path = self.folder / capture_name(moment + timedelta(seconds=second))
            if files.create_exclusive(path, text, within=self.project.root):
                return path
            with suppress(FileProblem):
                there = self._load(path)[0]
                if session_id and (there.session_id, there.timestamp) == (session_id, whole_seconds(moment)):
                    return None
        raise FileProblem(self.folder, "has captures for every second of the next minutes already")

    def review(self, entry: Entry, *, memory: str, summary: str) -> Path:
        """Accept a review: write the memory file, then mark the capture; returns the memory file.

        The memory file is named after the capture (seed 001). If that name is taken, by the remains of an
        earlier review for example, it is left alone and ``-memory-2.md`` (``-3`` ...) is used. A process that
        is killed between the two leaves a memory file that no capture names. Nothing is changed if the
        capture was reviewed, or has changed since `entry` was listed.
        """
        root = self.project.root
        files.private_folder(self.folder, within=root)
        with files.lock(self.folder / ".memtui", within=root):
            with files.reading(entry.path):
                now = Entry.of(entry.path)
            capture, data = self._load(entry.path)
            if capture.status != "pending":
                raise FileProblem(entry.path, "is already reviewed; nothing was changed")
            if now != entry:
                raise FileProblem(entry.path, _CHANGED)
            path = self._create_memory(entry.name, _encode(memory))
            text = _encode(render_capture(reviewed(capture, summary=summary, memory=path.name)))
            try:
                files.write_atomic(self.folder / entry.name, text, expected=data, within=root)
            except BaseException as problem:
                with suppress(FileProblem):
                    files.remove(path, within=root)
                if isinstance(problem, FileChanged):
                    raise FileProblem(entry.path, _CHANGED) from problem
                raise
        return path

    def _create_memory(self, capture: str, body: bytes) -> Path:
        first = self.folder / memory_name(capture)
        others = (first.with_name(f"{first.stem}-{number}.md") for number in range(2, 100))
        for path in (first, *others):
            if files.create_exclusive(path, body, within=self.project.root):
                return path
        raise FileProblem(self.folder / capture, "has too many memory files already; remove some")

    def _load(self, path: Path) -> tuple[Capture, bytes]:
        try:
            data = files.read_within(path, self.project.root, limit=LIMIT, follow=False)
            # A capture by another tool may end in half a character; it is read all the same.
            return parse_capture(data.decode("utf-8", "replace")), data
        except FormatError as error:
            raise FileProblem(path, f"is broken: {error}") from error


def _encode(text: str) -> bytes:
    return without_surrogates(text).encode()


BOUNDARY = b'"compact_boundary"'  # only boundary lines contain it, as quotes in a message's text are escaped


class Compaction(NamedTuple):
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


class Coverage(NamedTuple):
    """The auto-compactions of a project, oldest first, and compactions without a capture."""

    compactions: tuple[Compaction, ...]
    missing: tuple[Compaction, ...]
    manual: tuple[Compaction, ...]
    """Compactions by ``/compact`` without a capture, oldest first: nothing misses it."""
    sizes: Mapping[tuple[str, datetime], int]
    """Tokens before a compaction, by session and time of its capture, or its own where it has none."""


def compactions_in(transcript: Entry) -> tuple[Compaction, ...]:
    """The compactions of a transcript, first to last, from its boundary lines alone. Raises `OSError`."""
    from memtui.transcript.events import Boundary, events_of

    found = []
    for line in read_lines(transcript.path, skip=lambda line: BOUNDARY not in line):
        for record in line.records:
            boundary = next((event for event in events_of(record) if isinstance(event, Boundary)), None)
            at = parse_iso(time_of(record))
            if boundary and at and 2020 <= at.year < 9999:  # other times are not plausible
                session = text_in(record, "sessionId") or transcript.session_id
                of = (session, transcript.path, text_in(record, "uuid"), boundary.pre_tokens)
                found.append(Compaction(at, boundary.trigger, *of))
    return tuple(found)


def coverage(
    transcripts: Iterable[Entry],
    captures: Iterable[Capture],
    read: Callable[[Entry], tuple[Compaction, ...]] = compactions_in,
) -> Coverage:
    """Compare the compactions in transcripts with captures.

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
    covered: set[Compaction] = set()
    sizes: dict[tuple[str, datetime], int] = {}
    for capture in captures:
        done = in_order.get(capture.session_id, [])
        for _, key in done[bisect_left(done, (capture.timestamp, "")) :][:1]:
            covered.add(first[key])
            if (tokens := first[key].tokens) is not None:
                sizes[capture.session_id, capture.timestamp] = tokens
    found = sorted(first.values(), key=lambda each: (each.at, each.session_id))
    bare = [each for each in found if each not in covered]
    sizes |= {(each.session_id, whole_seconds(each.at)): each.tokens for each in bare if each.tokens}
    return Coverage(_made_by("auto", found), _made_by("auto", bare), _made_by("manual", bare), sizes)


def _made_by(trigger: str, compactions: Iterable[Compaction]) -> tuple[Compaction, ...]:
    return tuple(each for each in compactions if each.trigger == trigger)


def first_message(compaction: Compaction) -> str:
    """The user's first words in the session of a compaction, masked; "" when they cannot be read."""
    from memtui.transcript.facts import read_facts  # imported here: finding compactions does not need it

    with suppress(OSError):
        return read_facts(compaction.transcript, until=compaction.at).first_prompt
    return ""


def write_missing(project: Project, compaction: Compaction) -> Path | None:
    """Write the capture of a compaction, named by its own time; None if it has one by now."""
    moment, transcript = compaction.at.astimezone(), str(compaction.transcript)
    first = first_message(compaction)
    return CaptureStore(project).create(moment, compaction.session_id, transcript, first)


def find_missing(places: Places) -> tuple[Compaction, ...]:
    """The auto-compactions of the project that have no capture, oldest first."""
    from memtui.store.sessions import refuse_several  # a hook writes its capture without it

    refuse_several(places)
    captures, _ = CaptureStore(places.project).readable()
    return coverage(TranscriptStore(places.project, places.claude).entries(), captures).missing
