"""The search index: SQLite's full-text search over transcripts and memtui's own documents.

It is made from files and may be deleted at any time. It holds words, not texts: each row names a file, an
offset and a line, and what is shown is read there. Words are stemmed and without accents; Chinese, Japanese
and Korean are indexed by pairs of characters, identifiers also by their parts. Secrets are masked and private
parts left out before anything is indexed.

FTS5 without contents cannot delete before SQLite 3.43: rows that are gone are dropped from `rows`, and the
index is made anew when they are a fifth.
"""

from __future__ import annotations

import io
import math
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memtui.ground.clean import without_surrogates
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileLocked, FileProblem, lock, private_folder, writing
from memtui.ground.project import Home, Places
from memtui.store.listing import Entry
from memtui.store.search_documents import COLUMNS, File, Kind, Source, documents, read_document
from memtui.store.search_query import DOCUMENT_MARK, words_of
from memtui.store.transcripts import HEAD, Sources, cwd_in, first_cwd, is_agent, is_archived, session_of
from memtui.transcript.messages import Message, Role, read_messages

VERSION = 16
WAIT = 2.0  # seconds to wait for another program's lock on the index
_TRANSACTION = 0.05  # seconds of writing after which a transaction ends: readers wait for it
_PART = 100_000  # characters that are written at once
_TITLE = 300
DOCUMENT = 10  # the role of a document's rows
_LOCKED = "is locked by another program; try again when that has ended"
_PROBLEMS = {
    sqlite3.SQLITE_INTERRUPT: "is searched for something else",
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
}
"""What is no reason to make the index anew."""
_DEAD, _FEW = 5, 1000
"""The index is made anew when one row in `_DEAD` is dead, but not for fewer than `_FEW`."""

_TABLES = f"""
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, project TEXT NOT NULL,
    session TEXT NOT NULL, agent TEXT NOT NULL, stem TEXT NOT NULL, -- in the archive
    name TEXT NOT NULL, title TEXT NOT NULL, note TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0, inode INTEGER NOT NULL,
    offset INTEGER NOT NULL DEFAULT 0, line INTEGER NOT NULL DEFAULT 1 -- where reading continues
);
CREATE TABLE rows (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, role INTEGER NOT NULL, turn INTEGER NOT NULL,
    offset INTEGER NOT NULL, line INTEGER NOT NULL, created REAL -- seconds since 1970
);
CREATE INDEX rows_file ON rows (file, turn);
CREATE VIRTUAL TABLE words USING fts5(
    text, path, content='', tokenize='porter unicode61 remove_diacritics 2');
PRAGMA user_version = {VERSION};
"""


class IndexDamaged(Exception):  # noqa: N818 - always answered by making it anew
    """The index is missing, damaged, of another version, or mostly of dead rows."""


Row = tuple[int, int, int, float | None, str, str]
"""A text to index: role, offset, line, seconds since 1970, words, words of its path."""


class Part(NamedTuple):
    """What was read of a file, and where reading continues."""

    file: File
    rows: list[Row]
    offset: int = 0
    line: int = 1


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
                        return _Update(connection, self._places, self._sources, end, progress).run()
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
                for setting in ("trusted_schema = OFF", "cell_size_check = ON", "cache_size = -32000"):
                    connection.execute(f"PRAGMA {setting}")
                connection.execute("PRAGMA temp_store = MEMORY")
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


_NEW = (0, "", "", "", 0, 0, 0, 0, 1)
"""What the index has of a file that is not in it: number, project, name, note, signature, offset, line."""


