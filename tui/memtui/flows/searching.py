"""Searching transcripts, memories, captures and session states."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memtui.clean import clean, clean_line
from memtui.clock import Clock
from memtui.files import FileProblem
from memtui.formats.capture_text import opening
from memtui.store.base import Filter, Which
from memtui.store.concerning import ProjectTest
from memtui.store.index.asked import Asked

if TYPE_CHECKING:
    from memtui.aftermath.pins import Pins
    from memtui.formats.capture import Capture
    from memtui.formats.pins import Pin
    from memtui.project import Project
    from memtui.reading.passages import Passage
    from memtui.store.base import Hit, MemoryBackend
    from memtui.store.captures import CaptureStore
    from memtui.store.index.sessions import SessionIndex, TurnHit
    from memtui.store.listing import Entry
    from memtui.store.memories import MemoryStore, MemoryText
    from memtui.store.states import StateStore
    from memtui.store.transcripts import TranscriptStore

LIMIT = 100
"""The most memories, captures and states shown, each."""

_READING = 1.0
"""Maximum seconds for reading unread captures in a search."""

Cancelled = Callable[[], bool]


def _never() -> bool:
    return False


class Scope(StrEnum):
    """The scope of a search."""

    SESSION = "this session"
    PROJECT = "this project"
    EVERYWHERE = "everywhere"


class Stores(Protocol):
    """The stores to search."""

    project: Project
    clock: Clock

    @property
    def backend(self) -> MemoryBackend:
        """The stored memories."""

    @property
    def memories(self) -> MemoryStore:
        """The memory files of reviews."""

    @property
    def captures(self) -> CaptureStore:
        """The project's captures."""

    @property
    def pins(self) -> Pins:
        """The pins that hold in the project."""

    @property
    def states(self) -> StateStore:
        """The stored session states."""

    @property
    def transcripts(self) -> TranscriptStore:
        """The project's transcripts."""

    @property
    def session_index(self) -> SessionIndex:
        """The index of all sessions."""


class Kind(StrEnum):
    """The kinds of results."""

    SESSION = "session"
    MEMORY = "memory"
    FILE = "memory file"
    CAPTURE = "capture"
    STATE = "state"
    PIN = "pin"


