"""Changing the search index in transactions. The caller holds the write lock."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memtui.store.folding import fold
from memtui.store.index.files import Document
from memtui.store.index.schema import PADDING


class Known(NamedTuple):
    """A file in the index."""

    mtime_ns: int
    size: int
    inode: int
    id: int


class State(NamedTuple):
    """The state of the index; see `schema`."""

    docs: int
    bytes: int
    generation: int


class Fresh(NamedTuple):
    """A memory to index."""

    name: str
    document: Document


def read_state(connection: sqlite3.Connection) -> State:
    """The state as it is in the database."""
    docs, size, generation = connection.execute("SELECT docs, bytes, generation FROM state").fetchone()
    return State(int(docs), int(size), int(generation))


def read_known(connection: sqlite3.Connection) -> dict[str, Known]:
    """All files in the index by their names."""
    rows = connection.execute(
        "SELECT name, mtime_ns, size, inode, docs.id FROM sources JOIN docs ON docs.source = sources.id"
    )
    return {row[0]: Known(*row[1:]) for row in rows}


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
    """Remove memories and add others, replacing those of the same name."""
    folded = [(fold(one.document.head), fold(one.document.body)) for one in fresh]
    with writing(connection):
        for name in (*gone, *(one.name for one in fresh)):
            row = connection.execute("DELETE FROM sources WHERE name = ? RETURNING id", (name,)).fetchone()
            if row is not None:
                take_out(connection, "source = ?", row[0])
        put_texts(
            connection,
            [
                _insert(connection, one, head, f"{head} {body}")
                for one, (head, body) in zip(fresh, folded, strict=True)
            ],
        )


def put_texts(connection: sqlite3.Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Put the folded texts of new documents in by their numbers, and count the change.

    All at once and at the end: FTS5 writes out what it has gathered whenever another statement changes
    something, and then takes four times as long.
    """
    connection.executemany(
        "INSERT INTO words (rowid, text) VALUES (?, ?)", ((number, text + PADDING) for number, text in texts)
    )
    connection.execute(
        "UPDATE state SET docs = docs + ?, bytes = bytes + ?, generation = generation + 1",
        (len(texts), sum(len(text.encode()) for _, text in texts)),
    )


def take_out(connection: sqlite3.Connection, condition: str, value: int) -> None:
    """Remove documents from the index."""
    deleted = f"DELETE FROM docs WHERE {condition} RETURNING id, length"  # noqa: S608
    rows = connection.execute(deleted, (value,)).fetchall()
    connection.executemany("DELETE FROM words WHERE rowid = ?", ((row[0],) for row in rows))
    connection.execute(
        "UPDATE state SET docs = docs - ?, bytes = bytes - ?", (len(rows), sum(row[1] for row in rows))
    )


def _insert(connection: sqlite3.Connection, one: Fresh, head: str, text: str) -> tuple[int, str]:
    """Put a memory in, without its text; returns its number and the text."""
    entry, meta = one.document.entry, one.document.listed.meta
    source = connection.execute(
        "INSERT INTO sources (name, mtime_ns, size, inode) VALUES (?, ?, ?, ?)",
        (one.name, entry.mtime_ns, entry.size, entry.inode),
    ).lastrowid
    number = connection.execute(
        "INSERT INTO docs (source, created, length, head, archived, pinned, project, tags)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            source,
            one.document.created,
            len(text.encode()),
            len(head.encode()),
            meta.archived,
            meta.pinned,
            project_number(connection, meta.project),
            "\n".join(("", *one.document.tags, "")),
        ),
    ).lastrowid
    assert number is not None
    return number, text


def project_number(connection: sqlite3.Connection, path: str) -> int:
    """The number of a project by its path, a new one if need be."""
    connection.execute("INSERT OR IGNORE INTO projects (path) VALUES (?)", (path,))
    number: int = connection.execute("SELECT id FROM projects WHERE path = ?", (path,)).fetchone()[0]
    return number
