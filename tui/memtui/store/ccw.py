"""Memories of ccw (Claude-Code-Workflow, where seeds 000 and 004 come from), read from its database.

``core_memory.db`` has a table ``memories(id, content, summary, raw_output, created_at, updated_at, archived,
metadata, tags)``. Nothing is written to it, nor beside it where that can be avoided.

The file is untrusted. Only plain columns of a real table are read, so that nothing defined in the file is
executed, and no more than `MOST` bytes in `READ_SECONDS`.
"""

from __future__ import annotations

import json
import re
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memtui.formats.stored_memory import RECOVERY_ID, moment_of
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem, FileTooLarge
from memtui.ground.files.problems import reading
from memtui.ground.files.safe import human_size
from memtui.store.base import Filter, IdTaken, MemoryBackend, MemoryMissing, New, Which

SOURCE = "ccw"
"""The `source` in the front matter of these memories."""

READ_SECONDS = 30.0
"""The longest time that reading may take."""

MOST = 512 << 20
"""Maximum size of all memories together in bytes; each counts `_ROW` more."""

LONGEST = 64 << 20
"""Maximum size of a value that SQLite returns, in bytes."""

_ROW = 1000
_STEPS = 10_000
"""SQLite's instructions between two time checks: some tenth of a millisecond."""
_COLUMNS = (
    "id",
    "content",
    "summary",
    "raw_output",
    "created_at",
    "updated_at",
    "archived",
    "metadata",
    "tags",
)
_HEADER = b"SQLite format 3\0"
_WAIT_SECONDS = 5.0
_MILLISECONDS = 1e11
"""A number above this is milliseconds since 1970: as seconds it would be the year 5138."""
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,9})?")
_SQLITE_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?")
_DESCRIPTION = 2000
"""Maximum length of a description made from a summary; front matter has to stay small."""
_FALSE = ("", "0", "false", "no", "off", "none", "null")
_PLACES = ("project", "project_path", "projectPath", "cwd")
_SESSIONS = ("session_id", "sessionId", "session")


@dataclass(frozen=True, slots=True)
class Clash:
    """A skipped memory."""

    id: str
    reason: str
    """A clause: ``another text has this id already``."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The results of an import, by ids."""

    imported: tuple[str, ...] = ()
    """Imported under their ids."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Imported under new ids, as ccw's are not Recovery IDs: the old and the new one."""
    present: tuple[str, ...] = ()
    """Skipped ones."""
    clashes: tuple[Clash, ...] = ()
    """Left out."""


def read_memories(path: Path) -> list[New]:
    """The memories of a ccw database, by id; columns that are missing are empty.

    Ids are those of ccw, in any form.

    Raises:
        FileProblem: it is missing, cannot be read, or is not a ccw database.
    """
    _check(path)
    # Opening a WAL-mode database creates two files next to it, unless it is opened as immutable.
    wal = path.with_name(path.name + "-wal")
    quiet = "" if wal.is_file() and wal.stat().st_size else "&immutable=1"
    uri = f"{path.absolute().as_uri()}?mode=ro{quiet}"
    deadline = time.monotonic() + READ_SECONDS
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS)) as connection:
            connection.text_factory = bytes  # texts byte for byte, even invalid UTF-8
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            _restrict(connection)
            return sorted(map(_memory, _rows(connection, path)), key=lambda new: new.id)
    except sqlite3.Error as error:
        if time.monotonic() > deadline:
            raise FileProblem(path, f"takes longer than {READ_SECONDS:.0f} seconds to read") from error
        raise FileProblem(path, f"cannot be read as a ccw database: {error}") from error


def import_all(backend: MemoryBackend, path: Path, *, project: str = "") -> Imported:
    """Import the memories of a ccw database. Repeating it changes nothing.

    Args:
        backend: the store to import into.
        path: ``core_memory.db``.
        project: path of the project for memories that name none.

    Raises:
        FileProblem: the database cannot be read, or the store cannot be written; memories imported by then
        are kept.
    """
    work = _Import(backend)
    for new in read_memories(path):
        work.bring(replace(new, project=new.project or project))
    return Imported(tuple(work.imported), tuple(work.renamed), tuple(work.present), tuple(work.clashes))