class Result(NamedTuple):
    """One result."""

    kind: Kind
    name: str
    """Recovery ID, file name of a memory file or a capture, or the session's id."""
    title: str
    when: datetime | None = None
    said: str = ""
    """Further notes: tags, archived, project."""
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    """The matches in `snippet`."""
    text: str = ""
    """The whole text, of a state."""
    path: Path | None = None
    """The transcript, of a session."""
    line: int = 0
    """Of the transcript."""
    turn: int = 0
    what: str = ""
    """The matching part of a turn: ``ask``, ``said``, ``command``, ``file`` or ``error``."""
    around: tuple[Passage, ...] = ()
    """The matching part, and its neighbours in the turn."""
    agent: str = ""
    """The subagent whose transcript it is, by the file's name; "" for the session's own."""
    archived: bool = False
    """Only the archive has the transcript."""

    @property
    def key(self) -> str:
        """A unique key."""
        place = f" {self.agent}" if self.agent else ""
        return f"{self.kind} {self.name}{place}" + (f" L{self.line} {self.what}" if self.line else "")

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The snippet in pieces, cleaned, each with whether it is a match."""
        at = 0
        for start, end in self.marks:
            yield clean(self.snippet[at:start]), False
            yield clean(self.snippet[start:end]), True
            at = end
        yield clean(self.snippet[at:]), False


class Group(NamedTuple):
    """The results of one kind: the best ones, and the total number."""

    kind: Kind
    results: tuple[Result, ...] = ()
    total: int = 0
    complete: bool = True
    """False if time was too short to search everything: there may be more."""


class Searcher:
    """Searches, for use in threads; it caches the texts of unchanged states."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._concerns = ProjectTest(stores.project.root)
        self._states: dict[Entry, str] = {}
        self._files: dict[Entry, MemoryText] = {}

    def sessions(self, asked: Asked, scope: Scope = Scope.PROJECT, path: Path | None = None) -> Group:
        """Turns, grouped by session, the session with the best turn first.

        Args:
            asked: the query.
            scope: the scope.
            path: the transcript for `Scope.SESSION`.

        Raises:
            FileProblem: the transcripts cannot be listed.
        """
        if not asked.looks_in("sessions") or not asked.query.terms:
            return Group(Kind.SESSION)
        found = self._stores.session_index.search(
            asked,
            project="" if scope is Scope.EVERYWHERE else str(self._stores.project.root),
            session=path.stem if path and scope is Scope.SESSION else "",
            limit=LIMIT,
            now=self._stores.clock(),
        )
        grouped: dict[str, list[Result]] = {}
        for hit in found.hits:
            grouped.setdefault(hit.session_id, []).append(self._turn(hit))
        results = tuple(result for some in grouped.values() for result in some)
        return Group(Kind.SESSION, results, found.total, found.complete)

    def _turn(self, hit: TurnHit) -> Result:
        elsewhere = "" if self._concerns(hit.project) else f"in {hit.project.rstrip('/').rpartition('/')[2]}"
        said = (clean_line(elsewhere), "archived" if hit.archived else "")
        return Result(
            Kind.SESSION,
            hit.session_id,
            hit.title or f"session {hit.session_id[:8]}",
            hit.when,
            " · ".join(filter(None, said)),
            hit.snippet,
            hit.marks,
            path=hit.path,
            line=hit.line,
            turn=hit.turn,
            what=hit.kind,
            around=hit.around,
            agent=clean_line(hit.agent),
            archived=hit.archived,
        )

    def memories(self, asked: Asked, scope: Scope = Scope.EVERYWHERE) -> Group:
        """Memories, archived ones, too, best first.

        Raises:
            FileProblem: the store cannot be listed.
        """
        if not asked.looks_in("memories"):
            return Group(Kind.MEMORY)
        project = "" if scope is Scope.EVERYWHERE else str(self._stores.project.root)
        where = Filter(project, which=Which.ALL, since=asked.since, until=asked.until, pinned=asked.pinned)
        found = self._stores.backend.search(asked.words, where, limit=LIMIT)
        return Group(Kind.MEMORY, tuple(map(self._memory, found.hits)), found.total, found.complete)

    def _memory(self, hit: Hit) -> Result:
        meta = hit.listed.meta
        said = [
            "★" if meta.pinned else "",
            "archived" if meta.archived else "",
            "" if self._concerns(meta.project) else f"in {meta.project.rstrip('/').rpartition('/')[2]}",
            " ".join(f"#{tag}" for tag in meta.tags),
        ]
        notes = " · ".join(clean_line(part) for part in said if part)
        return Result(Kind.MEMORY, meta.id, hit.listed.title, meta.created, notes, hit.snippet, hit.marks)

    def files(self, asked: Asked, entries: Iterable[Entry], cancelled: Cancelled = _never) -> Group:
        """The memory files of the project's reviews that hold every term, in the order of `entries`."""
        if not asked.looks_in("files"):
            return Group(Kind.FILE)
        query = asked.query
        results: list[Result] = []
        for entry in entries:
            if cancelled():
                break
            memory = self._files.get(entry)
            if memory is None:
                try:
                    memory = self._files[entry] = self._stores.memories.load(entry)
                except FileProblem:  # its pane shows the problem
                    continue
            if query.matches(memory.text) and _within(asked, memory.head.time):
                snippet, marks = query.snippet(memory.text)
                head = memory.head
                results.append(Result(Kind.FILE, entry.name, head.title, head.time, "", snippet, marks))
        return Group(Kind.FILE, tuple(results[:LIMIT]), len(results))

    def captures(
        self, asked: Asked, rows: Iterable[tuple[Entry, Capture | None]], cancelled: Cancelled = _never
    ) -> Group:
        """The captures that hold every term in name, first message or summary, in the order of `rows`.

        Unread ones are read now, within `_READING` seconds.
        """
        if not asked.looks_in("captures"):
            return Group(Kind.CAPTURE)
        query = asked.query
        results: list[Result] = []
        total = 0
        end = time.monotonic() + _READING
        complete = True
        for entry, known in rows:
            if cancelled():
                break
            shown = known
            if shown is None:
                complete = complete and time.monotonic() < end
                shown = self._capture(entry) if complete else None
            if shown is None:
                continue
            words = _capture_text(shown, entry.name)
            if not query.matches(words) or not _within(asked, shown.timestamp):
                continue
            total += 1
            if len(results) < LIMIT:
                snippet, marks = query.snippet(words)
                name, title = entry.name, opening(shown.first_message) or entry.name
                results.append(
                    Result(Kind.CAPTURE, name, title, shown.timestamp, shown.status, snippet, marks)
                )
        return Group(Kind.CAPTURE, tuple(results), total, complete)

    def _capture(self, entry: Entry) -> Capture | None:
        try:
            return self._stores.captures.load(entry)
        except FileProblem:  # its pane shows the problem
            return None

    def pins(self, asked: Asked) -> Group:
        """The project's pins, then the user's own, that hold every term.

        Raises:
            FileProblem: the pins or the transcripts cannot be read.
        """
        if not asked.looks_in("pins") or not _within(asked, None):
            return Group(Kind.PIN)
        query = asked.query
        results = []
        for number, (pin, everywhere) in enumerate(self._stores.pins.all(), 1):
            if query.matches(pin.text):
                snippet, marks = query.snippet(pin.text)
                source = f"{pin.session} L{pin.line}".strip() if pin.line else ""
                notes = (source, "in all projects" if everywhere else "")
                result = Result(Kind.PIN, f"pin {number}", pin.text, None, " · ".join(filter(None, notes)))
                results.append(
                    result._replace(
                        snippet=snippet, marks=marks, path=self._source(pin), line=pin.line, what="ask"
                    )
                )
        return Group(Kind.PIN, tuple(results[:LIMIT]), len(results))

    def _source(self, pin: Pin) -> Path | None:
        """The transcript that a pin's words come from."""
        if not (pin.session and pin.line):
            return None
        entries = self._stores.transcripts.entries()
        return next((each.path for each in entries if each.session_id.startswith(pin.session)), None)

    def states(self, asked: Asked, cancelled: Cancelled = _never) -> Group:
        """The current state documents of the project's sessions that hold every term, newest first.

        Raises:
            FileProblem: states or transcripts cannot be listed.
        """
        if not asked.looks_in("states"):
            return Group(Kind.STATE)
        query = asked.query
        results = []
        store = self._stores.states
        own = {entry.session_id for entry in self._stores.transcripts.entries()}
        known, self._states = self._states, {}
        for session in store.sessions(own):
            if cancelled():
                self._states = known | self._states
                break
            document = known.get(session.newest)
            if document is None:
                document = store.load(session.newest).text
            self._states[session.newest] = document
            if query.matches(f"{session.session_id}\n{document}") and _within(asked, session.written):
                snippet, marks = query.snippet(document)
                results.append(
                    Result(
                        Kind.STATE,
                        session.session_id,
                        _goal(document) or f"session {session.session_id[:8]}",
                        session.written,
                        session.newest.name.removesuffix(".md"),
                        snippet,
                        marks,
                        document,
                    )
                )
        return Group(Kind.STATE, tuple(results[:LIMIT]), len(results))


def _capture_text(capture: Capture, name: str) -> str:
    """All that a capture says."""
    parts = (
        capture.first_message,
        capture.summary,
        capture.header,
        capture.transcript_note,
        capture.memory_note,
        *(f"{section.heading}\n{section.text}" for section in capture.extra),
        capture.session_id,
        name,
    )
    return "\n".join(filter(None, parts))


def _within(asked: Asked, moment: datetime | None) -> bool:
    """Whether a time is in the wanted range."""
    if moment is None:
        return not (asked.since or asked.until)
    return (asked.since is None or moment >= asked.since) and (asked.until is None or moment <= asked.until)


def _goal(document: str) -> str:
    """The session's goal in the document (seed 003)."""
    rows = (row.strip(" -*") for row in document.split("\n"))
    goals = (row.partition(":")[2].strip(" *") for row in rows if row.casefold().startswith("session goal"))
    return next(goals, "")
