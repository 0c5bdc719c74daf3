"""Searching transcripts by turn, with an index that is updated as they grow.

Any number of processes may use it; one at a time writes. Secrets are masked, and private parts left out,
before anything is written.
"""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from memtui.ground.files import FileProblem
from memtui.ground.files.problems import writing
from memtui.ground.project import Home
from memtui.store.base import Filter
from memtui.store.index.database import Database
from memtui.store.index.finding import Also, Gathered, Sample, find
from memtui.store.index.query import Search
from memtui.store.index.ranking import Match
from memtui.store.index.schema import DocKind, IndexBroken, IndexUnavailable
from memtui.store.index.sources import Sources, is_agent, is_archived
from memtui.store.index.transcripts import (
    Known,
    Read,
    best_passage,
    has_session,
    parts_of,
    passages_of,
    put_transcripts,
    read_known,
    read_transcript,
)
from memtui.store.index.writer import read_state
from memtui.store.listing import Entry
from memtui.store.matching import Query
from memtui.transcript.passages import Kind, Passage

FRESH = 1.5
"""Seconds for which a listing of Claude Code's folder is reused."""
_BUDGET = 0.15
"""Seconds that a search spends on reading new transcripts before answering."""
_AROUND = 4
"""Number of passages shown on either side of a match."""
_GROWN = 4 << 20
"""Maximum growth of a transcript in bytes that a search reads before answering."""
_BATCH_BYTES = 24 << 20
"""Bytes of transcripts indexed in one transaction."""

EVERY = Filter()
"""A filter that excludes nothing."""

_DETAILS = """SELECT session, coalesce(
    (SELECT title FROM sources AS own
        WHERE own.session = sources.session AND own.kind = sources.kind AND own.name NOT LIKE '%/agent-%'),
    title
), sources.name, path, turn, created, passages, c0
FROM docs JOIN sources ON sources.id = docs.source JOIN projects ON projects.id = docs.project
JOIN words_content ON words_content.id = docs.id
WHERE docs.id = ?"""


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A matching part of a session."""

    path: Path
    """The transcript; its original path if only the archive has it."""
    session_id: str
    agent: str
    """The subagent, by the name of its transcript; "" for the session itself."""
    archived: bool
    """Only the archive has it."""
    title: str
    """The session's first ask."""
    project: str
    turn: int
    line: int
    """Of the transcript, 1-based."""
    kind: str
    when: datetime
    snippet: str
    marks: tuple[tuple[int, int], ...]
    score: float
    around: tuple[Passage, ...]
    """The matching passage and its neighbours."""


@dataclass(frozen=True, slots=True)
class TurnsFound:
    """The results of a search, best first."""

    hits: tuple[TurnHit, ...]
    total: int
    """Number of matching stretches: exact up to 500 (200 with file: or cmd:), approximate beyond."""
    complete: bool = True
    """False while transcripts are still being indexed."""


@dataclass(frozen=True, slots=True)
class _Changes:
    gone: list[str]
    fresh: list[str]
    """Paths of new and changed transcripts, last written first."""
    known: dict[str, Known]


