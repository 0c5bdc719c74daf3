"""The search index: SQLite's full-text search over transcripts and documents, which are read as messages.

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
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from memtui.documents.pins import parse_pins
from memtui.ground import files
from memtui.ground.clean import without_surrogates
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileLocked, FileProblem, lock, writing
from memtui.ground.project import SLUG_LENGTH, Places, Project, find_root, transcript_slug
from memtui.ground.text import FormatError, opening
from memtui.secrets.secrets import masked
from memtui.store import listing
from memtui.store.claude_memory import MARKDOWN, body_of, fields_of, memory_folder
from memtui.store.listing import Entry
from memtui.store.search_query import DOCUMENT_MARK, Kind, words_of
from memtui.store.states import SESSION, newest_version, project_path
from memtui.store.transcripts import Sources, cwd_in, first_cwd, is_agent, is_archived, is_text, session_of
from memtui.transcript.messages import Message, Reading, Role, read_messages

VERSION = 20
WAIT = 2.0  # seconds to wait for another program's lock on the index
_SETTINGS = ("trusted_schema = OFF", "cell_size_check = ON", "cache_size = -32000", "temp_store = MEMORY")
_TRANSACTION = 0.25  # seconds of reading that are committed at once
_LOCKED = "is locked by another program; try again when that has ended"
_PROBLEMS = {  # what is no reason to make the index anew
    sqlite3.SQLITE_INTERRUPT: "is searched for something else",
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
}
_DEAD, _FEW = 5, 1000  # the index is made anew when one row in `_DEAD` is dead, but not for fewer than `_FEW`
_LIMIT = 8 << 20  # the most bytes of a document that are searched
_TITLE = 300
_BROKEN = "broken"
_PINS = re.compile(r"pins\.md")


@dataclass(slots=True)
class File:
    """A file in the index; secrets are masked."""

    path: str = ""
    kind: Kind = Kind.SESSION
    project: str = ""
    session: str = ""
    agent: str = ""  # the subagent whose transcript it is, by its name
    stem: str = ""  # where the archive has it, if Claude Code has deleted it
    name: str = ""  # Recovery ID, else the file's name; of a session what it is named by, without its branch
    title: str = ""
    note: str = ""  # a session's branch, tags, a memory's kind, a capture's status, what a file was stored as
    mtime_ns: int = 0  # with `size`: of what is indexed as a whole
    size: int = 0
    inode: int = 0
    offset: int = 0
    line: int = 1  # where reading continues
    id: int | None = None

    def take(self, reading: Reading) -> None:
        """Note where reading continues, and name a session: as it is called, else after what was asked."""
        self.offset, self.line = reading.end, reading.next_number
        self.note = reading.branch or self.note
        for message in reading.messages:
            if message.role in (Role.TITLE, Role.ASK):
                from memtui.transcript.session import SessionSummary, better_name  # if something is new

                text = message.text.strip()[:_TITLE]
                self.name = text if message.role is Role.TITLE else better_name(self.name, text)
                self.title = SessionSummary(self.name, branch=self.note).name


_TABLES = f"""
CREATE TABLE files ({", ".join(File.__slots__)} INTEGER PRIMARY KEY, UNIQUE (path));
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
_PUT = f"REPLACE INTO files VALUES ({', '.join('?' * len(File.__slots__))}) RETURNING id"  # noqa: S608
Progress = Callable[[int, int], None] | None  # called with the bytes done and the bytes to do


class IndexDamaged(Exception):  # noqa: N818 - always answered by making it anew
    """The index is missing, damaged, of another version, or mostly of dead rows."""


