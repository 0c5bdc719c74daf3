"""Searching transcripts, memories, captures, session states and pins: all by the index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memtui.formats.pins import parse_pins
from memtui.ground.clean import clean, clean_line
from memtui.ground.clock import Clock
from memtui.ground.project import Places
from memtui.store.archive_settings import archive_settings
from memtui.store.base import Filter
from memtui.store.confirmed_pins import Confirmed
from memtui.store.index.project_files import project_documents
from memtui.store.index.query import Search
from memtui.store.index.schema import DocKind
from memtui.store.index.sessions import SessionIndex
from memtui.store.memories import MemoryStore
from memtui.store.project_test import ProjectTest
from memtui.store.transcripts import TranscriptStore

if TYPE_CHECKING:
    from memtui.formats.pins import Pin
    from memtui.store.base import Hit
    from memtui.store.index.documents import DocumentHit, DocumentIndex, DocumentsFound
    from memtui.store.index.sessions import TurnHit
    from memtui.store.memories import MemoryStore
    from memtui.transcript.passages import Passage

LIMIT = 50
"""The default maximum of results of each kind."""


class Scope(StrEnum):
    """The scope of a search."""

    SESSION = "this session"
    PROJECT = "this project"
    EVERYWHERE = "everywhere"


class Stores(Protocol):
    """The stores to search."""

    places: Places
    clock: Clock

    @property
    def backend(self) -> MemoryStore:
        """The stored memories."""

    @property
    def transcripts(self) -> TranscriptStore:
        """The project's transcripts."""

    @property
    def session_index(self) -> SessionIndex:
        """The index of all sessions."""

    @property
    def document_index(self) -> DocumentIndex:
        """The index of captures, memory files, session states and pins."""


class Kind(StrEnum):
    """The kinds of results."""

    SESSION = "session"
    MEMORY = "memory"
    FILE = "memory file"
    CAPTURE = "capture"
    STATE = "state"
    PIN = "pin"


HEADINGS = {
    Kind.SESSION: "Sessions",
    Kind.MEMORY: "Memories",
    Kind.FILE: "Memory files of reviews",
    Kind.CAPTURE: "Captures",
    Kind.STATE: "Session states",
    Kind.PIN: "Pins",
}
"""The heading above the results of each kind."""


class Result(NamedTuple):
    """One result."""

    kind: Kind
    name: str
    """Recovery ID, file name of a memory file or a capture, or session id."""
    title: str
    when: datetime | None = None
    said: str = ""
    """Further notes: tags, archived, project."""
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    """The matches in `snippet`."""
    text: str = ""
    """The whole text of a document."""
    project: str = ""
    """Path of the root of another project that it belongs to; "" for this one."""
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
        place = "".join(f" {part}" for part in (self.agent, self.project) if part)
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


_DOCUMENTS = {
    Kind.FILE: (DocKind.FILE, "files"),
    Kind.CAPTURE: (DocKind.CAPTURE, "captures"),
    Kind.STATE: (DocKind.STATE, "states"),
    Kind.PIN: (DocKind.PINS, "pins"),
}
"""The documents of kinds of results, and the words for them in a query."""


