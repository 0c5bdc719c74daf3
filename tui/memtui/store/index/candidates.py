"""Which memories of the index match a query.

Tokens give the memories that may match as sets of bits, which cost next to nothing. A term that is a token
itself is settled by that. For others the texts are compared while there are few, else the list of words is
asked which words have the term in them. What is left undecided then is compared one by one, newest first.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from memtui.store.base import Filter, Which
from memtui.store.concerning import project_test
from memtui.store.index.bits import decode, descending, from_numbers
from memtui.store.index.files import seconds
from memtui.store.index.tokens import is_part_of_word, is_token, needed_tokens, open_end, trigrams
from memtui.store.index.writer import ARCHIVED, PROJECT, TAG, State, read_state
from memtui.store.matching import Query

COMPARED = 500
"""Memories that are rather compared one by one than decided by the list of words."""
SURE = 4_000
"""When so many have a term as a word, nothing is asked: they are more than are counted one by one."""
WORDS = 400
"""Words of the list that a term may be in; a term in more is a part of very many memories."""
FEW = 64
"""When so few memories are left, no more tokens are looked up."""
_BATCH = 250
_ROWS = """SELECT id, name, created, head, archived, project, tags, folded
FROM docs JOIN texts USING (id) WHERE id IN ({}) ORDER BY id DESC"""
_TEXTS = "SELECT id, folded FROM texts WHERE id IN ({}) ORDER BY id DESC"
_POSTINGS = "SELECT base, docs FROM postings WHERE token IN ({})"
_PROJECTS = "SELECT DISTINCT token FROM postings WHERE token BETWEEN ? AND ?"
_BEGINNING = "SELECT base, docs FROM postings WHERE token BETWEEN ? AND ?"


class Row(NamedTuple):
    """A memory as the index has it."""

    id: int
    name: str
    created: float
    head: int
    archived: int
    project: str
    tags: str
    folded: bytes

    def fits(self, where: Filter) -> bool:
        """Whether a memory is meant; see `Filter.fits`."""
        since, until = _span(where)
        return (
            (where.which is Which.ALL or bool(self.archived) == (where.which is Which.ARCHIVED))
            and (not where.project or project_test(where.project)(self.project))
            and {tag.casefold() for tag in where.tags} <= set(self.tags.split("\n"))
            and since <= self.created <= until
        )


@dataclass(slots=True)
class Candidates:
    """Memories that match, or may."""

    bits: int
    """All of them."""
    undecided: int
    """Those of `bits` that have to be compared."""
    frequency: dict[str, int] = field(default_factory=dict)
    """How many memories each term is in, as far as tokens say."""


class Reader:
    """The index as it is in one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.state: State = read_state(connection)
        self._known: dict[str, int] = {}

    def candidates(self, query: Query, where: Filter, hidden: Iterable[int]) -> Candidates:
        """The memories that may match.

        Args:
            query: the query.
            where: the filter.
            hidden: numbers of memories whose files are not any more what the index knows.
        """
        state = self.state
        waiting = (1 << state.next) - (1 << state.noted)
        gone = state.dead | from_numbers(hidden, state.next)
        bits = self._filtered(((1 << state.noted) - 1) & ~gone, where)
        tokens = {term: is_token(term) for term in query.terms}
        frequency: dict[str, int] = {}
        for term in query.terms:
            found = self.bits(term) if tokens[term] else self._having(term, bits)
            frequency[term] = found.bit_count()
            bits &= found
        undecided = 0
        for term in query.terms:
            if tokens[term] or not bits:
                continue
            bits, unsure = self._decide(term, bits)
            undecided |= unsure
        waiting &= ~gone
        return Candidates(bits | waiting, (undecided & bits) | waiting, frequency)

    def bits(self, token: str) -> int:
        """The memories that have a token."""
        known = self._known.get(token)
        if known is None:
            rows = self._connection.execute("SELECT base, docs FROM postings WHERE token = ?", (token,))
            known = self._known[token] = decode(rows, self.state.next)
        return known

    def rows(self, bits: int) -> Iterator[Row]:
        """The memories of a set with their texts, the one indexed last first."""
        numbers = descending(bits)
        while some := list(islice(numbers, _BATCH)):
            yield from map(Row._make, self._connection.execute(_ROWS.format(_marks(some)), some))

    def texts(self, bits: int) -> Iterator[tuple[int, bytes]]:
        """The numbers and texts of a set, and nothing else."""
        numbers = descending(bits)
        while some := list(islice(numbers, _BATCH)):
            yield from self._connection.execute(_TEXTS.format(_marks(some)), some)

    def _filtered(self, bits: int, where: Filter) -> int:
        if where.which is not Which.ALL:
            archived = self.bits(ARCHIVED)
            bits &= archived if where.which is Which.ARCHIVED else ~archived
        for tag in where.tags:
            bits &= self.bits(TAG + tag.casefold())
        if where.project:
            bits &= self._concerning(where.project)
        if where.since or where.until:
            since, until = _span(where)
            rows = self._connection.execute(
                "SELECT id FROM docs WHERE created BETWEEN ? AND ?", (since, until)
            )
            bits &= from_numbers((row[0] for row in rows), self.state.next)
        return bits

    def _concerning(self, root: str) -> int:
        """The memories that concern a project."""
        concerns = project_test(root)
        tokens = self._connection.execute(_PROJECTS, (PROJECT, f"{PROJECT}\U0010ffff")).fetchall()
        found = 0
        for (token,) in tokens:
            if concerns(token.removeprefix(PROJECT)):
                found |= self.bits(token)
        return found

    def _having(self, term: str, within: int) -> int:
        """The memories that have all tokens of a term, or a few more."""
        found = within
        for token in needed_tokens(term):
            found &= self.bits(token)
            if found.bit_count() <= FEW:
                return found
        beginning = open_end(term)
        if beginning and found.bit_count() > COMPARED:
            rows = self._connection.execute(_BEGINNING, (beginning, f"{beginning}\U0010ffff"))
            found &= decode(rows, self.state.next)
        return found

    def _decide(self, term: str, bits: int) -> tuple[int, int]:
        """Those of `bits` that may still have a term, and which of these have to be compared."""
        if is_part_of_word(term):
            certain = self.bits(term) & bits  # these have it as a word of its own
            unsure = bits & ~certain
            if unsure.bit_count() <= COMPARED or certain.bit_count() > SURE:
                return bits, unsure
            having = self._having_part(term)
            if having is None:
                return bits, unsure
            large = bits & self.state.large
            return (bits & having) | large, large
        for piece in sorted(term.split(" "), key=len, reverse=True):
            if bits.bit_count() > COMPARED and is_part_of_word(piece):
                having = self._having_part(piece)
                if having is not None:
                    bits &= having | self.state.large
        return bits, bits

    def _having_part(self, part: str) -> int | None:
        """The memories that have a part of a word, but for large ones; None when too many words have it."""
        words = self._words(part)
        if words is None:
            return None
        rows = self._connection.execute(_POSTINGS.format(_marks(words)), words)
        return decode(rows, self.state.next)

    def _words(self, term: str) -> list[str] | None:
        """The words of the list that have a term in them; None when there are too many."""
        having = " ".join('"' + part.replace('"', '""') + '"' for part in trigrams(term))
        rows = self._connection.execute(
            "SELECT words.word FROM word_parts CROSS JOIN words ON words.id = word_parts.rowid"
            " WHERE word_parts MATCH ? AND instr(words.word, ?) LIMIT ?",
            (having, term, WORDS + 1),
        ).fetchall()
        return None if len(rows) > WORDS else [row[0] for row in rows]


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _span(where: Filter) -> tuple[float, float]:
    """From when to when memories are meant, in seconds since 1970."""
    since = seconds(where.since) if where.since else -math.inf
    return since, seconds(where.until) if where.until else math.inf
