"""Documents in the search index: updating from their files, and searching.

Any number of processes and threads may search and update it at once. New and changed documents are read and
compared during the search; if the index cannot be written, all of them are.
"""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple, Protocol

from memtui.ground.project import Home
from memtui.store.base import Filter
from memtui.store.folding import fold
from memtui.store.index.database import Database
from memtui.store.index.document import Document
from memtui.store.index.finding import Also, Gathered, Sample, find
from memtui.store.index.ranking import POOL, POOL_BYTES, Match, count
from memtui.store.index.schema import DocKind, IndexBroken, IndexUnavailable
from memtui.store.index.writer import Fresh, Known, put, read_known, read_state
from memtui.store.listing import Entry, name_order
from memtui.store.matching import Query

SEARCH_BUDGET = 10.0
"""Maximum seconds for a search when very many documents are not in the index."""
_BATCH = 200
_BATCH_BYTES = 8 << 20
"""Maximum number of documents, and bytes of them, indexed in one transaction."""
_TRIES = 3
_REMEMBERED, _SMALL = 500, 64 << 10
"""Number of recently found documents kept in memory, and maximum bytes of each."""


class Source(Protocol):
    """The files of some kinds of documents."""

    @property
    def kinds(self) -> tuple[DocKind, ...]:
        """The kinds."""

    def entries(self, *, full: bool) -> dict[str, Entry]:
        """All files by their names; the same object as before if nothing has changed.

        Args:
            full: check every file, however many there are.

        Raises:
            FileProblem: they cannot be listed.
        """

    def kind_of(self, entry: Entry) -> DocKind:
        """The kind of a file."""

    def read(self, entries: Iterable[Entry]) -> Iterator[Document]:
        """Documents in the order of their files."""


class DocumentHit(NamedTuple):
    """A found document."""

    document: Document
    snippet: str
    """One line of the text around the first match."""
    marks: tuple[tuple[int, int], ...]
    """The matches in `snippet`, as character offsets (start, end)."""
    score: float


class DocumentsFound(NamedTuple):
    """The results of a search, best first; see `memtui.store.base.Found`."""

    hits: tuple[DocumentHit, ...]
    total: int
    complete: bool = True


@dataclass(slots=True)
class _Changes:
    """The differences between the files and the index."""

    gone: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    """New and changed documents, newest first."""
    hidden: list[int] = field(default_factory=list)
    """Numbers of outdated documents in the index."""

    def __bool__(self) -> bool:
        return bool(self.gone or self.fresh)


