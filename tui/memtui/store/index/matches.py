"""The matches of a query in the index: the newest are ranked, the others counted."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from memtui.store.base import Filter
from memtui.store.index.bits import every
from memtui.store.index.candidates import Candidates, Reader, Row
from memtui.store.index.ranking import POOL, POOL_BYTES, Match, count
from memtui.store.matching import Query

LOOKED = 400
"""Memories that are looked at for those that are weighed."""
SAMPLE = 300
"""Undecided memories that are compared in any case."""
MANY = 2_000
"""When it is then certain that there are more matches in all, the others are estimated."""
_STEPS = (256, 128, 64, 32, 16, 8, 4, 2, 1)
_CERTAIN = 4.0
"""How many times its own error a sample may be off."""


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
    complete: bool = True
    """Whether every memory was looked at."""
    bytes: int = 0
    """Of the folded texts of all memories."""

    @property
    def found(self) -> int:
        """How many matches are at hand."""
        return len(self.matches) + len(self.rest)


def from_index(
    connection: sqlite3.Connection, query: Query, where: Filter, hidden: Sequence[int], needed: int
) -> Gathered:
    """Find matches in the index.

    Args:
        connection: the index, in a transaction.
        query: the query.
        where: which memories are meant.
        hidden: numbers of memories whose files are not any more what the index knows.
        needed: how many matches are wanted at least.
    """
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
        self._undecided = 0

    def run(self, hidden: Sequence[int]) -> None:
        """Find everything."""
        candidates: Candidates = self._reader.candidates(self._query, self._where, hidden)
        self._undecided = candidates.undecided
        self.gathered.frequency = candidates.frequency
        self.gathered.memories = self._reader.state.docs - len(hidden)
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
            if len(self.gathered.matches) >= POOL or size >= POOL_BYTES or seen >= LOOKED:
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
        left = undecided & noted
        compared = agreed = 0
        for step in _STEPS:  # evenly among all: what is new may differ from what is old
            some = every(left, step)
            left &= ~some
            compared += some.bit_count()
            agreed += sum(self._agrees(folded) for _, folded in self._reader.texts(some))
            at_least = agreed - _CERTAIN * math.sqrt(agreed)
            known = self.gathered.found + self.gathered.more + agreed
            if compared >= SAMPLE and known + left.bit_count() * at_least / compared >= MANY:
                self.gathered.more += round(left.bit_count() * agreed / compared)
                break
        self.gathered.more += agreed

    def _is_match(self, row: Row) -> bool:
        if not self._undecided >> row.id & 1:
            return True
        agrees = self._agrees(row.folded)
        return agrees and (row.id < self._reader.state.noted or row.fits(self._where))

    def _agrees(self, folded: bytes) -> bool:
        return all(term in folded for term in self._terms)
