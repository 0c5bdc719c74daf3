"""The search index: SQLite's full-text search over transcripts and memtui's own documents.

It is made from files and may be deleted at any time. It holds words, not texts: each row names a file, an
offset and a line, and what is shown is read there. Words are stemmed and without accents; Chinese, Japanese
and Korean are indexed by pairs of characters, identifiers also by their parts. Secrets are masked and private
parts left out before anything is indexed.

FTS5 without contents cannot delete before SQLite 3.43: rows that are gone are dropped from `rows`, and the
index is made anew when they are a fifth.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress

from memtui.ground.clean import without_surrogates
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileLocked, FileProblem, lock, private_folder, writing
from memtui.ground.project import Places
from memtui.store.listing import Entry
from memtui.store.search_documents import File, Kind, listed, opened, readings
from memtui.store.search_query import words_of
from memtui.store.transcripts import Sources, is_archived
from memtui.transcript.messages import Message, Reading, Role

VERSION = 18
WAIT = 2.0  # seconds to wait for another program's lock on the index
_SETTINGS = ("trusted_schema = OFF", "cell_size_check = ON", "cache_size = -32000", "temp_store = MEMORY")
_TRANSACTION = 0.05  # seconds of reading whose messages are written at once: readers wait for it
_LOCKED = "is locked by another program; try again when that has ended"
_PROBLEMS = {  # what is no reason to make the index anew
    sqlite3.SQLITE_INTERRUPT: "is searched for something else",
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
}
_DEAD, _FEW = 5, 1000  # the index is made anew when one row in `_DEAD` is dead, but not for fewer than `_FEW`
_COLUMNS = ", ".join(File.__slots__)
_TABLES = f"""
CREATE TABLE files (id INTEGER PRIMARY KEY, {_COLUMNS}, UNIQUE (path));
CREATE TABLE rows (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, role INTEGER NOT NULL, turn INTEGER NOT NULL,
    offset INTEGER NOT NULL, line INTEGER NOT NULL, created REAL -- seconds since 1970
);
CREATE INDEX files_session ON files (session);
CREATE INDEX rows_file ON rows (file, turn);
CREATE VIRTUAL TABLE words USING fts5(
    text, path, content='', tokenize='porter unicode61 remove_diacritics 2');
PRAGMA user_version = {VERSION};
"""
_PUT = f"""INSERT INTO files ({_COLUMNS}) VALUES ({", ".join("?" * len(File.__slots__))})
    ON CONFLICT DO UPDATE SET {", ".join(f"{each} = excluded.{each}" for each in File.__slots__)} RETURNING id
