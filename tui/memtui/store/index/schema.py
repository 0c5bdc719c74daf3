"""The database of the search index: its tables, and opening it.

Everything in it comes from files, so it may be deleted at any time. An unexpected database is deleted and
rebuilt.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Any

from memtui.ground.clean import without_surrogates

VERSION = 7
"""Version of the tables and of folding. A file with another one is rebuilt."""

GRAM = 3
"""Length of the index's words: all runs of this many characters of each text."""
PADDING = "  "
"""Appended to each text, so that every character begins a word; folded texts have no double blanks."""
BREAK = "\x01"
"""Precedes each passage in a turn's folded text, followed by its mark; no query contains it."""

_EARLIER = "sessions.db"
"""A file next to it where earlier versions stored transcripts."""

_MARK = 0x6D656D74
"""`application_id`: "memt"."""
_ROOM = 1 << 40
"""Size of the number range of each kind."""


class DocKind(IntEnum):
    """The kinds of documents. Each has a range of numbers, so that it can be searched separately."""

    TURN = 0
    """A stretch of a turn of a transcript. These come first: they are by far the most."""
    MEMORY = 1
    FILE = 2
    """A memory file of a review."""
    CAPTURE = 3
    STATE = 4
    """A session's current state document."""
    PINS = 5
    """A file of pins."""

    @property
    def numbers(self) -> tuple[int, int]:
        """The first and last number of a document of this kind."""
        return self * _ROOM + 1, (self + 1) * _ROOM - 1

    @classmethod
    def of(cls, number: int) -> DocKind:
        """The kind of a document by its number."""
        return cls(number // _ROOM)


_TABLES = """
CREATE TABLE state (              -- of each kind
    kind INTEGER PRIMARY KEY,
    docs INTEGER NOT NULL,        -- documents in the index
    bytes INTEGER NOT NULL,       -- of their folded texts
    generation INTEGER NOT NULL   -- grows with every change
);
CREATE TABLE projects (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE sources (            -- files
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind INTEGER NOT NULL,            -- of its documents
    mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL,
    project INTEGER NOT NULL,
    session TEXT NOT NULL DEFAULT '', -- the session's id
    title TEXT NOT NULL DEFAULT '',   -- of transcripts: the first ask,
    place TEXT NOT NULL DEFAULT '',   -- where the last document begins, as JSON,
    last INTEGER NOT NULL DEFAULT 0   -- and the number of that document
);
CREATE INDEX sources_session ON sources (session);
CREATE TABLE docs (               -- what was read from them
    id INTEGER PRIMARY KEY,       -- see `DocKind`
    source INTEGER NOT NULL,
    created REAL NOT NULL,        -- seconds since 1970
    length INTEGER NOT NULL,      -- bytes of the folded text
    head INTEGER NOT NULL,        -- of them what is said about the text, before it
    archived INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    project INTEGER NOT NULL,
    tags TEXT NOT NULL,           -- casefolded, a line each, with a newline before and behind
    turn INTEGER NOT NULL DEFAULT 0,
    passages BLOB                 -- what a part of a transcript says and where, as JSON that is compressed
);
CREATE INDEX docs_source ON docs (source);
CREATE INDEX docs_created ON docs (created);
CREATE INDEX docs_project ON docs (project);
CREATE INDEX docs_archived ON docs (archived) WHERE archived;
-- Positions are left out: they would make it three times as large, and comparing texts costs less.
CREATE VIRTUAL TABLE words USING fts5 (
    text, detail='none', columnsize=0, tokenize='trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE word_places USING fts5vocab (words, instance);
"""

_UNAVAILABLE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}


BUSY = 1.0
"""Seconds to wait for another program's lock on the database; after that the files are searched instead."""


class IndexUnavailable(Exception):  # noqa: N818 - nothing is wrong: the index is left out for this time
    """The index cannot be used now: it is locked, missing or read-only."""


class IndexBroken(Exception):  # noqa: N818 - said by `sqlite3` in many ways, and always answered alike
    """The index is damaged or of another version, and has to be rebuilt."""


def index_error(error: Exception) -> IndexUnavailable | IndexBroken:
    """The index error for an error of `sqlite3` or of reading its results."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code != sqlite3.SQLITE_IOERR_SHORT_READ and code & 0xFF in _UNAVAILABLE:
        return IndexUnavailable(str(error))
    return IndexBroken(str(error))


def is_sound(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds the file intact."""
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


def wal_is_safe(version: tuple[int, ...]) -> bool:
    """Whether this SQLite has the write-ahead log without the bug that corrupts it (sqlite.org/wal.html)."""
    return version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)


class _Connection(sqlite3.Connection):
    """Closed with its thread; Python 3.13 warns of connections left open.

    Paths that are not UTF-8 hold lone surrogates in Python; they are bound with a replacement sign.
    """

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """As its base class does."""
        try:
            return super().execute(sql, parameters)
        except UnicodeEncodeError:
            bound = [without_surrogates(each) if isinstance(each, str) else each for each in parameters]
            return super().execute(sql, bound)

    def __del__(self) -> None:
        with suppress(sqlite3.Error):
            self.close()


def connect(path: Path, *, timeout: float = BUSY) -> sqlite3.Connection:
    """Open an existing index.

    Raises:
        IndexUnavailable: it is missing, or cannot be opened now.
        IndexBroken: it is not an index, or one of another version.
    """
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=timeout,
            isolation_level=None,
            factory=_Connection,
        )
    except sqlite3.Error as error:
        raise index_error(error) from error
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -16000")
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if (mark, version) != (_MARK, VERSION):
            raise IndexBroken("made by another version")
    except sqlite3.Error as error:
        connection.close()
        raise index_error(error) from error
    except IndexBroken:
        connection.close()
        raise
    return connection


def create(path: Path) -> None:
    """Make an empty index, replacing any file; the caller holds its lock.

    Raises:
        IndexUnavailable: nothing can be written there.
    """
    try:
        remove(path)
        with suppress(OSError):
            remove(path.with_name(_EARLIER))
            path.with_name(f"{_EARLIER}.mark").unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600))
        connection = sqlite3.connect(path, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise IndexUnavailable(str(error)) from error
    try:
        connection.execute("PRAGMA page_size = 8192")
        mode = "WAL" if wal_is_safe(sqlite3.sqlite_version_info) else "DELETE"
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.executescript(
            f"BEGIN IMMEDIATE; {_TABLES}"
            f"PRAGMA application_id = {_MARK}; PRAGMA user_version = {VERSION}; COMMIT;"
        )
    except sqlite3.Error as error:
        raise IndexUnavailable(str(error)) from error
    finally:
        connection.close()


def remove(path: Path) -> None:
    """Delete an index and SQLite's files next to it.

    Raises:
        OSError: it cannot be deleted.
    """
    for beside in ("-journal", "-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + beside).unlink()