@dataclass
class _Update:
    """Brings the index up to date with the files."""

    _db: sqlite3.Connection
    _places: Places
    _sources: Sources
    _end: float
    _progress: Callable[[int, int], None] | None
    _began: float = 0.0
    _last: int = 0

    def run(self) -> bool:
        """Documents come first, as they are few; transcripts may name further projects."""
        self._last = self._one("SELECT max(id) FROM words_docsize")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA cache_spill = OFF")  # or readers wait before the transaction ends
        projects = self._documents(set())
        complete = self._bring(
            {path: Source(Kind.SESSION, entry, path=path) for path, entry in self._sources.entries().items()},
            "kind = ?",
        )
        self._documents(projects)
        return complete

    def _documents(self, known: set[str]) -> set[str]:
        """Index the documents of all projects, unless only these are known; returns the projects."""
        found = {each for (each,) in self._db.execute("SELECT DISTINCT project FROM files")}
        found.add(str(self._places.project.root))
        if found != known:
            self._bring(documents(self._places, found), "kind <> ?")
        return found

    def _bring(self, listed: dict[str, Source], which: str) -> bool:
        """Index what is new of all documents, or of all transcripts: `which` are in the index."""
        columns = "path, id, project, name, note, mtime_ns, size, inode, offset, line"
        query = f"SELECT {columns} FROM files WHERE {which}"  # noqa: S608 - ours
        known = {row[0]: row[1:] for row in self._db.execute(query, (Kind.SESSION,))}
        gone = [known[path][0] for path in known.keys() - listed.keys()]
        tasks = []
        for path, source in listed.items():
            number, project, name, note, *signature, offset, line = known.get(path, _NEW)
            if tuple(signature) == source.entry.signature and source.project in ("", project):
                continue
            if _has_grown(source.entry, signature[2], offset):
                source = source._replace(name=name, note=note, offset=offset, line=line)
            elif number:
                gone.append(number)
            tasks.append(source)
        if gone:
            self._forget(gone)
        return self._read(sorted(tasks, key=lambda each: each.entry.mtime_ns))

    def _forget(self, numbers: list[int]) -> None:
        self._begin()
        for number in numbers:
            self._db.execute("DELETE FROM rows WHERE file = ?", (number,))
            self._db.execute("DELETE FROM files WHERE id = ?", (number,))
        live = self._one("SELECT count(*) FROM rows")
        if self._one("SELECT count(*) FROM words_docsize") - live > max(live // (_DEAD - 1), _FEW):
            raise IndexDamaged
        self._commit()

    def _read(self, tasks: list[Source]) -> bool:
        total = sum(each.entry.size - each.offset for each in tasks)
        done = 0
        for source in tasks:
            number = 0
            for part in _parts(source, self._places.home):
                self._begin()
                number = self._put(part, source.entry.inode)
                if time.monotonic() - self._began > _TRANSACTION:
                    self._commit()
                if time.monotonic() > self._end:
                    self._commit()
                    return False
            self._begin()
            self._db.execute(
                "UPDATE files SET mtime_ns = ?, size = ?, inode = ? WHERE id = ?",
                (*source.entry.signature, number),
            )
            done += source.entry.size - source.offset
            if self._progress:
                self._progress(done, total)
        self._commit()
        return True

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
            self._began = time.monotonic()

    def _commit(self) -> None:
        if self._db.in_transaction:
            self._db.execute("COMMIT")

    def _one(self, query: str, *values: int | str) -> int:
        return self._db.execute(query, values).fetchone()[0] or 0

    def _put(self, part: Part, inode: int) -> int:
        """Add a part of a file, which may be new; the file's signature is noted when all of it is read."""
        values = (without_surrogates(getattr(part.file, column)) for column in COLUMNS)
        columns = (*COLUMNS, "inode", "offset", "line")
        places = ", ".join("?" * len(columns))
        given = ", ".join(f"{column} = excluded.{column}" for column in columns)
        query = f"""
            INSERT INTO files ({", ".join(columns)}) VALUES ({places})
            ON CONFLICT DO UPDATE SET {given} RETURNING id
        """  # noqa: S608 - ours
        number = self._one(query, *values, inode, part.offset, part.line)
        turn = self._one("SELECT max(turn) FROM rows WHERE file = ?", number)
        rows, words = [], []
        for role, offset, line, created, text, path in part.rows:
            self._last += 1
            turn += role == Role.ASK
            rows.append((self._last, number, role, turn, offset, line, created))
            words.append((self._last, text, path))
        self._db.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._db.executemany("INSERT INTO words (rowid, text, path) VALUES (?, ?, ?)", words)
        return number


def _has_grown(entry: Entry, inode: int, offset: int) -> bool:
    """Whether a transcript continues what was read of it."""
    if not offset or entry.inode != inode or entry.size < offset or is_archived(entry):
        return False
    with suppress(OSError), entry.path.open("rb") as file:
        file.seek(offset - 1)
        return file.read(1) == b"\n"
    return False


def _parts(source: Source, home: Home) -> Iterator[Part]:
    """The new parts of a file; a transcript that cannot be read has none."""
    if source.kind is not Kind.SESSION:
        found = read_document(source, home)
        moment = found.created.timestamp() if found.created else None
        texts = map(words_of, found.texts)
        yield Part(
            found, [(DOCUMENT, 0, at, moment, text, DOCUMENT_MARK) for at, text in enumerate(texts, 1)]
        )
        return
    with suppress(OSError, FileProblem):
        yield from _transcript_parts(source)


def _transcript_parts(source: Source) -> Iterator[Part]:
    from memtui.transcript.session import SessionSummary, better_name  # only when something is new

    path, entry = Path(source.path), source.entry
    stem = entry.path.with_suffix("") if is_archived(entry) else None
    opened = unpacked(stem) if stem else path  # a copy that is not whole is shown nowhere
    cwd = cwd_in(opened.getvalue()[:HEAD]) if isinstance(opened, io.BytesIO) else first_cwd(path)
    session = session_of(path, entry)
    agent = path.stem if is_agent(path) else ""
    file = File(source.path, Kind.SESSION, str(cwd or ""), session, agent, str(stem or ""), source.name)
    file.note = source.note
    rows: list[Row] = []
    size = 0
    end, number = source.offset, source.line
    for reading in read_messages(opened, source.offset, source.line, agent=bool(agent)):
        end, number = reading.end, reading.next_number
        file.note = reading.branch or file.note
        for message in reading.messages:
            if message.role is Role.TITLE:
                file.name = message.text.strip()[:_TITLE]
                continue
            if message.role is Role.ASK:
                file.name = better_name(file.name, message.text.strip()[:_TITLE])
            rows.append(_row(message, entry))
            size += len(message.text)
        if size > _PART:
            file.title = SessionSummary(file.name, branch=file.note).name
            yield Part(file, rows, end, number)
            rows, size = [], 0
    file.title = SessionSummary(file.name, branch=file.note).name
    yield Part(file, rows, end, number)


def _row(message: Message, entry: Entry) -> Row:
    moment = parse_iso(message.timestamp) if message.timestamp else None
    created = moment.timestamp() if moment else entry.mtime_ns / 1e9
    text, path = words_of(without_surrogates(message.text)), words_of(message.path)
    return message.role, message.offset, message.line, created, text, path


def unpacked(stem: Path) -> io.BytesIO:
    """A stream of an archived transcript; a `FileProblem` if the copy is not whole."""
    from memtui.store.archive import Copy  # most transcripts are not

    return io.BytesIO(b"".join(Copy(stem).parts()))