class SessionIndex:
    """Finds turns of sessions by their contents."""

    def __init__(self, home: Home, config: Path) -> None:
        """Make the object; nothing is opened or made.

        Args:
            home: memtui's own folders.
            config: Claude Code's configuration folder.
        """
        self._sources = Sources(home, config)
        self._database = Database(home.search_index)
        self._sample = Sample(DocKind.TURN)
        self._looking = threading.Lock()
        self._bringing = threading.Lock()
        self._looked = -math.inf
        self._entries: dict[str, Entry] = {}
        self._complete: tuple[dict[str, Entry], int, int] | None = None
        """The transcripts, inode and generation for which the index was complete."""

    def refresh(
        self, *, budget: float | None = None, most: float = math.inf, readers: Executor | None = None
    ) -> bool:
        """Index the new parts of all transcripts, last written first.

        Args:
            budget: seconds after which to stop, at the end of a batch; finished batches are kept.
            most: maximum growth of a transcript in bytes; others are left for later.
            readers: processes that read and mask while this one writes.

        Returns: True if the index is complete; False if time ran out, another process is updating it, or it
        cannot be written.

        Raises:
            FileProblem: Claude Code's folder cannot be listed.
        """
        end = math.inf if budget is None else time.monotonic() + budget
        self._look(math.inf)
        return self._database.update(
            lambda: self._apply(self._database.read(self._changes), end, most, readers)
        )

    def has(self, session_id: str) -> bool:
        """Whether the index has a session's transcript, captures or state; False without a readable index."""
        try:
            return self._database.read(partial(has_session, session_id=session_id))
        except (IndexUnavailable, IndexBroken):
            return False

    def delete(self) -> None:
        """Delete the index; searches rebuild it. Removing rows would leave parts of them in SQLite's file.

        Raises:
            FileProblem: it cannot be deleted, or another process is writing it.
        """
        path = self._database.path
        try:
            with self._database.locked(), writing(path):
                self._database.delete()
        except IndexUnavailable as problem:
            raise FileProblem(path, f"cannot be deleted now: {problem}") from problem

    def waiting(self) -> int:
        """Approximate number of unread bytes of transcripts.

        Raises:
            FileProblem: Claude Code's folder cannot be listed.
        """
        self._look(math.inf)
        try:
            changes = self._database.read(self._changes)
        except (IndexUnavailable, IndexBroken):
            return sum(entry.size for entry in self._entries.values())
        return sum(self._entries[path].size - _size(changes.known.get(path)) for path in changes.fresh)

    def search(self, wanted: Search, where: Filter = EVERY, *, limit: int, now: datetime) -> TurnsFound:
        """Parts of sessions that match, best first.

        Args:
            wanted: the parsed search.
            where: the filter for sessions, which includes their subagents.
            limit: the most hits to return.
            now: the reference for ages.

        Raises:
            FileProblem: Claude Code's folder cannot be listed.
        """
        self._look(FRESH)
        with self._bringing:  # of several concurrent searches one reads, and the others wait for it
            complete = self._is_complete() or self.refresh(budget=_BUDGET, most=_GROWN)
        try:
            return self._database.read(partial(self._find, wanted, where, limit, now, complete))
        except IndexUnavailable:
            return TurnsFound((), 0, False)
        except IndexBroken:
            with suppress(FileProblem):
                self.delete()  # the next search recreates it
            return TurnsFound((), 0, False)

    # Searching

    def _find(
        self,
        wanted: Search,
        where: Filter,
        limit: int,
        now: datetime,
        complete: bool,
        connection: sqlite3.Connection,
    ) -> TurnsFound:
        connection.execute("BEGIN")
        query = wanted.query
        texts = self._sample.texts(connection, self._database.inode)
        also = Also(DocKind.TURN, parts_of(wanted.files, wanted.commands))
        found: Gathered = find(connection, query, where, (), limit, texts, also)
        order = found.in_order(query.terms, now)
        hits = [self._hit(connection, wanted, query, match, score) for score, match in order[:limit]]
        return TurnsFound(tuple(hits), len(order) + found.more, complete)

    def _hit(
        self, connection: sqlite3.Connection, wanted: Search, query: Query, match: Match, score: float
    ) -> TurnHit:
        session, title, name, project, turn, created, blob, folded = connection.execute(
            _DETAILS, (match.id,)
        ).fetchone()
        kinds = () if wanted.words.strip() else ((Kind.FILE,) if wanted.files else (Kind.COMMAND,))
        place = best_passage(folded, query, kinds if query.terms else ())
        passages = passages_of(blob, max(0, place - _AROUND), place + _AROUND + 1)
        passage = passages[min(place, _AROUND)]
        path, entry = Path(name), self._entries.get(name)
        snippet, marks = query.snippet(passage.text)
        return TurnHit(
            path,
            session,
            path.stem if is_agent(path) else "",
            entry is not None and is_archived(entry),
            title or "",
            project,
            turn,
            passage.line,
            passage.kind,
            datetime.fromtimestamp(created).astimezone(),
            snippet,
            marks,
            score,
            tuple(passages),
        )

    # Bringing up to date

    def _look(self, fresh: float) -> None:
        """List the transcripts, unless that was done a moment ago."""
        with self._looking:
            if fresh == math.inf or time.monotonic() - self._looked > fresh:
                found = self._sources.entries()
                self._entries = self._entries if found == self._entries else found
                self._looked = time.monotonic()

    def _is_complete(self) -> bool:
        entries = self._entries
        try:
            generation = self._database.read(partial(read_state, kinds=(DocKind.TURN,))).generation
            known = self._complete
            if known and known[0] is entries and known[1:] == (self._database.inode, generation):
                return True
            changes = self._database.read(self._changes)
        except (IndexUnavailable, IndexBroken):
            return False
        if changes.gone or changes.fresh:
            return False
        self._complete = (entries, self._database.inode, generation)
        return True

    def _changes(self, connection: sqlite3.Connection) -> _Changes:
        entries, known = self._entries, read_known(connection)
        fresh = [
            path
            for path, entry in entries.items()
            if path not in known or known[path][1:4] != (entry.mtime_ns, entry.size, entry.inode)
        ]
        fresh.sort(key=lambda path: entries[path].mtime_ns, reverse=True)
        return _Changes([path for path in known if path not in entries], fresh, known)

    def _apply(self, changes: _Changes, end: float, most: float, readers: Executor | None) -> bool:
        gone: Sequence[str] = changes.gone
        entries = self._entries
        all_new = [(path, entries[path], changes.known.get(path)) for path in changes.fresh]
        wanted = [each for each in all_new if each[1].size - _size(each[2]) <= most]
        mapped: Callable[..., Iterator[Read]] = partial(readers.map, chunksize=4) if readers else map
        batch: list[Read] = []
        size = 0
        for read, (_, entry, known) in zip(mapped(_read, wanted), wanted, strict=True):
            batch.append(read)
            size += entry.size - _size(known)
            if size >= _BATCH_BYTES or time.monotonic() > end:
                self._database.write(partial(put_transcripts, gone=gone, read=batch))
                gone, batch, size = (), [], 0
                if time.monotonic() > end:
                    return False
        if batch or gone:
            self._database.write(partial(put_transcripts, gone=gone, read=batch))
        return len(wanted) == len(all_new)


def _size(known: Known | None) -> int:
    return known.size if known else 0


def _read(each: tuple[str, Entry, Known | None]) -> Read:
    return read_transcript(*each)
