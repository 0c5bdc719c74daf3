"""The search index of the stored memories: SQLite, made from their files, thrown away when in doubt.

Any number of processes and threads may search and bring it up to date at once. What it does not know yet, or
does not know any more, is read and compared while searching; so is everything where it cannot be written.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TypeVar

from memtui.project import Home
from memtui.store.base import Filter, Found, Hit
from memtui.store.folding import fold
from memtui.store.index_database import Database
from memtui.store.index_files import Files, read, seconds
from memtui.store.index_matches import Gathered, from_index
from memtui.store.index_ranking import POOL, POOL_BYTES, Match, count, ranked
from memtui.store.index_schema import IndexBroken, IndexUnavailable
from memtui.store.index_writer import (
    ENOUGH,
    ENOUGH_BYTES,
    SEGMENT,
    SEGMENT_BYTES,
    Fresh,
    Known,
    note,
    put,
    read_known,
    read_state,
)
from memtui.store.listing import Entry
from memtui.store.matching import Query

SEARCH_BUDGET = 10.0
"""Seconds that a search may spend on bringing the index up to date, and on what is not in it yet, each."""
_BATCH = 200
_BATCH_BYTES = 8 << 20
"""Memories, and bytes of them, that are put into the index in one transaction."""
_TRIES = 3
_WASTE = 4
"""An index that has given out so many times more numbers than it has memories is made anew."""

T = TypeVar("T")


@dataclass(slots=True)
class _Changes:
    """In what the files differ from the index."""

    gone: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    """New and changed ones, the newest first."""

    def __bool__(self) -> bool:
        return bool(self.gone or self.fresh)


class SearchIndex:
    """Finds stored memories by their texts."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._database = Database(home.cache / "index.db")
        self._files = Files(home)
        self._looking = threading.Lock()
        self._known: tuple[tuple[int, int], dict[str, Known]] = ((-1, -1), {})
        self._compared: tuple[dict[str, Entry], dict[str, Known], _Changes] | None = None

    def refresh(self, *, budget: float | None = None) -> bool:
        """Bring the index up to date with the files.

        Args:
            budget: seconds after which to stop, some way above it; what is done by then stays done.

        Returns:
            True when the index is complete; False when the time was over, another process is at it, or the
            index cannot be written.

        Raises:
            FileProblem: the folder of memories cannot be listed.
        """
        entries = self._entries(full=True)
        return self._refresh(entries, None if budget is None else time.monotonic() + budget)

    def search(
        self,
        query: str,
        where: Filter,
        *,
        limit: int,
        offset: int,
        now: datetime,
        budget: float = SEARCH_BUDGET,
    ) -> Found:
        """Memories that match a query (see `matching`), best first (see `index_ranking`).

        The total is right, unless a term is in very many memories in ways that tokens do not tell: then it is
        an estimate from some thousand of them.

        Args:
            query: any text; an empty one means all memories.
            where: which memories are meant.
            limit: the most hits to return.
            offset: how many hits to leave out first.
            now: what ages are counted to.
            budget: seconds to spend on files that the index does not know yet; what is not done by then is
                left out.

        Raises:
            FileProblem: the folder of memories cannot be listed.
        """
        parsed = Query.parse(query)
        entries = self._entries(full=False)
        gathered = self._gather(parsed, where, entries, max(0, limit) + offset, time.monotonic() + budget)
        order = ranked(
            gathered.matches,
            parsed.terms,
            gathered.frequency,
            memories=gathered.memories,
            average=gathered.bytes / max(1, gathered.memories),
            now=seconds(now),
        )
        order += [(0.0, match) for match in gathered.rest]
        hits = [
            hit
            for score, match in order[offset : offset + max(0, limit)]
            if (hit := self._hit(parsed, match, entries, score))
        ]
        return Found(tuple(hits), len(order) + gathered.more)

    def _entries(self, *, full: bool) -> dict[str, Entry]:
        with self._looking:
            return self._files.entries(full=full)

    # Searching

    def _gather(
        self, query: Query, where: Filter, entries: dict[str, Entry], needed: int, end: float
    ) -> Gathered:
        for _ in range(_TRIES):
            try:
                changes = self._changes(entries)
                if changes and self._refresh(entries, end):
                    changes = self._changes(entries)
                mark, known = self._read_known()
                hidden = [known[name].id for name in (*changes.gone, *changes.fresh) if name in known]
                find = partial(from_index, query=query, where=where, hidden=hidden, needed=needed)
                gathered = self._database.read(find)
            except (IndexUnavailable, IndexBroken):  # missing, most often; it is made once
                self._refresh(entries, end)
                continue
            if gathered.generation == mark[1]:  # else another process has changed it meanwhile
                self._add_unknown(gathered, query, where, entries, changes.fresh)
                return gathered
        gathered = Gathered()
        self._add_unknown(gathered, query, where, entries, sorted(entries, reverse=True))
        return gathered

    def _add_unknown(
        self, gathered: Gathered, query: Query, where: Filter, entries: dict[str, Entry], names: list[str]
    ) -> None:
        """Read and compare memories that the index does not know."""
        if not names:
            return
        end = time.monotonic() + SEARCH_BUDGET
        terms = [term.encode() for term in query.terms]
        for name in names:
            document = read(entries[name], self._home)
            head, folded = fold(document.head).encode(), fold(document.text).encode()
            gathered.memories += 1
            gathered.bytes += len(folded)
            if all(term in folded for term in terms) and where.fits(document.listed):
                counts = count(terms, folded, len(head))
                kept = document if len(folded) < POOL_BYTES // POOL else None
                gathered.matches.append(Match(name, document.created, len(folded), counts, kept))
                for term in query.terms:
                    gathered.frequency[term] = gathered.frequency.get(term, 0) + 1
            if time.monotonic() > end:
                break

    def _hit(self, query: Query, match: Match, entries: dict[str, Entry], score: float) -> Hit | None:
        """What is shown of a match; None when its file is gone or changed right now."""
        document = match.document
        if document is None:
            entry = entries.get(match.name)
            if entry is None:
                return None
            document = read(entry, self._home)
            if (document.entry != entry or document.listed.problem) and not query.matches(document.text):
                return None
        snippet, marks = query.snippet(document.text)
        return Hit(document.listed, snippet, marks, score)

    # Bringing up to date

    def _changes(self, entries: dict[str, Entry]) -> _Changes:
        """In what `entries` differ from the index; remembered, for most often nothing has changed."""
        _, known = self._read_known()
        if self._compared and self._compared[0] is entries and self._compared[1] is known:
            return self._compared[2]
        gone = [name for name in known if name not in entries]
        fresh = []
        for name, entry in entries.items():
            old = known.get(name)
            if old is None or old[:3] != entry[2:]:
                fresh.append(name)
        fresh.sort(reverse=True)
        changes = _Changes(gone, fresh)
        self._compared = (entries, known, changes)
        return changes

    def _read_known(self) -> tuple[tuple[int, int], dict[str, Known]]:
        """The files in the index, and what tells this state of it from others."""

        def look(connection: sqlite3.Connection) -> tuple[tuple[int, int], dict[str, Known]]:
            connection.execute("BEGIN")
            mark = (self._database.inode, read_state(connection).generation)
            latest = self._known
            if latest[0] != mark:
                latest = self._known = (mark, read_known(connection))
            return latest

        return self._database.read(look)

    def _refresh(self, entries: dict[str, Entry], end: float | None) -> bool:
        try:
            with self._database.locked():
                return self._refresh_locked(entries, end)
        except IndexUnavailable:
            return False

    def _refresh_locked(self, entries: dict[str, Entry], end: float | None) -> bool:
        for _ in range(2):
            try:
                changes = self._changes(entries)
                if not self._database.read(_is_wasteful):
                    return self._apply(changes, entries, end)
            except IndexBroken:
                pass
            except IndexUnavailable:
                if self._database.path.exists():  # locked, or not to be written
                    raise
            self._database.create()
        return False

    def _apply(self, changes: _Changes, entries: dict[str, Entry], end: float | None) -> bool:
        def over() -> bool:
            return end is not None and time.monotonic() > end

        def noted(least: int, least_bytes: int) -> bool:
            return self._database.write(lambda at: note(at, least=least, least_bytes=least_bytes))

        gone = changes.gone
        # The oldest first when all are new: what was indexed last is taken for new where there is very much.
        for batch in self._batches(list(reversed(changes.fresh)), entries):
            self._database.write(partial(put, gone=gone, fresh=batch))
            gone = []
            if over():
                return False
            noted(SEGMENT, SEGMENT_BYTES)
        if gone:
            self._database.write(partial(put, gone=gone, fresh=()))
        while not over():
            if not noted(ENOUGH, ENOUGH_BYTES):
                return True
        return True

    def _batches(self, names: list[str], entries: dict[str, Entry]) -> Iterator[list[Fresh]]:
        batch: list[Fresh] = []
        size = 0
        for name in names:
            entry = entries[name]
            batch.append(Fresh(name, read(entry, self._home)))
            size += entry.size
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _is_wasteful(connection: sqlite3.Connection) -> bool:
    state = read_state(connection)
    return state.next > SEGMENT + _WASTE * state.docs
