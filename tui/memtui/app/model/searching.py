"""Searching everything a project leaves behind: memories of all projects, its captures and its states."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from memtui.app.model.browser import Browser
from memtui.app.model.views import CaptureRow
from memtui.clean import clean, clean_line
from memtui.files import FileProblem
from memtui.formats.capture_text import opening
from memtui.store.base import Filter, Which
from memtui.store.concerning import ProjectTest
from memtui.store.matching import Query

if TYPE_CHECKING:
    from memtui.formats.capture import Capture
    from memtui.store.base import Hit
    from memtui.store.listing import Entry
    from memtui.store.memories import MemoryText

LIMIT = 100
"""Memories, captures and states shown at most, each."""

_READING = 1.0
"""Seconds in which a search reads captures that were not read yet."""

Cancelled = Callable[[], bool]


class Kind(StrEnum):
    """What a search finds."""

    MEMORY = "memory"
    FILE = "memory file"
    CAPTURE = "capture"
    STATE = "state"


class Result(NamedTuple):
    """One thing found."""

    kind: Kind
    name: str
    """Recovery ID, file name of a memory file or a capture, or the session's id."""
    title: str
    when: datetime | None = None
    said: str = ""
    """What else is worth a word: tags, that it is archived, whose it is."""
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    """Where in `snippet` the query stands."""
    text: str = ""
    """The whole text, of a state."""

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.kind} {self.name}"

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The snippet in pieces, cleaned, each with whether it is a match."""
        at = 0
        for start, end in self.marks:
            yield clean(self.snippet[at:start]), False
            yield clean(self.snippet[start:end]), True
            at = end
        yield clean(self.snippet[at:]), False


class Group(NamedTuple):
    """What was found of one kind: the best of it, and how many there are."""

    kind: Kind
    results: tuple[Result, ...] = ()
    total: int = 0
    complete: bool = True
    """False when there may be more: not everything could be looked at in the time there was."""


class Searcher:
    """Searches in threads; it keeps the texts of states while their files do not change."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._concerns = ProjectTest(browser.project.root)
        self._states: dict[Entry, str] = {}
        self._files: dict[Entry, MemoryText] = {}

    def memories(self, text: str) -> Group:
        """Memories of all projects, archived ones, too, best first.

        Raises:
            FileProblem: the store cannot be listed.
        """
        found = self._browser.backend.search(text, Filter(which=Which.ALL), limit=LIMIT)
        hits = tuple(map(self._memory, found.hits))
        return Group(Kind.MEMORY, hits, found.total, found.complete)

    def _memory(self, hit: Hit) -> Result:
        meta = hit.listed.meta
        said = [
            "★" if meta.pinned else "",
            "archived" if meta.archived else "",
            "" if self._concerns(meta.project) else f"in {meta.project.rstrip('/').rpartition('/')[2]}",
            " ".join(f"#{tag}" for tag in meta.tags),
        ]
        told = " · ".join(clean_line(part) for part in said if part)
        return Result(Kind.MEMORY, meta.id, hit.listed.title, meta.created, told, hit.snippet, hit.marks)

    def files(self, text: str, entries: Iterable[Entry], cancelled: Cancelled) -> Group:
        """The memory files of the project's reviews that hold every term, in the order of `entries`."""
        query = Query.parse(text)
        results: list[Result] = []
        for entry in entries:
            if cancelled():
                break
            memory = self._files.get(entry)
            if memory is None:
                try:
                    memory = self._files[entry] = self._browser.memories.load(entry)
                except FileProblem:  # its pane says what is wrong with it
                    continue
            if query.matches(memory.text):
                snippet, marks = query.snippet(memory.text)
                head = memory.head
                results.append(Result(Kind.FILE, entry.name, head.title, head.time, "", snippet, marks))
        return Group(Kind.FILE, tuple(results[:LIMIT]), len(results))

    def captures(self, text: str, rows: Iterable[CaptureRow], cancelled: Cancelled) -> Group:
        """The captures that hold every term in name, first message or summary, in the order of `rows`.

        Those that the pane has not read yet are read now, as far as `_READING` allows.
        """
        query = Query.parse(text)
        results: list[Result] = []
        total = 0
        end = time.monotonic() + _READING
        complete = True
        for row in rows:
            if cancelled():
                break
            shown = row.capture
            if shown is None and not row.problem:
                complete = complete and time.monotonic() < end
                shown = self._capture(row.entry) if complete else None
            if shown is None:
                continue
            words = f"{shown.first_message}\n{shown.summary}\n{shown.session_id}\n{row.entry.name}"
            if not query.matches(words):
                continue
            total += 1
            if len(results) < LIMIT:
                snippet, marks = query.snippet(words)
                name, title = row.entry.name, opening(shown.first_message) or row.entry.name
                results.append(
                    Result(Kind.CAPTURE, name, title, shown.timestamp, shown.status, snippet, marks)
                )
        return Group(Kind.CAPTURE, tuple(results), total, complete)

    def _capture(self, entry: Entry) -> Capture | None:
        try:
            return self._browser.captures.load(entry)
        except FileProblem:  # its pane says what is wrong with it
            return None

    def states(self, text: str, cancelled: Cancelled) -> Group:
        """The current state documents of the project's sessions that hold every term, newest first.

        Raises:
            FileProblem: states or transcripts cannot be listed.
        """
        query = Query.parse(text)
        results = []
        store = self._browser.states
        own = {entry.session_id for entry in self._browser.transcripts.entries()}
        known, self._states = self._states, {}
        for session in store.sessions(own):
            if cancelled():
                self._states = known | self._states
                break
            document = known.get(session.newest)
            if document is None:
                document = store.load(session.newest).text
            self._states[session.newest] = document
            if query.matches(f"{session.session_id}\n{document}"):
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


def _goal(document: str) -> str:
    """The session's goal, as the document writes it (seed 003)."""
    rows = (row.strip(" -*") for row in document.split("\n"))
    goals = (row.partition(":")[2].strip(" *") for row in rows if row.casefold().startswith("session goal"))
    return next(goals, "")
