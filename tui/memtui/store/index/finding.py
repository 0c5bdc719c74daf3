"""Searching the index: candidates from the table of texts, compared with the query, newest first.

A term of three or more characters is found by its trigrams, a shorter one by the trigrams that begin with it,
or by reading all texts if it is frequent. Every candidate shown was compared with the query; of many, the
rest is estimated from a sample.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from memtui.store.base import Filter
from memtui.store.index.document import seconds
from memtui.store.index.filters import filter_condition
from memtui.store.index.ranking import POOL, POOL_BYTES, Match, count, ranked
from memtui.store.index.schema import BREAK, GRAM, DocKind
from memtui.store.index.writer import State, read_state
from memtui.store.matching import Query

LOOKED = 300
"""The most texts examined to find those that are scored."""
COMPARED = 500
"""The most candidates compared to count the matches; of more, only a part."""
COMPARED_PARTS = 200
"""The same for queries on files or commands, whose texts have to be examined one by one."""
LISTED = 4_000
"""The most candidates listed; more are only counted, and only if necessary."""
COUNTED = 200
"""Number of candidates compared of more than `COMPARED`."""
SAMPLE = 500
"""Number of texts in the sample, and the number of characters used of each."""
_TELLING = 30
"""Number of matches in the sample from which on the total is extrapolated."""
_RARITY = 80
"""Number of sample texts used to find rare trigrams."""
OFTEN = 0.05
"""Share of the texts from which on a short term is searched for in all of them."""
_GRAMS, _MOST_GRAMS = 6, 12
"""Number of trigrams looked up for a query if they are rare, and at most: frequent ones are slow to read."""
_LONGEST = 20_000
_LONG = 60
_BATCH = 250
_ROWS = """SELECT docs.id, {}, created, head, length, c0 FROM docs
JOIN words_content ON words_content.id = docs.id"""
_NAME = "(SELECT name FROM sources WHERE sources.id = docs.source)"
_LAST = "\U0010ffff"
_READ_AS = {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}
"""Characters that FTS5 replaces."""


@dataclass(slots=True)
class Gathered:
    """The results of a search so far."""

    matches: list[Match] = field(default_factory=list)
    rest: list[Match] = field(default_factory=list)
    """Unscored matches, in order."""
    more: int = 0
    """Number of further matches."""
    frequency: dict[str, int] = field(default_factory=dict)
    """Approximate number of documents with each term."""
    documents: int = 0
    complete: bool = True
    """Whether every document was searched."""
    bytes: int = 0
    """Size of the folded texts of all documents."""

    @property
    def found(self) -> int:
        """Number of matches found."""
        return len(self.matches) + len(self.rest)

    def in_order(self, terms: Sequence[str], now: datetime) -> list[tuple[float, Match]]:
        """The matches with their scores, best first; those that are not weighed follow with 0."""
        average = self.bytes / max(1, self.documents)
        weighed = ranked(
            self.matches,
            terms,
            self.frequency,
            memories=self.documents,
            average=average,
            now=seconds(now),
        )
        return weighed + [(0.0, match) for match in self.rest]


class Also(NamedTuple):
    """Further conditions on a match."""

    kind: DocKind
    """The kind of documents."""
    parts: tuple[tuple[str, str], ...] = ()
    """(Prefix, part) pairs that passages between two `BREAK`s of its folded text must have."""


class _Row(NamedTuple):
    id: int
    name: str
    created: float
    head: int
    length: int
    text: str


class _Candidates(NamedTuple):
    """Documents that may match."""

    ids: list[int]
    """The listed ones, newest first."""
    more: bool
    """Whether there are more."""
    sure: bool
    """Whether they certainly match, without a comparison."""


class Sample:
    """Texts of a kind from all times, cached between searches, that show which terms are frequent."""

    def __init__(self, kind: DocKind) -> None:
        self._kind = kind
        self._mark = (0, 0)
        self._texts: tuple[str, ...] = ()

    def texts(self, connection: sqlite3.Connection, inode: int) -> tuple[str, ...]:
        """The sample; renewed for another file, or if the number of documents has changed by a tenth."""
        known, of = self._mark
        docs = read_state(connection, (self._kind,)).docs
        if of != inode or abs(docs - known) > known / 10:
            every = "SELECT id FROM docs WHERE id BETWEEN ? AND ? ORDER BY id"
            ids = [str(row[0]) for row in connection.execute(every, self._kind.numbers)]
            some = ",".join(ids[:: len(ids) // SAMPLE + 1])
            rows = connection.execute(
                f"SELECT substr(c0, 1, {_LONGEST}) FROM words_content WHERE id IN ({some})"  # noqa: S608
            )
            self._texts = tuple(row[0] for row in rows)
            self._mark = (docs, inode)
        return self._texts


class _Search:
    """One search in one transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        query: Query,
        where: Filter,
        needed: int,
        texts: Sequence[str],
        also: Also,
    ) -> None:
        self.gathered = Gathered()
        self._connection = connection
        self._state: State = read_state(connection, (also.kind,))
        self._range = "BETWEEN {} AND {}".format(*also.kind.numbers)
        self._select = _ROWS.format("''" if also.kind is DocKind.TURN else _NAME)
        self._terms = query.terms
        self._encoded = [term.encode() for term in query.terms]
        self._filter, self._values = filter_condition(connection, where, also.kind)
        self._parts = also.parts
        self._needed = needed
        self._texts = texts

    def run(self, hidden: set[int]) -> None:
        """Find everything."""
        gathered = self.gathered
        gathered.documents = self._state.docs - len(hidden)
        gathered.bytes = self._state.bytes
        share = self._state.docs / max(1, len(self._texts))
        gathered.frequency = {
            term: round(share * sum(term in text for text in self._texts)) for term in self._terms
        }
        ids, more, sure = self._candidates(LISTED)
        ids = [one for one in ids if one not in hidden]
        looked = self._gather(ids, weighing=True)
        if gathered.found < self._needed and more:
            ids, more, sure = self._candidates(-1)
            ids = [one for one in ids if one not in hidden]
            looked += self._gather(ids[looked:], weighing=False)
        self._count(ids[looked:], more=more, sure=sure)

    # Candidates

    def _candidates(self, most: int) -> _Candidates:
        """The documents that may match; `most` are listed, -1 being all."""
        long = [term for term in self._terms if len(term) >= GRAM]
        if self._filter and len((few := self._all(COMPARED + 1)).ids) <= COMPARED:
            return few
        if long:
            return self._having(long, most)
        if self._terms and self._state.docs > COMPARED:
            rarest = min(self._terms, key=lambda term: (self.gathered.frequency[term], -len(term)))
            if self.gathered.frequency[rarest] < OFTEN * self._state.docs:
                return self._beginning(rarest)
        return self._all(most)

    def _having(self, terms: Sequence[str], most: int) -> _Candidates:
        """The documents that contain the trigrams of some terms."""
        grams = self._grams(terms)
        match = " ".join('"' + gram.replace('"', '""') + '"' for gram in grams)
        tables, condition = "words", f"words MATCH ? AND words.rowid {self._range}"
        if self._filter:
            tables += " CROSS JOIN docs ON docs.id = words.rowid"
            condition += self._filter
        sure = set(self._terms) == set(grams)
        return self._listed(f"{tables} WHERE {condition}", "words.rowid", most, sure, match)

    def _beginning(self, term: str) -> _Candidates:
        """The documents with a trigram that begins with a short term."""
        first = term.translate(_READ_AS)
        found = "SELECT doc FROM word_places WHERE term BETWEEN ? AND ?"
        condition = f"docs WHERE id IN ({found}) AND id {self._range}{self._filter}"
        return self._listed(condition, "id", -1, len(self._terms) == 1, first, first + _LAST * GRAM)

    def _all(self, most: int) -> _Candidates:
        """All selected documents."""
        return self._listed(f"docs WHERE id {self._range}{self._filter}", "id", most, not self._terms)

    def _listed(self, condition: str, number: str, most: int, sure: bool, *values: str) -> _Candidates:
        select = f"SELECT {number} FROM {condition} ORDER BY {number} DESC LIMIT {most}"  # noqa: S608
        every = (*values, *self._values)
        ids = [row[0] for row in self._connection.execute(select, every)]
        self._counting = (f"SELECT count(*) FROM {condition}", every)  # noqa: S608
        return _Candidates(ids, len(ids) == most, sure and not self._parts)

    def _grams(self, terms: Sequence[str]) -> list[str]:
        """Trigrams of every match, preferably rare ones, which leave little to read and to compare."""
        grams = dict.fromkeys(
            term[at : at + GRAM] for term in terms for at in range(min(len(term) - GRAM + 1, _LONG))
        )
        some = self._texts[:: len(self._texts) // _RARITY + 1]
        rare = sorted(grams, key=lambda gram: sum(gram in text for text in some))
        having = tuple(self._texts)
        taken: list[str] = []
        for gram in rare:
            if len(taken) == _MOST_GRAMS or (len(taken) >= _GRAMS and not having):
                break  # few candidates remain
            fewer = tuple(text for text in having if gram in text)
            if len(fewer) < len(having) or not fewer or not taken:  # otherwise nothing is gained
                taken.append(gram)
            having = fewer
        return taken

    # Comparing

    def _gather(self, ids: Sequence[int], *, weighing: bool) -> int:
        """Score the matches indexed last, and add as many others as needed; returns the number examined."""
        gathered = self.gathered
        size = seen = 0
        for seen, row in enumerate(self._rows(ids), 1):
            if self._is_match(row.text):
                if weighing:
                    counts = count(self._encoded, row.text.encode(), row.head)
                    gathered.matches.append(Match(row.name, row.created, row.length, counts, id=row.id))
                    size += row.length
                else:
                    gathered.rest.append(Match(row.name, row.created, row.length, (), id=row.id))
            weighing = weighing and len(gathered.matches) < POOL and size < POOL_BYTES and seen < LOOKED
            if not weighing and gathered.found >= self._needed:
                return seen
        return len(ids)

    def _count(self, ids: Sequence[int], *, more: bool, sure: bool) -> None:
        """Count, or estimate, the matches among the other candidates.

        Args:
            ids: the listed ones.
            more: whether there are more.
            sure: whether they certainly match.
        """
        gathered = self.gathered
        if not more and (sure or len(ids) <= (COMPARED_PARTS if self._parts else COMPARED)):
            gathered.more += len(ids) if sure else self._matching(ids)
            return
        telling = 0 if self._filter else sum(map(self._is_match, self._texts))
        if telling >= _TELLING:
            wanted = round(self._state.docs * telling / len(self._texts))
            gathered.more += max(wanted - gathered.found, 0)
            return
        some = ids[:: len(ids) // COUNTED + 1]
        number = len(ids)
        if more:
            number = self._connection.execute(*self._counting).fetchone()[0] - gathered.found
        gathered.more += round(number * (1 if sure else self._matching(some) / max(1, len(some))))

    def _matching(self, ids: Sequence[int]) -> int:
        """Number of matches among some documents."""
        condition = "" if self._parts else " AND instr(c0, ?)" * len(self._terms)
        wanted, terms = ("c0", ()) if self._parts else ("count(*)", self._terms)
        found = 0
        for start in range(0, len(ids), _BATCH):
            listed = ",".join(map(str, ids[start : start + _BATCH]))
            select = f"SELECT {wanted} FROM words_content WHERE id IN ({listed}){condition}"  # noqa: S608
            rows = self._connection.execute(select, terms)
            found += sum(self._is_match(row[0]) if self._parts else row[0] for row in rows)
        return found

    def _rows(self, ids: Sequence[int]) -> Iterator[_Row]:
        """Documents with their texts, in the order of `ids`, which is descending or ascending."""
        order = "DESC" if len(ids) > 1 and ids[0] > ids[-1] else "ASC"
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            yield from map(
                _Row._make,
                self._connection.execute(
                    f"{self._select} WHERE docs.id IN ({marks}) ORDER BY docs.id {order}",
                    some,
                ),
            )

    def _is_match(self, text: str) -> bool:
        if not all(term in text for term in self._terms):
            return False
        if not self._parts:
            return True
        return all(_has_part(text, beginning, part) for beginning, part in self._parts)


def _has_part(text: str, beginning: str, part: str) -> bool:
    """Whether a passage with this prefix contains a part."""
    at = text.find(part)
    while at >= 0:
        start = text.rfind(BREAK, 0, at) + 1
        if text.startswith(beginning, start):
            return True
        end = text.find(BREAK, at)
        at = text.find(part, end) if end >= 0 else -1
    return False


def find(
    connection: sqlite3.Connection,
    query: Query,
    where: Filter,
    hidden: Collection[int],
    needed: int,
    texts: Sequence[str],
    also: Also,
) -> Gathered:
    """Find matches.

    Args:
        connection: the index, in a transaction.
        query: the query.
        where: the filter.
        hidden: numbers of documents whose files have changed since they were indexed.
        needed: the minimum number of matches.
        texts: a sample of the index's texts.
        also: further conditions.
    """
    search = _Search(connection, query, where, needed, texts, also)
    search.run({number for number in hidden if DocKind.of(number) is also.kind})
    return search.gathered
