"""Changing the search index in transactions. The caller holds the write lock."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memtui.store.folding import fold
from memtui.store.index.document import Document, PlainMeta
from memtui.store.index.schema import PADDING, DocKind

_MINUTE_DOCS = 16
"""Number of documents of the same minute; more of them take numbers of the following minutes."""


class Known(NamedTuple):
    """A file in the index."""

    mtime_ns: int
    size: int
    inode: int
    id: int


class State(NamedTuple):
    """The state of some kinds; see `schema`."""

    docs: int
    bytes: int
    generation: int


class Fresh(NamedTuple):
    """A document to index."""

    name: str
    document: Document


def read_state(connection: sqlite3.Connection, kinds: Collection[DocKind]) -> State:
    """The state of some kinds, read from the database."""
    rows = connection.execute("SELECT kind, docs, bytes, generation FROM state").fetchall()
    some = [tuple(map(int, row[1:])) for row in rows if row[0] in kinds]
    return State(*map(sum, zip((0, 0, 0), *some, strict=True)))


def read_known(connection: sqlite3.Connection, kinds: Collection[DocKind]) -> dict[str, Known]:
    """The indexed files of these kinds, with one document each, by name."""
    select = (
        "SELECT name, mtime_ns, size, inode, docs.id FROM sources JOIN docs ON docs.source = sources.id"
        " WHERE sources.kind = ?"
    )
    return {row[0]: Known(*row[1:]) for kind in kinds for row in connection.execute(select, (kind,))}


def read_projects(connection: sqlite3.Connection) -> list[str]:
    """The paths of all projects that documents belong to, or belonged to."""
    return [row[0] for row in connection.execute("SELECT path FROM projects")]


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One atomic transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def put(connection: sqlite3.Connection, gone: Iterable[str], fresh: Sequence[Fresh]) -> None:
    """Remove files of one document each and add others, replacing those of the same name."""
    folded = [(fold(one.document.head), fold(one.document.body)) for one in fresh]
    with writing(connection):
        for name in (*gone, *(one.name for one in fresh)):
            row = connection.execute("DELETE FROM sources WHERE name = ? RETURNING id", (name,)).fetchone()
            if row is not None:
                take_out(connection, "source = ?", row[0])
        texts = [
            _insert(connection, one, head, f"{head} {body}")
            for one, (head, body) in zip(fresh, folded, strict=True)
        ]
        put_texts(connection, sorted(texts))


def put_texts(connection: sqlite3.Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Insert and count the folded texts of new documents, in the order of their numbers.

    All at once and at the end: FTS5 flushes its buffer whenever another statement changes something, and then
    takes four times as long.
    """
    connection.executemany(
        "INSERT INTO words (rowid, text) VALUES (?, ?)", ((number, text + PADDING) for number, text in texts)
    )
    _count(connection, ((number, len(text.encode())) for number, text in texts), 1)


def take_out(connection: sqlite3.Connection, condition: str, value: int) -> None:
    """Remove documents from the index."""
    deleted = f"DELETE FROM docs WHERE {condition} RETURNING id, length"  # noqa: S608
    rows = connection.execute(deleted, (value,)).fetchall()
    connection.executemany("DELETE FROM words WHERE rowid = ?", ((row[0],) for row in rows))
    _count(connection, rows, -1)


def _count(connection: sqlite3.Connection, changed: Iterable[tuple[int, int]], sign: int) -> None:
    """Update the counts for documents added (1) or removed (-1), with the bytes of their texts."""
    docs: Counter[DocKind] = Counter()
    size: Counter[DocKind] = Counter()
    for number, length in changed:
        kind = DocKind.of(number)
        docs[kind] += sign
        size[kind] += sign * length
    connection.executemany(
        "INSERT INTO state VALUES (?, ?, ?, 1) ON CONFLICT (kind) DO UPDATE"
        " SET docs = docs + excluded.docs, bytes = bytes + excluded.bytes, generation = generation + 1",
        ((kind, number, size[kind]) for kind, number in docs.items()),
    )


def _insert(connection: sqlite3.Connection, one: Fresh, head: str, text: str) -> tuple[int, str]:
    """Insert a document without its text; returns its number and the text."""
    document = one.document
    entry, meta = document.entry, document.meta
    project = project_number(connection, meta.project)
    source = connection.execute(
        "INSERT INTO sources (name, kind, mtime_ns, size, inode, project, session)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (one.name, document.kind, entry.mtime_ns, entry.size, entry.inode, project, meta.session_id),
    ).lastrowid
    number = free_number(connection, document.kind, document.created)
    connection.execute(
        "INSERT INTO docs (id, source, created, length, head, archived, pinned, project, tags)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            source,
            document.created,
            len(text.encode()),
            len(head.encode()),
            False,  # archived
            isinstance(meta, PlainMeta) and meta.pinned,
            project,
            "\n".join(("", *document.tags, "")),
        ),
    )
    return number, text


def free_number(connection: sqlite3.Connection, kind: DocKind, created: float) -> int:
    """A free number for a document; matches are examined in the order of numbers.

    Numbers grow with the time of creation; for memories with the time of indexing, as very many may be
    created at once.
    """
    first, last = kind.numbers
    if kind is DocKind.MEMORY:
        taken = "SELECT max(id) FROM docs WHERE id BETWEEN ? AND ?"
        return int(connection.execute(taken, (first, last)).fetchone()[0] or first) + 1
    first += max(0, int(created // 60) * _MINUTE_DOCS)
    if connection.execute("SELECT 1 FROM docs WHERE id = ?", (first,)).fetchone() is None:
        return first
    row = connection.execute(
        "SELECT id + 1 FROM docs AS one WHERE id >= ?"
        " AND NOT EXISTS (SELECT 1 FROM docs WHERE id = one.id + 1) ORDER BY id LIMIT 1",
        (first,),
    ).fetchone()
    return int(row[0])


def project_number(connection: sqlite3.Connection, path: str) -> int:
    """The number of a project by its path, a new one if need be."""
    connection.execute("INSERT OR IGNORE INTO projects (path) VALUES (?)", (path,))
    number: int = connection.execute("SELECT id FROM projects WHERE path = ?", (path,)).fetchone()[0]
    return number