class SearchIndex:
    """The index of all projects; any number of processes may read it, and one at a time writes."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.path = places.home.search_index
        self._sources = Sources(places.home, places.claude)
        self.looked, self.complete = -math.inf, True  # when it was updated last, and whether that was all

    def update(self, *, budget: float = math.inf, progress: Progress = None) -> bool:
        """Index new and changed files, last written last: the ids of rows are in the order of time.

        False if another process is indexing, or the seconds of `budget` ran out: what was indexed stays.
        """
        end, complete = time.monotonic() + budget, False
        files.private_folder(self.path.parent)
        with suppress(FileLocked), lock(self.path, timeout=0):
            for _ in range(2):
                with suppress(IndexDamaged), self.reading() as connection:
                    complete = _Update(connection, end).run(self._places, self._sources, progress)
                    break
                self._create()
            else:
                raise FileProblem(self.path, "is damaged again and again; is the disk full or failing?")
        self.complete, self.looked = complete, time.monotonic()
        return complete

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
    """Brings the index up to date with the files, under the lock.

    Transactions are open while files are read: nothing is on disk before their ends, and readers wait for
    these alone.
    """

    def __init__(self, db: sqlite3.Connection, end: float) -> None:
        self._db, self._end, self._begun = db, end, time.monotonic()
        db.executescript("PRAGMA synchronous = NORMAL; PRAGMA cache_spill = OFF; BEGIN IMMEDIATE;")
        self._last = self._one("SELECT max(id) FROM words_docsize")

    def run(self, places: Places, sources: Sources, progress: Progress) -> bool:
        """Index what is new; once more if that names further projects."""
        known, complete, root = set[str](), True, str(places.project.root)
        query = "SELECT DISTINCT project FROM files"
        while complete and (found := {root, *(each for (each,) in self._db.execute(query))}) != known:
            known = found
            complete = self._bring(listed(places, sources, known), progress)
        self._db.execute("COMMIT")
        return complete

    def _bring(self, found: dict[str, tuple[File, Entry]], progress: Progress) -> bool:
        """Documents come first, as they are few; else what was written last comes last."""
        known, tasks = {file.path: file for file in files_of(self._db)}, []
        for path, (new, entry) in found.items():
            file = known.pop(path, new)
            known_as = (file.mtime_ns, file.size, file.inode)
            if known_as == entry.signature and new.project in ("", file.project):
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
            if progress:
                progress(done, total)
        return True

    def _take(self, file: File, lines: Iterable[Reading], entry: Entry) -> bool:
        """Read a file; False if the time is over."""
        file.inode, written = entry.inode, entry.mtime_ns / 1e9
        lines, found = iter(lines), list[Message]()
        begun = [*islice(lines, 1)]  # what cannot be read at all is not noted: it would be written each time
        try:
            for reading in chain(begun, lines):
                file.take(reading)
                found += reading.messages
                if time.monotonic() > min(self._end, self._begun + _TRANSACTION):
                    self._put(file, found, written)
                    found = []
                    self._db.execute("COMMIT")
                    self._db.execute("BEGIN IMMEDIATE")
                    self._begun = time.monotonic()
                    if self._begun > self._end:
                        return False
        except (OSError, FileProblem):  # not after SQLite's errors: they may have taken the rows back
            self._put(file, found, written)
            raise
        file.mtime_ns, file.size, file.inode = entry.signature  # all of it is read
        self._put(file, found, written)
        return True

    def _forget(self, paths: Iterable[str]) -> None:
        gone = [(path,) for path in paths]
        self._db.executemany("DELETE FROM rows WHERE file = (SELECT id FROM files WHERE path = ?)", gone)
        self._db.executemany("DELETE FROM files WHERE path = ?", gone)
        live = self._one("SELECT count(*) FROM rows")
        if self._one("SELECT count(*) FROM words_docsize") - live > max(live // (_DEAD - 1), _FEW):
            raise IndexDamaged

    def _one(self, query: str, *values: object) -> int:
        ((value,),) = self._db.execute(query, values)
        return value or 0

    def _put(self, file: File, messages: Iterable[Message], written: float) -> None:
        """Note how far a file is read, and index its next messages; calls for each line would take longer."""
        values = (getattr(file, name) for name in File.__slots__)
        file.id = self._one(_PUT, *(without_surrogates(v) if isinstance(v, str) else v for v in values))
        turn = self._one("SELECT max(turn) FROM rows WHERE file = ?", file.id)
        rows, words = [], []
        for role, text, path, offset, line, stamp in messages:
            if role is not Role.TITLE:
                self._last += 1
                turn += role == Role.ASK
                moment = parse_iso(stamp) if stamp else None
                created = moment.timestamp() if moment else None if role is Role.DOCUMENT else written
                rows.append((self._last, file.id, role, turn, offset, line, created))
                words.append((self._last, words_of(text), words_of(path)))
        self._db.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._db.executemany("INSERT INTO words (rowid, text, path) VALUES (?, ?, ?)", words)


def files_of(db: sqlite3.Connection, of: str = "", *values: object) -> Iterator[File]:
    """The files in the index, or those `of` a condition."""
    for path, kind, *rest in db.execute(f"SELECT * FROM files {of}", values):  # noqa: S608 - ours
        yield File(path, Kind(kind), *rest)


def _has_grown(entry: Entry, file: File) -> bool:
    """Whether a transcript continues what was read of it."""
    if not file.offset or entry.inode != file.inode or entry.size < file.offset or is_archived(entry):
        return False
    with suppress(OSError), entry.path.open("rb") as opened_file:
        opened_file.seek(file.offset - 1)
        return opened_file.read(1) == b"\n"
    return False


def listed(places: Places, sources: Sources, folders: Iterable[str]) -> dict[str, tuple[File, Entry]]:
    """All files to search by their paths; `folders` are some in known projects, only absolute ones count.

    Of an archived transcript it is the file of the archive. A project is noted if the place tells it. Other
    folders than that of memories are left out if they cannot be listed.
    """
    home, projects = places.home, places.claude / "projects"
    roots = set[Path]()
    for name in filter(os.path.isabs, folders):
        with suppress(OSError, ValueError, RuntimeError):
            roots.add(find_root(Path(name)))
    slugs = {transcript_slug(root)[:SLUG_LENGTH]: str(root) for root in roots}
    months, own = listing.scan(home.memories, listing.MONTH_NAME), _in(projects, listing.ANY_NAME)
    where = [(Kind.MEMORY, each.path, listing.STORED_NAME, "") for each in months]
    for folder in (memory_folder(places), *(each.path / "memory" for each in own)):
        above = folder.parent  # those of an unknown project belong to Claude Code's folder of it
        project = slugs.get(above.name, str(above)) if above.parent == projects else ""
        where.append((Kind.CLAUDE, folder, MARKDOWN, project))
    for root in roots:
        of = Project(root)
        names = {Kind.CAPTURE: listing.CAPTURE_NAME, Kind.FILE: listing.MEMORY_FILE_NAME}
        where += [(kind, of.compacts, name, str(root)) for kind, name in names.items()]
        where.append((Kind.PIN, of.pins.parent, _PINS, str(root)))
    where.append((Kind.PIN, home.pins.parent, _PINS, ""))
    states = (newest_version(home, each.name) for each in _in(home.states, SESSION))
    some = [(Kind.STATE, newest, "") for newest in states if newest]
    for kind, folder, pattern, project in where:
        within = Path(project) if project and kind is not Kind.CLAUDE else None
        some += ((kind, each, project) for each in _in(folder, pattern, within))
    found = {path: (File(path), entry) for path, entry in sources.entries().items()}
    for kind, entry, project in some:
        path = f"{entry.folder}{os.sep}{entry.name}"
        found[path] = File(path, kind, project, name=entry.name, title=entry.name), entry
    return {path: each for path, each in found.items() if is_text(path)}


def _in(folder: Path, names: re.Pattern[str], within: Path | None = None) -> list[Entry]:
    with suppress(FileProblem):  # its pane reports the problem
        return listing.scan(folder, names, within=within)
    return []


def opened(file: File, entry: Entry) -> Iterable[Reading]:
    """The messages of a new or changed file, which is described; a broken document by its name and text."""
    path = Path(file.path)
    if file.kind is Kind.SESSION:
        file.stem = str(entry.path.with_suffix("")) if is_archived(entry) else ""
        copy = _unpacked(file.stem) if file.stem else None  # one that is not whole is shown nowhere
        file.project = str((cwd_in(copy.getvalue()) if copy else first_cwd(path)) or "")
        file.agent, file.session = path.stem if is_agent(path) else "", session_of(path, entry)
        return readings(file)
    text, created = text_of(file), "" if file.kind is Kind.PIN else (entry.time or entry.written).isoformat()
    try:
        created = _describe(file, entry, text) or created
    except FormatError:
        file.note = _BROKEN
    return _reading(file, text, created)


def readings(file: File, start: int = 0, first: int = 1, *, few: bool = False) -> Iterable[Reading]:
    """The messages of a file; of a transcript those from line `first` at `start` on."""
    if file.kind is not Kind.SESSION:
        return _reading(file, text_of(file))
    source = _unpacked(file.stem) if file.stem else Path(file.path)
    return read_messages(source, start, first, agent=bool(file.agent), few=few)


def _unpacked(stem: str) -> io.BytesIO:
    from memtui.store.archive import Copy  # most transcripts are not

    return io.BytesIO(b"".join(Copy(Path(stem)).parts()))


def text_of(file: File) -> str:
    """A document, masked; "" if it is there and cannot be read."""
    path = Path(file.path)
    root = path.parents[2] if file.kind in (Kind.MEMORY, Kind.STATE) else path.parent
    if file.project and file.kind in (Kind.CAPTURE, Kind.FILE, Kind.PIN):
        root = Path(file.project)
    try:
        data = files.read_within(path, root, limit=_LIMIT, follow=False)
    except files.FileMissing:
        raise
    except FileProblem:
        return ""
    return masked(data.decode("utf-8", "replace")).removeprefix("\ufeff")


def _reading(file: File, text: str, created: str = "") -> list[Reading]:
    if file.kind in (Kind.MEMORY, Kind.CLAUDE) and file.note != _BROKEN:  # of others it is what stands there
        more = file.note if file.kind is Kind.MEMORY else fields_of(text).get("name", "")
        body, title = body_of(text), file.title if file.title != file.name else ""
        text = "\n".join((*(each for each in (more, title) if each and each not in body), body))
    texts = [pin.text for pin in parse_pins(text)] if file.kind is Kind.PIN else [f"{file.name}\n{text}"]
    found = enumerate(texts, 1)
    return [Reading([Message(Role.DOCUMENT, one, DOCUMENT_MARK, 0, at, created) for at, one in found], 0, 1)]


def _describe(file: File, entry: Entry, text: str) -> str:
    """Note what a document says about itself; returns when it was made, "" if it does not say."""
    # Formats are imported where one is read: that takes longer than a search.
    if file.kind is Kind.MEMORY:
        from memtui.store.memories import id_of, read_stored, title_of

        file.name = file.title = id_of(entry)
        stored = read_stored(file.name, text.encode())
        file.title, file.note = title_of(stored), " ".join(f"#{tag}" for tag in stored.meta.tags)
        file.project, file.session = stored.meta.project, stored.meta.session_id
        return stored.meta.created.isoformat()
    if file.kind is Kind.CLAUDE:
        fields = fields_of(text)
        file.title = fields.get("description") or fields.get("name") or entry.name
        file.note = fields.get("type", "")
    elif file.kind is Kind.FILE:
        from memtui.documents.memory_file import parse_memory

        file.title, file.note = entry.name.removesuffix(".md"), listing.stored_id(text.encode())
        file.title = parse_memory(text).title or file.title
    elif file.kind is Kind.CAPTURE:
        from memtui.documents.capture import parse_capture
        from memtui.transcript.short_text import without_persona

        capture = parse_capture(text)
        file.session, file.note = capture.session_id, capture.status
        file.title = opening(without_persona(capture.first_message)) or entry.name
        return capture.timestamp.isoformat()
    elif file.kind is Kind.STATE:
        from memtui.documents.session_state import parse_session_state
        from memtui.documents.work import goal_words

        file.name = file.session = Path(entry.folder).name
        file.title, file.note = f"session {file.session[:8]}", entry.name.removesuffix(".md")
        identity = parse_session_state(text).identity
        file.project, file.title = project_path(identity.project), goal_words(identity.goal) or file.title
    return ""