"""  # noqa: S608 - ours


class IndexDamaged(Exception):  # noqa: N818 - always answered by making it anew
    """The index is missing, damaged, of another version, or mostly of dead rows."""


class SearchIndex:
    """The index of all projects; any number of processes may read it, and one at a time writes."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.path = places.home.search_index
        self._sources = Sources(places.home, places.claude)

    def update(self, *, budget: float = math.inf, progress: Callable[[int, int], None] | None = None) -> bool:
        """Index new and changed files, last written last: the ids of rows are in the order of time.

        False if another process is indexing, or the seconds of `budget` ran out: what was indexed stays.
        `progress` is called with the bytes done and the bytes to do.
        """
        end = time.monotonic() + budget
        private_folder(self.path.parent)
        with suppress(FileLocked), lock(self.path, timeout=0):
            for _ in range(2):
                try:
                    with self.reading() as connection:
                        return _Update(connection, end, progress).run(self._places, self._sources)
                except IndexDamaged:
                    self._create()
            raise FileProblem(self.path, "is damaged again and again; is the disk full or failing?")
        return False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read from; `IndexDamaged` if it has to be made anew, by `update`."""
        try:
            uri = f"{self.path.absolute().as_uri()}?mode=rw"
            with closing(sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None)) as connection:
                for setting in _SETTINGS:
                    connection.execute(f"PRAGMA {setting}")
                if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
                    raise IndexDamaged
                yield connection
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if problem := _PROBLEMS.get(code):
                raise FileProblem(self.path, problem) from error
            # Not without these: another process may be making what was not there a moment ago.
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                self.path.unlink(missing_ok=True)  # `update` might not come upon the damage
            raise IndexDamaged from error

    def delete(self) -> None:
        """Delete it. Removing rows would leave their words in the file."""
        if self.path.parent.is_dir():
            with lock(self.path, timeout=WAIT), writing(self.path):
                self._remove()

    def has(self, session_id: str) -> bool:
        """Whether it has anything of a session; memories and memory files do not count."""
        with suppress(IndexDamaged, FileProblem), self.reading() as connection:
            query = "SELECT 1 FROM files WHERE session = ? AND kind <> ?"
            return connection.execute(query, (session_id, Kind.MEMORY)).fetchone() is not None
        return False

    def _create(self) -> None:
        with writing(self.path):
            self._remove()
            self.path.touch(0o600, exist_ok=False)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            # No write-ahead log: before SQLite 3.51.3 two writers can corrupt it.
            connection.executescript(f"PRAGMA page_size = 8192; BEGIN; {_TABLES} COMMIT;")

    def _remove(self) -> None:
        for ending in ("-journal", ""):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)


class _Update:
    """Brings the index up to date with the files."""

    def __init__(
        self, db: sqlite3.Connection, end: float, progress: Callable[[int, int], None] | None
    ) -> None:
        self._db, self._end, self._progress = db, end, progress
        self._read: dict[str, tuple[File, list[Message], float]] = {}  # to be written, and when they were
        self._written = time.monotonic()
        self._last = self._one("SELECT max(id) FROM words_docsize")
        db.executescript("PRAGMA synchronous = NORMAL; PRAGMA cache_spill = OFF;")  # or readers wait longer

    def run(self, places: Places, sources: Sources) -> bool:
        """Index what is new; once more if that names further projects."""
        known, complete, root = set[str](), True, str(places.project.root)
        query = "SELECT DISTINCT project FROM files"
        while complete and (found := {root, *(each for (each,) in self._db.execute(query))}) != known:
            known = found
            complete = self._bring(listed(places, sources, known))
        return complete

    def _bring(self, found: dict[str, tuple[File, Entry]]) -> bool:
        """Documents come first, as they are few; else what was written last comes last."""
        known, tasks = {file.path: file for _, file in files_of(self._db)}, []
        for path, (new, entry) in found.items():
            file = known.pop(path, new)
            if file.signature == entry.signature and new.project in ("", file.project):
                continue
            if file is not new and not _has_grown(entry, file):
                known[path], file = file, new
            tasks.append((new.kind is Kind.SESSION, entry.mtime_ns, entry, file))
        if known:  # they are gone, or made anew
            self._forget(known)
        done, total = 0, sum(entry.size - file.offset for *_, entry, file in tasks)
        for *_, entry, file in sorted(tasks, key=lambda task: task[:2]):
            done += entry.size - file.offset
            with suppress(OSError, FileProblem):  # what cannot be read is not found
                lines = readings(file, file.offset, file.line) if file.offset else opened(file, entry)
                if not self._take(file, lines, entry):
                    return False
            if self._progress:
                self._progress(done, total)
        self._write()
        return True

    def _take(self, file: File, lines: Iterable[Reading], entry: Entry) -> bool:
        """Read a file; False if the time is over."""
        file.inode = entry.inode
        for reading in lines:
            file.take(reading)
            _, messages, _ = self._read.setdefault(file.path, (file, [], entry.mtime_ns / 1e9))
            messages += (each for each in reading.messages if each.role is not Role.TITLE)
            if time.monotonic() - self._written > _TRANSACTION:
                self._write()
                if self._written > self._end:
                    return False
        file.mtime_ns, file.size, file.inode = entry.signature  # all of it is read
        self._read.setdefault(file.path, (file, [], entry.mtime_ns / 1e9))
        return True

    def _forget(self, paths: Iterable[str]) -> None:
        gone = [(path,) for path in paths]
        with self._db:  # ends the transaction
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("DELETE FROM rows WHERE file = (SELECT id FROM files WHERE path = ?)", gone)
            self._db.executemany("DELETE FROM files WHERE path = ?", gone)
            live = self._one("SELECT count(*) FROM rows")
            if self._one("SELECT count(*) FROM words_docsize") - live > max(live // (_DEAD - 1), _FEW):
                raise IndexDamaged

    def _write(self) -> None:
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for file, messages, written in self._read.values():
                self._put(file, messages, written)
        self._read.clear()
        self._written = time.monotonic()

    def _one(self, query: str, *values: object) -> int:
        return self._db.execute(query, values).fetchone()[0] or 0

    def _put(self, file: File, messages: list[Message], written: float) -> None:
        values = [getattr(file, name) for name in File.__slots__]
        values = [without_surrogates(each) if isinstance(each, str) else each for each in values]
        number = self._one(_PUT, *values)
        turn = self._one("SELECT max(turn) FROM rows WHERE file = ?", number)
        rows, words = [], []
        for role, text, path, offset, line, stamp in messages:
            self._last += 1
            turn += role == Role.ASK
            moment = parse_iso(stamp) if stamp else None
            created = moment.timestamp() if moment else None if role is Role.DOCUMENT else written
            rows.append((self._last, number, role, turn, offset, line, created))
            words.append((self._last, words_of(text), words_of(path)))
        self._db.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._db.executemany("INSERT INTO words (rowid, text, path) VALUES (?, ?, ?)", words)


def files_of(db: sqlite3.Connection, of: str = "", *values: object) -> Iterator[tuple[int, File]]:
    """The files in the index by their numbers, or those `of` a condition."""
    for number, path, kind, *rest in db.execute(f"SELECT id, {_COLUMNS} FROM files {of}", values):  # noqa: S608
        yield number, File(path, Kind(kind), *rest)


def _has_grown(entry: Entry, file: File) -> bool:
    """Whether a transcript continues what was read of it."""
    if not file.offset or entry.inode != file.inode or entry.size < file.offset or is_archived(entry):
        return False
    with suppress(OSError), entry.path.open("rb") as opened_file:
        opened_file.seek(file.offset - 1)
        return opened_file.read(1) == b"\n"
    return False