class Searcher:
    """Runs searches, for use in threads."""

    def __init__(self, stores: Stores, limit: int = 0) -> None:
        self._stores = stores
        self._limit = max(limit, LIMIT)
        self._root = stores.places.project.root
        self._concerns = ProjectTest(self._root)

    def searches(
        self, asked: Search, scope: Scope = Scope.PROJECT, path: Path | None = None
    ) -> Iterator[Callable[[], Group]]:
        """The searches, one for each kind, sessions first.

        Args:
            asked: the query.
            scope: where to search.
            path: the transcript for `Scope.SESSION`.
        """
        where = cache(partial(self._where, asked, scope, path))  # created on first use
        stored: set[str] = set()
        yield lambda: self.sessions(asked, where())
        yield lambda: self.memories(asked, where(), stored)
        for kind in _DOCUMENTS:
            yield partial(self._documents, kind, asked, where, stored)

    def _where(self, asked: Search, scope: Scope, path: Path | None) -> Filter:
        """The filter for a scope.

        Raises:
            FileProblem: the settings cannot be read: they may declare a project private.
        """
        where = Filter(since=asked.since, until=asked.until)
        if scope is Scope.SESSION and path:
            return replace(where, session=path.stem)
        if scope is not Scope.EVERYWHERE:
            return replace(where, project=str(self._root))
        settings = archive_settings(self._stores.places.home)
        if not settings.private:
            return where
        return replace(
            where, left_out=lambda folder: settings.is_private(folder) and not self._concerns(str(folder))
        )

    def sessions(self, asked: Search, where: Filter) -> Group:
        """Turns, grouped by session, the session with the best turn first.

        Raises:
            FileProblem: the transcripts cannot be listed.
        """
        if not asked.looks_in("sessions") or not asked.query.terms:
            return Group(Kind.SESSION)
        found = self._stores.session_index.search(asked, where, limit=self._limit, now=self._stores.clock())
        grouped: dict[str, list[Result]] = {}
        for hit in found.hits:
            grouped.setdefault(hit.session_id, []).append(self._turn(hit))
        results = tuple(result for some in grouped.values() for result in some)
        return Group(Kind.SESSION, results, found.total, found.complete)

    def _turn(self, hit: TurnHit) -> Result:
        said = (self._elsewhere(hit.project), "archived" if hit.archived else "")
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

    def memories(self, asked: Search, where: Filter, stored: set[str]) -> Group:
        """Memories, archived ones, too, best first; their ids are added to `stored`.

        Raises:
            FileProblem: the store cannot be listed.
        """
        if not asked.looks_in("memories"):
            return Group(Kind.MEMORY)
        where = replace(where, pinned=asked.pinned)
        found = self._stores.backend.search(asked.words, where, limit=self._limit)
        stored.update(hit.listed.meta.id for hit in found.hits)
        return Group(Kind.MEMORY, tuple(map(self._memory, found.hits)), found.total, found.complete)

    def _memory(self, hit: Hit) -> Result:
        meta = hit.listed.meta
        said = [
            self._elsewhere(meta.project),
            " ".join(f"#{tag}" for tag in meta.tags),
        ]
        notes = " · ".join(clean_line(part) for part in said if part)
        return Result(
            Kind.MEMORY, meta.id, hit.listed.title, meta.created, notes, hit.snippet, hit.marks, hit.text
        )

    def _documents(
        self, kind: Kind, asked: Search, where: Callable[[], Filter], stored: Collection[str]
    ) -> Group:
        """Memory files, captures, current states of sessions, or pins, best first.

        A memory file is left out if the memory stored by the same review was found: both say the same.

        Raises:
            FileProblem: the settings or the transcripts cannot be read.
        """
        sought, name = _DOCUMENTS[kind]
        if not asked.looks_in(name):
            return Group(kind)
        if kind is Kind.PIN:
            return self._pins(asked, where())
        found = self._look(sought, asked, where())
        results = tuple(
            self._document(kind, hit) for hit in found.hits if not stored or hit.document.said not in stored
        )
        return Group(kind, results, found.total - len(found.hits) + len(results), found.complete)

    def _look(self, kind: DocKind, asked: Search, where: Filter) -> DocumentsFound:
        return self._stores.document_index.search(
            asked.words, where, kind=kind, limit=self._limit, offset=0, now=self._stores.clock()
        )

    def _document(self, kind: Kind, hit: DocumentHit) -> Result:
        document = hit.document
        elsewhere = self._elsewhere(document.meta.project)
        return Result(
            kind,
            document.meta.session_id if kind is Kind.STATE else document.entry.name,
            document.title,
            document.meta.created,
            " · ".join(filter(None, (document.said, elsewhere))),
            hit.snippet,
            hit.marks,
            document.body,
            document.meta.project if elsewhere else "",
        )

    def _pins(self, asked: Search, where: Filter) -> Group:
        """Single pins that contain every term: the project's, then others; they have no time.

        Lines of pins files that this user has neither written nor confirmed are no pins.
        """
        if where.since or where.until:
            return Group(Kind.PIN)
        found = self._look(DocKind.PINS, asked, replace(where, session=""))
        results = []
        confirmed = Confirmed(self._stores.places.home) if found.hits else ()
        for hit in sorted(found.hits, key=lambda hit: self._is_other(hit.document.meta.project)):
            project = hit.document.meta.project
            for number, pin in enumerate(parse_pins(hit.document.body), 1):
                if project and pin.text not in confirmed:
                    continue
                of_session = bool(pin.session) and where.session.startswith(pin.session)
                if asked.query.matches(pin.text) and (of_session or not where.session):
                    results.append(self._pin(asked, pin, number, project))
        return Group(Kind.PIN, tuple(results[: self._limit]), len(results), found.complete)

    def _is_other(self, project: str) -> bool:
        return not project or not self._concerns(project)

    def _pin(self, asked: Search, pin: Pin, number: int, project: str) -> Result:
        snippet, marks = asked.query.snippet(pin.text)
        source = f"{pin.session} L{pin.line}".strip() if pin.line else ""
        elsewhere = self._elsewhere(project)
        notes = (source, elsewhere if project else "in all projects")
        name = f"pin {number}" if project else f"own pin {number}"
        return Result(
            Kind.PIN,
            name,
            pin.text,
            None,
            " · ".join(filter(None, notes)),
            snippet,
            marks,
            pin.text,
            project if elsewhere else "",
            self._source(pin),
            pin.line,
            what="ask",
        )

    def _source(self, pin: Pin) -> Path | None:
        """The transcript of this project that a pin's words come from."""
        if not (pin.session and pin.line):
            return None
        entries = self._stores.transcripts.entries()
        return next((each.path for each in entries if each.session_id.startswith(pin.session)), None)

    def _elsewhere(self, project: str) -> str:
        """Another project's name, as a note; "" for this one."""
        if self._concerns(project):
            return ""
        return clean_line(f"in {project.rstrip('/').rpartition('/')[2]}")


class SearchStores:
    """The stores for a search by a command or an MCP call."""

    def __init__(self, places: Places, clock: Clock) -> None:
        self.places = places
        self.clock = clock
        self.backend = MemoryStore(places.home, clock)
        self.transcripts = TranscriptStore(places.project, places.claude)
        self.session_index = SessionIndex(places.home, places.claude)
        self.document_index = project_documents(places.home, places.project.root)


def search_all(stores: SearchStores, asked: Search, scope: Scope, limit: int) -> Iterator[Group]:
    """The results of each kind, sessions first; nothing of kinds that are not wanted.

    Args:
        stores: where to search.
        asked: the query.
        scope: the scope.
        limit: the number of results of each kind that will be shown; there may be more.

    Raises:
        FileProblem: something cannot be listed.
    """
    for search in Searcher(stores, limit).searches(asked, scope):
        yield search()
