"""Bringing the search index up to date, in short steps that are each complete.

A memory is first put in with its folded text; from then on it is found by comparing. When enough of them have
come, their tokens are noted together, as one segment. Only one process writes at a time; the caller holds the
lock.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memtui.store.folding import fold
from memtui.store.index.bits import encode, from_bytes, to_bytes
from memtui.store.index.files import Document
from memtui.store.index.schema import IndexUnavailable
from memtui.store.index.tokens import chunks, grams, junctions, words

SEGMENT = 4096
"""Memories whose tokens are noted together at most."""
ENOUGH = 256
"""Memories that are compared one by one at most when nothing is being changed."""
SEGMENT_BYTES = 16 << 20
ENOUGH_BYTES = 2 << 20
"""The same for the bytes of their texts."""
LARGE = 1 << 17
"""Bytes of a text from which on its words are not put into the list: such texts are logs, not prose."""

ARCHIVED = "  archived"
PROJECT = "  project "
TAG = "  tag "
"""Tokens for filters. No token of a text begins with a blank."""


class Known(NamedTuple):
    """A file as the index knows it."""

    mtime_ns: int
    size: int
    inode: int
    id: int


class State(NamedTuple):
    """What the index says of itself; see `schema`."""

    docs: int
    bytes: int
    next: int
    noted: int
    generation: int
    dead: int
    large: int


class Fresh(NamedTuple):
    """A memory to be put into the index."""

    name: str
    document: Document


def read_state(connection: sqlite3.Connection) -> State:
    """The state as it is in the database."""
    row = connection.execute("SELECT docs, bytes, next, noted, generation, dead, large FROM state").fetchone()
    docs, size, following, noted, generation, dead, large = row
    return State(docs, size, following, noted, generation, from_bytes(dead), from_bytes(large))


def read_known(connection: sqlite3.Connection) -> dict[str, Known]:
    """All files in the index by their names."""
    rows = connection.execute("SELECT name, mtime_ns, size, inode, id FROM docs")
    return {row[0]: Known(*row[1:]) for row in rows}


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction: all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def put(connection: sqlite3.Connection, gone: Iterable[str], fresh: Sequence[Fresh]) -> None:
    """Take memories out and put others in, in the place of those with the same path."""
    folded = [(fold(one.document.head).encode(), fold(one.document.body).encode()) for one in fresh]
    with writing(connection):
        state = read_state(connection)
        docs, size, dead, large, number = state.docs, state.bytes, state.dead, state.large, state.next
        for name in (*gone, *(one.name for one in fresh)):
            row = connection.execute(
                "DELETE FROM docs WHERE name = ? RETURNING id, length", (name,)
            ).fetchone()
            if row is None:
                continue
            connection.execute("DELETE FROM texts WHERE id = ?", (row[0],))
            docs, size, dead = docs - 1, size - row[1], dead | 1 << row[0]
        for one, (head, body) in zip(fresh, folded, strict=True):
            text = head + b" " + body
            _insert(connection, number, one, text, len(head))
            if len(text) > LARGE:
                large |= 1 << number
            docs, size, number = docs + 1, size + len(text), number + 1
        _save(connection, State(docs, size, number, state.noted, state.generation + 1, dead, large))


def note(connection: sqlite3.Connection, *, least: int, least_bytes: int, most_bytes: float) -> bool:
    """Note the tokens of one segment of memories.

    Returns:
        False when fewer than `least` memories, of fewer than `least_bytes`, wait for it, or when the segment
        has more than `most_bytes`; nothing was done.
    """
    state = read_state(connection)
    count, size = connection.execute(
        "SELECT count(*), coalesce(sum(length), 0) FROM docs WHERE id >= ?", (state.noted,)
    ).fetchone()
    if count < least and size < least_bytes:
        return False
    if min(size, SEGMENT_BYTES) > most_bytes:
        return False
    end = _end_of_segment(connection, state)
    segment = _collect(connection, state.noted, end)
    with writing(connection):
        now = read_state(connection)
        if now.generation != state.generation:  # somebody else wrote, in spite of the lock
            raise IndexUnavailable("changed meanwhile")
        _add_words(connection, segment.words)
        base = state.noted
        connection.executemany(
            "INSERT INTO postings VALUES (?, ?, ?)",
            ((token, base, encode(segment.postings[token])) for token in sorted(segment.postings)),
        )
        _save(connection, now._replace(noted=end, generation=now.generation + 1))
    return True


def _add_words(connection: sqlite3.Connection, words: Iterable[str]) -> None:
    """Put those into the list of words that are in no segment yet."""
    last = connection.execute("SELECT coalesce(max(id), 0) FROM words").fetchone()[0]
    connection.executemany(
        "INSERT INTO words (word) SELECT :word WHERE NOT EXISTS (SELECT 1 FROM postings WHERE token = :word)",
        ({"word": word} for word in sorted(words)),
    )
    connection.execute(
        "INSERT INTO word_parts (rowid, word) SELECT id, word FROM words WHERE id > ?", (last,)
    )


def _insert(connection: sqlite3.Connection, number: int, one: Fresh, text: bytes, head: int) -> None:
    meta = one.document.listed.meta
    entry = one.document.entry
    connection.execute(
        "INSERT INTO docs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            one.name,
            entry.mtime_ns,
            entry.size,
            entry.inode,
            one.document.created,
            len(text),
            head,
            meta.archived,
            meta.project,
            "\n".join(one.document.tags),
        ),
    )
    connection.execute("INSERT INTO texts VALUES (?, ?)", (number, text))


def _save(connection: sqlite3.Connection, state: State) -> None:
    connection.execute(
        "UPDATE state SET docs = ?, bytes = ?, next = ?, noted = ?, generation = ?, dead = ?, large = ?",
        (*state[:5], to_bytes(state.dead), to_bytes(state.large)),
    )


def _end_of_segment(connection: sqlite3.Connection, state: State) -> int:
    """Where the next segment ends."""
    end = state.noted + SEGMENT
    size = 0
    rows = connection.execute(
        "SELECT id, length FROM docs WHERE id >= ? AND id < ? ORDER BY id", (state.noted, end)
    )
    for number, length in rows:
        size += length
        if size > SEGMENT_BYTES:
            end = number + 1
            break
    return min(end, state.next)


class _Segment:
    """The tokens of some memories with those that have them, counted from the first, as sets of bits."""

    def __init__(self) -> None:
        self.postings: defaultdict[str, int] = defaultdict(int)
        self.words: set[str] = set()
        # Chunks come again and again: each is taken apart once, with all memories that have it.
        self._chunks: defaultdict[str, int] = defaultdict(int)
        self._chunks_of_large: defaultdict[str, int] = defaultdict(int)

    def add(self, bit: int, text: str, *, large: bool) -> None:
        """Note a text."""
        found = chunks(text)
        for token in junctions(found):
            self.postings[token] |= bit
        which = self._chunks_of_large if large else self._chunks
        for chunk in set(found):
            which[chunk] |= bit

    def finish(self) -> None:
        """Take apart what was noted."""
        for which in (self._chunks, self._chunks_of_large):
            while which:
                chunk, bits = which.popitem()
                for token in grams(chunk):
                    self.postings[token] |= bits
                if which is self._chunks:
                    self._add_words(words(chunk), bits)

    def _add_words(self, found: list[str], bits: int) -> None:
        self.words.update(found)
        for word in found:
            self.postings[word] |= bits


def _collect(connection: sqlite3.Connection, start: int, end: int) -> _Segment:
    segment = _Segment()
    rows = connection.execute(
        "SELECT id, folded, archived, project, tags FROM docs JOIN texts USING (id)"
        " WHERE id >= ? AND id < ? ORDER BY id",
        (start, end),
    )
    for number, blob, archived, project, tags in rows:
        bit = 1 << (number - start)
        segment.add(bit, blob.decode(), large=len(blob) > LARGE)
        segment.postings[PROJECT + project] |= bit
        for tag in tags.split("\n"):
            segment.postings[TAG + tag] |= bit
        if archived:
            segment.postings[ARCHIVED] |= bit
    segment.finish()
    return segment