class DocumentIndex:
    """Finds the documents of a source by their texts."""

    def __init__(self, home: Home, source: Source) -> None:
        self._database = Database(home.search_index)
        self._source = source
        self._samples = {kind: Sample(kind) for kind in source.kinds}
        self._shown: dict[Entry, Document] = {}
        self._looking = threading.Lock()
        self._known: tuple[tuple[int, int], dict[str, Known]] = ((-1, -1), {})
        self._compared: tuple[dict[str, Entry], dict[str, Known], _Changes] | None = None

    def refresh(self, *, budget: float | None = None) -> bool:
        """Bring the index up to date with the files.

        Args:
            budget: seconds after which to stop, at the end of a short step; finished steps are kept.

        Returns:
            True if the index is complete; False if time ran out, another process is updating it, or it cannot
            be written.

        Raises:
            FileProblem: the files cannot be listed.
        """
        end = math.inf if budget is None else time.monotonic() + budget
        return self._refresh(self._entries(full=True), end)

    def search(
        self,
        query: str,
        where: Filter,
        *,
        kind: DocKind,
        limit: int,
        offset: int,
        now: datetime,
        budget: float = SEARCH_BUDGET,
    ) -> DocumentsFound:
        """Documents that match a query (see `matching`), best first (see `ranking`).

        The total is exact, unless a term is very frequent: then it is estimated from some hundred documents.

        Args: query: any text; an empty one means all documents. where: the filter. kind: the kind of
        documents. limit: the most hits to return. offset: the number of hits to skip. now: the reference for
        ages. budget: seconds for documents that are not in the index yet; the rest of them is left out, and
        the answer is incomplete. The index is searched in any case.

        Raises:
            FileProblem: the files cannot be listed.
        """
        parsed = Query.parse(query)
        entries = self._entries(full=False)
        gathered = self._gather(parsed, where, kind, entries, max(0, limit) + offset, budget)
        order = gathered.in_order(parsed.terms, now)
        shown = order[offset : offset + max(0, limit)]
        documents = self._documents([match for _, match in shown], entries)
        hits = [
            hit
            for score, match in shown
            if (hit := self._hit(parsed, documents.get(match.name), entries.get(match.name), score))
        ]
        return DocumentsFound(tuple(hits), len(order) + gathered.more, gathered.complete)

    def _entries(self, *, full: bool) -> dict[str, Entry]:
        with self._looking:
            return self._source.entries(full=full)

    # Searching

    def _gather(
        self,
        query: Query,
        where: Filter,
        kind: DocKind,
        entries: dict[str, Entry],
        needed: int,
        budget: float,
    ) -> Gathered:
        end = time.monotonic() + budget
        for _ in range(_TRIES):
            try:
                if self._changes(entries) and time.monotonic() < end:
                    self._refresh(entries, end)
                gathered, fresh = self._database.read(
                    partial(self._find, entries=entries, query=query, where=where, kind=kind, needed=needed)
                )
            except (IndexUnavailable, IndexBroken):  # usually missing, then it is created once
                was_there = self._database.path.exists()
                if not self._refresh(entries, end) and was_there:
                    end = time.monotonic() + budget  # waiting for its lock must not shorten the search
                    break
                continue
            self._add_unknown(gathered, query, where, kind, [(name, entries[name]) for name in fresh], end)
            return gathered
        gathered = Gathered()
        unknown = sorted(entries.items(), key=_newness, reverse=True)
        self._add_unknown(gathered, query, where, kind, unknown, end)
        return gathered

    def _find(
        self,
        connection: sqlite3.Connection,
        entries: dict[str, Entry],
        query: Query,
        where: Filter,
        kind: DocKind,
        needed: int,
    ) -> tuple[Gathered, list[str]]:
        """Matches from the index, and the files missing from it."""
        connection.execute("BEGIN")  # another process may be changing it
        changes = self._compare(connection, entries)
        texts = self._samples[kind].texts(connection, self._database.inode)
        return find(connection, query, where, changes.hidden, needed, texts, Also(kind)), changes.fresh

    def _add_unknown(
        self,
        gathered: Gathered,
        query: Query,
        where: Filter,
        kind: DocKind,
        entries: Sequence[tuple[str, Entry]],
        end: float,
    ) -> None:
        """Read and compare documents missing from the index, until time is up."""
        terms = [term.encode() for term in query.terms]
        for name, entry in entries:
            if self._source.kind_of(entry) is not kind:
                continue
            if time.monotonic() > end:
                gathered.complete = False
                break
            (document,) = self._source.read([entry])
            head, folded = fold(document.head).encode(), fold(document.text).encode()
            gathered.documents += 1
            gathered.bytes += len(folded)
            if all(term in folded for term in terms) and _is_wanted(document, where):
                counts = count(terms, folded, len(head))
                kept = document if len(folded) < POOL_BYTES // POOL else None
                gathered.matches.append(Match(name, document.created, len(folded), counts, kept))
                for term in query.terms:
                    gathered.frequency[term] = gathered.frequency.get(term, 0) + 1

    def _hit(
        self, query: Query, document: Document | None, entry: Entry | None, score: float
    ) -> DocumentHit | None:
        """A match as a hit; None if its file was deleted or changed just now."""
        if document is None:
            return None
        if (document.entry != entry or document.problem) and not query.matches(document.text):
            return None
        return DocumentHit(document, *_snippet(query, document), score)

    def _documents(self, matches: Sequence[Match], entries: dict[str, Entry]) -> dict[str, Document]:
        """The documents to show; small unchanged ones are read only once."""
        found = {match.name: match.document for match in matches if match.document}
        wanted = [name for match in matches if (name := match.name) in entries and name not in found]
        found |= {name: known for name in wanted if (known := self._shown.get(entries[name]))}
        unread = sorted((name for name in wanted if name not in found), key=lambda name: entries[name])
        for name, document in zip(unread, self._source.read([entries[name] for name in unread]), strict=True):
            found[name] = document
            if document.entry == entries[name] and document.entry.size <= _SMALL and not document.problem:
                if len(self._shown) >= _REMEMBERED:
                    self._shown.clear()
                self._shown[document.entry] = document
        return found

    # Bringing up to date

    def _changes(self, entries: dict[str, Entry]) -> _Changes:
        """The differences between `entries` and the index."""

        def look(connection: sqlite3.Connection) -> _Changes:
            connection.execute("BEGIN")
            return self._compare(connection, entries)

        return self._database.read(look)

    def _compare(self, connection: sqlite3.Connection, entries: dict[str, Entry]) -> _Changes:
        """`_changes` within a transaction; cached, as mostly nothing has changed."""
        mark = (self._database.inode, read_state(connection, self._source.kinds).generation)
        latest, compared = self._known, self._compared
        if latest[0] != mark:
            latest = self._known = (mark, read_known(connection, self._source.kinds))
        known = latest[1]
        if compared and compared[0] is entries and compared[1] is known:
            return compared[2]
        changes = _Changes(gone=[name for name in known if name not in entries])
        changes.hidden += [known[name].id for name in changes.gone]
        for name, entry in entries.items():
            old = known.get(name)
            if old is None:
                changes.fresh.append(name)
            elif old[:3] != entry[2:]:
                changes.fresh.append(name)
                changes.hidden.append(old.id)
        changes.fresh.sort(key=lambda name: _newness((name, entries[name])), reverse=True)
        self._compared = (entries, known, changes)
        return changes

    def _refresh(self, entries: dict[str, Entry], end: float) -> bool:
        return self._database.update(lambda: self._apply(self._changes(entries), entries, end))

    def _apply(self, changes: _Changes, entries: dict[str, Entry], end: float) -> bool:
        gone = changes.gone
        # The oldest first if all are new: with very many files, those indexed last count as newest.
        for batch in self._batches(list(reversed(changes.fresh)), entries):
            self._database.write(partial(put, gone=gone, fresh=batch))
            gone = []
            if time.monotonic() > end:
                return False
        if gone:
            self._database.write(partial(put, gone=gone, fresh=()))
        return True

    def _batches(self, names: list[str], entries: dict[str, Entry]) -> Iterator[list[Fresh]]:
        batch: list[str] = []
        size = 0
        for name in names:
            batch.append(name)
            size += entries[name].size
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                yield self._read(batch, entries)
                batch, size = [], 0
        if batch:
            yield self._read(batch, entries)

    def _read(self, names: list[str], entries: dict[str, Entry]) -> list[Fresh]:
        documents = self._source.read([entries[name] for name in names])
        return [Fresh(name, document) for name, document in zip(names, documents, strict=True)]


def _newness(each: tuple[str, Entry]) -> str:
    """The sort key of names and files by the time in the names."""
    return name_order(each[1].name)


def _is_wanted(document: Document, where: Filter) -> bool:
    return where.fits(document.listed) if document.listed else where.fits_meta(document.meta)


def _snippet(query: Query, document: Document) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The match of a document, preferably in its text, as id and title are shown anyway."""
    shown = query.snippet(document.body)
    for rest in (document.about, document.text):
        if shown[1] or not query.terms:
            break
        shown = query.snippet(rest)
    return shown
