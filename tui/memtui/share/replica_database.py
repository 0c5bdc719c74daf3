"""The SQLite database of a replica: its tables, transactions, and errors as `FileProblem`."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memtui.ground.files import FileProblem, existing_above, private_folder

_TABLES = """
create table if not exists records (
    name text primary key, memory text not null, project text not null, data blob not null,
    sent integer not null
) without rowid;
create index if not exists records_of_memory on records (memory);
create index if not exists records_unsent on records (name) where not sent;
create table if not exists arrived (memory text primary key) without rowid;
create table if not exists applied (
    memory text primary key, text text not null, description text not null, tags text not null,
    archived integer not null, deleted integer not null, signature text not null,
    superseded_by text not null default ''
) without rowid;
create table if not exists months (name text primary key, state text not null) without rowid;
create table if not exists facts (key text primary key, value text not null) without rowid;
"""
_APPLIED_COLUMNS = 8
_INDEX = "create index if not exists applied_superseded on applied (superseded_by) where superseded_by <> ''"
_ADD_COLUMN = "alter table applied add column superseded_by text not null default ''"
_WAIT_SECONDS = 30.0


class ReplicaDatabase:
    """An open database, for one thread."""

    def __init__(self, path: Path) -> None:
        """Open it, creating it if it is missing.

        Raises:
            FileProblem: the database cannot be opened.
        """
        private_folder(path.parent, within=existing_above(path.parent))
        self.path = path
        with self._raising():
            self._db = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
            path.chmod(0o600)
            self._db.execute("pragma journal_mode = truncate")  # WAL is not safe in every SQLite
            self._db.execute("pragma synchronous = normal")
            self._db.executescript(_TABLES)
            if len(self._db.execute("pragma table_info(applied)").fetchall()) < _APPLIED_COLUMNS:
                self._db.execute(_ADD_COLUMN)  # tables of an older memtui
            self._db.execute(_INDEX)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read from one snapshot within the block; nothing may be written in it.

        Reading many memories is faster this way. Other writers wait until the block ends.
        """
        with self._raising():
            self._db.execute("begin")
        try:
            yield
        finally:
            with self._raising():
                self._db.execute("commit")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make the changes within the block atomic."""
        with self._raising():
            if self._db.in_transaction:
                yield
                return
            self._db.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")

    def execute(self, statement: str, *values: object) -> None:
        """Make a change."""
        with self._raising():
            self._db.execute(statement, values)

    def execute_many(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Make the same change with several rows of values."""
        with self._raising():
            self._db.executemany(statement, rows)

    def one(self, query: str, *values: object) -> Sequence[object] | None:
        """The first row of a query, None if there is none."""
        with self._raising():
            row: Sequence[object] | None = self._db.execute(query, values).fetchone()
            return row

    def all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._raising(), closing(self._db.execute(query, values)) as cursor:
            return cursor.fetchall()

    def rows(self, query: str, *values: object) -> Generator[tuple[Any, ...], None, None]:
        """The rows of a query as they are read; exhaust or close it before a change."""
        with self._raising(), closing(self._db.execute(query, values)) as cursor:
            yield from cursor

    @contextmanager
    def _raising(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise FileProblem(self.path, f"cannot be used: {error}{_advice(error)}") from error


def _advice(error: sqlite3.Error) -> str:
    """Advice to end a message with. Deleting the database loses the memories that were not sent yet."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "; try again in a moment"
    broken = code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
    return "; delete it, and the next sync makes it again" if broken else ""