class _Import:
    """A running import."""

    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend
        self._before: set[tuple[datetime | None, bytes]] | None = None
        self.imported: list[str] = []
        self.renamed: list[tuple[str, str]] = []
        self.present: list[str] = []
        self.clashes: list[Clash] = []

    def bring(self, new: New) -> None:
        """Import one memory, or note why not."""
        try:
            if not RECOVERY_ID.fullmatch(new.id):
                self._rename(new)
            else:
                self._backend.create(new)
                self.imported.append(new.id)
        except FileTooLarge as problem:
            self.clashes.append(Clash(new.id, problem.reason))
        except IdTaken as problem:
            self._compare(new, problem)

    def _rename(self, new: New) -> None:
        # Without an id, a memory imported earlier is recognised by its time and text, or by its text alone
        # if ccw has no time for it, as it then has the time of its import.
        if self._before is None:
            page = self._backend.list(Filter(which=Which.ALL))
            ours = [each.meta for each in page.items if each.meta.source == SOURCE and not each.problem]
            bodies = [(meta.created, self._backend.get(meta.id).body) for meta in ours]
            self._before = {*bodies, *((None, body) for _, body in bodies)}
        time = new.created.replace(microsecond=0) if new.created else None
        if (time, new.body) in self._before:
            self.present.append(new.id)
        else:
            self.renamed.append((new.id, self._backend.create(replace(new, id="")).id))

    def _compare(self, new: New, problem: IdTaken) -> None:
        try:
            same = self._backend.get(new.id).body == new.body
        except MemoryMissing:
            self.clashes.append(Clash(new.id, problem.reason))
            return
        except FileProblem as broken:
            self.clashes.append(Clash(new.id, f"the memory of this id {broken.reason}"))
            return
        if same:
            self.present.append(new.id)
        else:
            self.clashes.append(Clash(new.id, "another text has this id already"))


def _check(path: Path) -> None:
    with reading(path):
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileProblem(path, "is not a file: name ccw's core_memory.db")
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    if header != _HEADER:
        raise FileProblem(path, "is not a ccw database: name its core_memory.db")


def _restrict(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)


def _rows(connection: sqlite3.Connection, path: Path) -> Iterator[Mapping[str, object]]:
    # Views and virtual tables have no page of their own.
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'memories' AND rootpage > 0"
    if connection.execute(table).fetchone() is None:
        raise FileProblem(path, "has no table of memories: name ccw's core_memory.db")
    # This leaves out generated columns.
    known = {_text(column[1]).lower() for column in connection.execute("PRAGMA table_info(memories)")}
    names = [name for name in _COLUMNS if name in known]
    if not names:
        raise FileProblem(path, "has no table of memories: name ccw's core_memory.db")
    size = 0
    for row in connection.execute(f"SELECT {', '.join(names)} FROM memories"):  # noqa: S608 - names of ours
        size += _ROW + sum(len(value) for value in row if isinstance(value, bytes))
        if size > MOST:
            raise FileTooLarge(path, f"holds more than {human_size(MOST)} of memories")
        yield dict(zip(names, row, strict=True))


def _memory(row: Mapping[str, object]) -> New:
    known = _json(row.get("metadata"))
    about = known if isinstance(known, dict) else {}
    memory_id = _text(row.get("id")).strip()
    created = _time(row.get("created_at"))
    return New(
        body=_bytes(row.get("content")) or _bytes(row.get("raw_output")),
        project=next((value for key in _PLACES if isinstance(value := about.get(key), str)), ""),
        description=_text(row.get("summary"))[:_DESCRIPTION],
        tags=_tags(row.get("tags")) or _tags(about.get("tags")),
        session_id=next((value for key in _SESSIONS if isinstance(value := about.get(key), str)), ""),
        source=SOURCE,
        id=memory_id,
        created=created or moment_of(memory_id),
        updated=_time(row.get("updated_at")),
        archived=_text(row.get("archived")).strip().lower() not in _FALSE,
    )


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b"" if value is None else str(value).encode()


def _text(value: object) -> str:
    return _bytes(value).decode("utf-8", "replace")


def _json(value: object) -> object:
    try:
        return json.loads(_text(value))
    except (ValueError, RecursionError):
        return None


def _tags(value: object) -> tuple[str, ...]:
    """Tags as a JSON list, or with commas between."""
    found = value if isinstance(value, list) else _json(value)
    if isinstance(found, list):
        return tuple(tag for tag in found if isinstance(tag, str))
    return tuple(tag.strip() for tag in _text(value).split(","))


def _time(value: object) -> datetime | None:
    """A time as ISO 8601, as SQLite writes it (in UTC), or in seconds or milliseconds since 1970."""
    text = _text(value).strip()
    if not _NUMBER.fullmatch(text):
        return parse_iso(f"{text}+00:00" if _SQLITE_TIME.fullmatch(text) else text)
    number = float(text)
    try:
        return datetime.fromtimestamp(number / 1000 if abs(number) > _MILLISECONDS else number).astimezone()
    except (ValueError, OverflowError, OSError):
        return None
