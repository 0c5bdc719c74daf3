"""The matches of a query in the index: the newest weighed, the others counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from memtui.store.base import Filter
from memtui.store.index_query import Candidates, Reader, Row
from memtui.store.index_ranking import POOL, POOL_BYTES, Match, count
from memtui.store.matching import Query

SAMPLE = 1_200
"""Undecided memories that are compared in any case."""
MANY = 2_000
"""When it then seems that there are so many matches in all, those among the others are estimated."""
_STEP = 100


@dataclass(slots=True)
class Gathered:
    """What a search has found so far."""

    matches: list[Match] = field(default_factory=list)
    rest: list[Match] = field(default_factory=list)
    """Matches that are not weighed, in their order."""
    more: int = 0
    """How many there are beyond these, which nobody asked for."""
    frequency: dict[str, int] = field(default_factory=dict)
    """How many memories each term is in."""
    memories: int = 0
    generation: int = -1
    """Of the index."""
    bytes: int = 0
    """Of the folded texts of all memories."""

    @property
    def found(self) -> int:
        """How many matches are at hand."""
        return len(self.matches) + len(self.rest)


def from_index(
    connection: sqlite3.Connection, query: Query, where: Filter, hidden: Sequence[int], needed: int
) -> Gathered:
    """Find matches in the index; the caller ends the transaction.

    Args:
        connection: the index.
        query: the query.
        where: which memories are meant.
        hidden: numbers of memories whose files are not any more what the index knows.
        needed: how many matches are wanted at least.
    """
    connection.execute("BEGIN")
    search = _Search(Reader(connection), query, where, needed)
    search.run(hidden)
    return search.gathered


class _Search:
    """One search in one transaction."""

    def __init__(self, reader: Reader, query: Query, where: Filter, needed: int) -> None:
        self.gathered = Gathered()
        self._reader = reader
        self._query = query
        self._where = where
        self._needed = needed
        self._terms = [term.encode() for term in query.terms]
        self._compared = 0
        self._agreed = 0
        self._undecided = 0

    def run(self, hidden: Sequence[int]) -> None:
        """Find everything."""
        candidates: Candidates = self._reader.candidates(self._query, self._where, hidden)
        self._undecided = candidates.undecided
        self.gathered.frequency = candidates.frequency
        self.gathered.memories = self._reader.state.docs - len(hidden)
        self.gathered.generation = self._reader.state.generation
        self.gathered.bytes = self._reader.state.bytes
        left = self._fill(self._weigh(candidates.bits))
        undecided = left & self._undecided
        self.gathered.more += (left & ~undecided).bit_count()
        self._count(undecided)

    def _weigh(self, bits: int) -> int:
        """Weigh the matches indexed last; return what was not looked at."""
        size = 0
        for seen, row in enumerate(self._reader.rows(bits), 1):
            if self._is_match(row):
                counts = count(self._terms, row.folded, row.head)
                self.gathered.matches.append(Match(row.name, row.created, len(row.folded), counts))
                size += len(row.folded)
            if len(self.gathered.matches) >= POOL or size >= POOL_BYTES or seen >= SAMPLE:
                return bits & ((1 << row.id) - 1)
        return 0

    def _fill(self, bits: int) -> int:
        """Take as many more matches as are wanted; return what was not looked at."""
        if not bits or self.gathered.found >= self._needed:
            return bits
        for row in self._reader.rows(bits):
            if self._is_match(row):
                self.gathered.rest.append(Match(row.name, row.created, len(row.folded), ()))
                if self.gathered.found >= self._needed:
                    return bits & ((1 << row.id) - 1)
        return 0

    def _count(self, undecided: int) -> None:
        """Count, or estimate, the matches among memories that are to be compared."""
        noted = (1 << self._reader.state.noted) - 1
        for row in self._reader.rows(undecided & ~noted):
            self.gathered.more += self._is_match(row)
        undecided &= noted
        for number, folded in self._reader.texts(undecided):
            if self._compared >= SAMPLE and not self._compared % _STEP:
                left = (undecided & ((2 << number) - 1)).bit_count()
                seem = round(left * self._agreed / self._compared)
                if self.gathered.found + self.gathered.more + seem >= MANY:
                    self.gathered.more += seem
                    return
            self.gathered.more += self._agrees(folded)

    def _is_match(self, row: Row) -> bool:
        if not self._undecided >> row.id & 1:
            return True
        agrees = self._agrees(row.folded)
        return agrees and (row.id < self._reader.state.noted or row.fits(self._where))

    def _agrees(self, folded: bytes) -> bool:
        for term in self._terms:
            if term not in folded:
                self._compared += 1
                return False
        self._compared += 1
        self._agreed += 1
        return True
