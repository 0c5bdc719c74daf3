"""Searching sessions, memories, Claude's own, captures, session states and pins with a question.

What holds the exact words comes first, then what holds all of them, then any, ranked by bm25; the ranks are
fused.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple

from memtui.documents.pins import Pin
from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, transcript_slug
from memtui.store.archive_settings import archive_settings
from memtui.store.claude_memory import memory_folder
from memtui.store.confirmed_pins import Confirmed
from memtui.store.listing import ProjectTest
from memtui.store.search_documents import KINDS, File, Kind, Source, entry_at, read_document
from memtui.store.search_index import DOCUMENT, IndexDamaged, SearchIndex, unpacked
from memtui.store.search_query import TOUCHED, Query, Search, matches, path_query
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.messages import Message, Role, read_messages

NOT_ALL_SEARCHED = "Not all was searched: the index is busy or being made. Try again soon."
"""Message if `Group.complete` is False."""
LIMIT = 50
"""The default maximum of results of each kind."""
ROWS = 3
"""Rows of a session that are shown at first."""
_FRESH = 1.5
"""Seconds for which the index counts as up to date."""
_BUDGET = 0.15
"""Seconds that a search spends on new files before answering."""
_POOL = 300
"""The most rows of each ranking."""
_COMMON = 10_000
"""A word in more rows is not ranked where rarer ones find enough."""
_NEWEST = 2_000
"""The most rows at either end of the index that are ranked: of a common word, ranking all takes long."""
_AROUND = 5
"""The most messages shown from a row on."""


class Scope(StrEnum):
    """The scope of a search."""

    SESSION = "this session"
    PROJECT = "this project"
    EVERYWHERE = "everywhere"


HEADINGS = {
    Kind.SESSION: "Sessions",
    Kind.MEMORY: "Memories",
    Kind.CLAUDE: "Claude's memories",
    Kind.FILE: "Memory files of reviews",
    Kind.CAPTURE: "Captures",
    Kind.STATE: "Session states",
    Kind.PIN: "Pins",
}
"""The heading above the results of each kind."""


class Result(NamedTuple):
    """One result; of a session, one row."""

    kind: Kind
    name: str
    """Recovery ID, session id, else the file's name."""
    title: str
    when: datetime | None = None
    said: str = ""
    """Further notes: tags, archived, project."""
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    """The matches in `snippet`."""
    text: str = ""
    """The whole text of a document, or of the message."""
    project: str = ""
    """Path of the root of another project that it belongs to; "" for this one."""
    path: Path | None = None
    """The transcript, of a session."""
    line: int = 0
    """Of the transcript."""
    offset: int = 0
    what: str = ""
    """The role of the message: ``ask``, ``said``, ``command``, ``edit``, ``result`` ..."""
    agent: str = ""
    """The subagent whose transcript it is, by the file's name; "" for the session's own."""
    stem: Path | None = None
    """Where the archive has the transcript, if Claude Code has deleted it."""

    @property
    def key(self) -> str:
        """A unique key."""
        place = "".join(f" {part}" for part in (self.agent, self.project) if part)
        return f"{self.kind} {self.name}{place}" + (f" L{self.line} {self.what}" if self.line else "")

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The snippet in pieces, cleaned, each with whether it is a match."""
        at = 0
        for start, end in self.marks:
            yield clean(self.snippet[at:start]), False
            yield clean(self.snippet[start:end]), True
            at = end
        yield clean(self.snippet[at:]), False

    def messages(self) -> list[Message]:
        """The message of a row of a session and the next ones, secrets masked; fewer if they are gone."""
        found: list[Message] = []
        with suppress(OSError, FileProblem):
            for messages in _read_from(self):
                found += messages
                if len(found) >= _AROUND:
                    break
        return found[:_AROUND]


class Group(NamedTuple):
    """The results of one kind: the best ones, and the total number."""

    kind: Kind
    results: tuple[Result, ...] = ()
    """Of sessions up to `_EACH` rows each, together, the best one first."""
    total: int = 0
    """Of sessions, or of documents."""
    complete: bool = True
    """False while files are still being indexed."""


_EACH = 20
"""The most rows of a session."""
_SELECT = "SELECT r.id, r.file, r.role, r.offset, r.line, r.created, r.turn"


class _Row(NamedTuple):
    id: int
    file: int
    role: int
    offset: int
    line: int
    created: float | None
    turn: int

    @property
    def when(self) -> datetime | None:
        return None if self.created is None else datetime.fromtimestamp(self.created).astimezone()


class Searcher:
    """Runs searches, for use in threads."""

    def __init__(self, places: Places) -> None:
        self.index = SearchIndex(places)
        self._places = places
        self._concerns = ProjectTest(places.project.root)
        self._looked = -math.inf
        self._complete = True
        self._connection: sqlite3.Connection | None = None
        """That of the newest search."""

    def update(self, *, budget: float = math.inf, progress: Callable[[int, int], None] | None = None) -> bool:
        """Bring the index up to date; see `SearchIndex.update`."""
        complete = self._complete = self.index.update(budget=budget, progress=progress)
        self._looked = time.monotonic()
        return complete

    def search(
        self,
        asked: Search,
        scope: Scope = Scope.PROJECT,
        path: Path | None = None,
        *,
        tags: Iterable[str] = (),
        limit: int = LIMIT,
        rows: int = 1_000,
        budget: float | None = None,
    ) -> list[Group]:
        """The results of each kind that is wanted, sessions first.

        Args:
            asked: the query.
            scope: where to search; a ``project:`` in the query searches all.
            path: the transcript for `Scope.SESSION`.
            tags: only memories with all of these, regardless of case.
            limit: the most sessions and documents of each kind.
            rows: of sessions, whose texts are read; `with_snippet` reads that of another.
            budget: seconds to spend on new files before; by default `_BUDGET`.

        Raises:
            FileProblem: the index is locked, the settings cannot be read, or a folder not be listed; or
                `interrupt` was called.
        """
        budget = _BUDGET if budget is None else budget
        # Not read again below: another search may complete the index after this one has read it.
        complete = self._complete
        if time.monotonic() - self._looked > _FRESH:
            complete = self.update(budget=budget)
        for _ in range(2):
            try:
                with self.index.reading() as connection:
                    self._connection = connection
                    where = self._where(connection, asked, scope, path, tags)
                    groups = self._search(connection, asked, where, limit, rows)
                groups = [group._replace(complete=complete) for group in groups]
                if scope is Scope.SESSION:  # of pins those that come from it
                    groups = [_only_of(path, each) if each.kind is Kind.PIN else each for each in groups]
                return groups
            except IndexDamaged:
                complete = self.update(budget=budget)
        return [Group(KINDS[word], complete=False) for word in asked.kinds]  # another search is making it

    def interrupt(self) -> None:
        """End the search that another thread has begun, as its results are not wanted any more."""
        with suppress(sqlite3.ProgrammingError):  # it has ended
            if self._connection:
                self._connection.interrupt()

    def _search(
        self,
        connection: sqlite3.Connection,
        asked: Search,
        where: tuple[str, list[object]],
        limit: int,
        rows: int,
    ) -> list[Group]:
        connection.execute("BEGIN")  # the same state for all
        condition, values = where
        groups = []
        documents: dict[str, list[tuple[_Row, float]]] = defaultdict(list)
        kinds = [KINDS[word] for word in asked.kinds]
        if Kind.SESSION in kinds:
            found = _ranked(connection, asked, "words", condition, values)
            groups.append(Group(Kind.SESSION, *self._sessions(connection, found, asked.query, limit, rows)))
        if others := [kind for kind in kinds if kind is not Kind.SESSION]:
            condition += (
                " AND r.file IN (SELECT id FROM files WHERE kind IN (SELECT value FROM json_each(?)))"
            )
            found = _ranked(connection, asked, "documents", condition, [*values, json.dumps(others)])
            files = _files(connection, {row.file for row, _ in found})
            for each in found:
                documents[files[each[0].file].kind].append(each)
            for kind in others:
                results = self._documents(connection, files, documents[kind][:limit], asked.query)
                lost = len(documents[kind][:limit]) - len(results)
                groups.append(Group(kind, tuple(results), len(documents[kind]) - lost))
        stored = {result.name for group in groups if group.kind is Kind.MEMORY for result in group.results}
        return [_without_stored(group, stored) for group in groups]

    def _where(
        self,
        connection: sqlite3.Connection,
        asked: Search,
        scope: Scope,
        path: Path | None,
        tags: Iterable[str],
    ) -> tuple[str, list[object]]:
        """The conditions on rows, each beginning with AND, and their values."""
        condition, values = "", list[object]()
        for name, value in asked.filters:
            condition += (
                " AND (r.file, r.turn) IN (SELECT p.file, p.turn FROM words JOIN rows p ON p.id = words.rowid"
                " WHERE words MATCH ? AND p.role IN (SELECT value FROM json_each(?)))"
            )
            values += [path_query(value), json.dumps(TOUCHED[name])]
        if asked.since or asked.until:
            condition += " AND r.created BETWEEN ? AND ?"
            values += [asked.since.timestamp() if asked.since else -math.inf]
            values += [asked.until.timestamp() if asked.until else math.inf]
        for tag in tags:
            condition += " AND r.file IN (SELECT id FROM files WHERE instr(lower(note) || ' ', ?))"
            values.append(f"#{tag.lower()} ")
        if scope is Scope.SESSION and path:
            condition += " AND r.file IN (SELECT id FROM files WHERE session = ? OR kind = ?)"
            return condition, [*values, path.stem, Kind.PIN]
        projects = [each for (each,) in connection.execute("SELECT DISTINCT project FROM files")]
        wanted, folders, others = [], list[str](), list[str]()
        if asked.project:
            wanted = [each for each in projects if asked.project.lower() in each.lower()]
        elif scope is Scope.PROJECT:
            wanted = list(filter(self._concerns, projects))
            # What is in the project's own folder was moved with it, or another project has the same slug.
            own = TranscriptStore(self._places.project, self._places.claude).folder()
            folders = [f"{each}{os.sep}" for each in (own, memory_folder(self._places))]
            others = [
                each for each in projects if each not in wanted and transcript_slug(Path(each)) == own.name
            ]
        elif (settings := archive_settings(self._places.home)).private:
            wanted = [
                each
                for each in projects
                if not each or self._concerns(each) or not settings.is_private(Path(each))
            ]
        else:
            return condition, values
        condition += (
            " AND r.file IN (SELECT id FROM files WHERE project IN (SELECT value FROM json_each(?))"
            " OR project NOT IN (SELECT value FROM json_each(?)) AND EXISTS"
            " (SELECT 1 FROM json_each(?) WHERE substr(files.path, 1, length(value)) = value))"
        )
        return condition, [*values, *map(json.dumps, (wanted, others, folders))]

    def _sessions(
        self,
        connection: sqlite3.Connection,
        found: list[tuple[_Row, float]],
        query: Query,
        limit: int,
        shown: int,
    ) -> tuple[tuple[Result, ...], int]:
        """Rows grouped by session, the session with the best rows first."""
        files = _files(connection, {row.file for row, _ in found})
        sessions: dict[str, list[tuple[_Row, float]]] = defaultdict(list)
        seen: set[tuple[str, str, int]] = set()
        for row, score in found:
            file = files[row.file]
            line = (file.session, file.agent, row.line)  # the folder of a moved project may be there twice
            if line not in seen:
                seen.add(line)
                sessions[file.session].append((row, score))
        order = sorted(
            sessions.values(),
            key=lambda rows: sum(score * 0.5**place for place, (_, score) in enumerate(rows[:8])),
            reverse=True,
        )
        about = {number: self._about(file) for number, file in files.items()}
        results: list[Result] = []
        for rows in order[:limit]:
            for number, (row, _) in enumerate(rows[:_EACH]):
                each = about[row.file]._replace(
                    when=row.when, line=row.line, offset=row.offset, what=Role(row.role).name.lower()
                )
                if number < ROWS and len(results) < shown:
                    each = with_snippet(each, query)
                results.append(each)
        return tuple(results), len(order)

    def _about(self, file: File) -> Result:
        said = (self._elsewhere(file.project), "archived" if file.stem else "")
        return Result(
            Kind.SESSION,
            file.session,
            file.title or f"session {file.session[:8]}",
            said=" · ".join(filter(None, said)),
            path=Path(file.path),
            agent=clean_line(file.agent),
            stem=Path(file.stem) if file.stem else None,
        )

    def _documents(
        self,
        connection: sqlite3.Connection,
        files: dict[int, File],
        found: list[tuple[_Row, float]],
        query: Query,
    ) -> list[Result]:
        """Documents as results, read again for their texts; those that are gone are left out."""
        results = []
        for row, _ in found:
            file = files[row.file]
            path = Path(file.path)
            with suppress(OSError):
                document = read_document(Source(file.kind, entry_at(path), file.project), self._places.home)
                text = document.texts[row.line - 1] if row.line <= len(document.texts) else ""
                snippet, marks = query.snippet(text)
                elsewhere = self._elsewhere(file.project)
                said = " · ".join(filter(None, (file.note, elsewhere)))
                project = file.project if elsewhere else ""
                result = Result(
                    file.kind, file.name, file.title, row.when, said, snippet, marks, text, project
                )
                if file.kind is Kind.PIN:
                    if file.project and text not in Confirmed(self._places.home):
                        continue
                    if row.line <= len(document.pins):
                        pin = document.pins[row.line - 1]
                        result = self._pin(connection, result, pin, row.line, file.project)
                results.append(result)
        return results

    def _pin(
        self, connection: sqlite3.Connection, found: Result, pin: Pin, number: int, project: str
    ) -> Result:
        source = f"{pin.session} L{pin.line}".strip() if pin.line else ""
        row = None
        if pin.session and pin.line:
            query = "SELECT path FROM files WHERE kind = ? AND agent = '' AND substr(session, 1, ?) = ?"
            row = connection.execute(query, (Kind.SESSION, len(pin.session), pin.session)).fetchone()
        return found._replace(
            name=f"pin {number}" if project else f"own pin {number}",
            title=pin.text,
            said=" · ".join(filter(None, (source, found.said if project else "in all projects"))),
            path=Path(row[0]) if row else None,
            line=pin.line,
            what="ask",
        )

    def _elsewhere(self, project: str) -> str:
        """Another project's name, as a note; "" for this one."""
        if self._concerns(project):
            return ""
        return clean_line(f"in {project.rstrip('/').rpartition('/')[2]}")


def _files(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, File]:
    """Files by their numbers; a subagent's has the title of its session."""
    query = """
        SELECT id, path, kind, project, session, agent, stem, name, coalesce((
            SELECT title FROM files AS own
            WHERE own.session = files.session AND files.agent <> '' AND own.agent = '' AND own.kind = ?
        ), title), note
        FROM files WHERE id IN (SELECT value FROM json_each(?))
    """
    found = connection.execute(query, (Kind.SESSION, json.dumps(list(numbers))))
    return {number: File(path, Kind(kind), *rest) for number, path, kind, *rest in found}


def with_snippet(found: Result, query: Query) -> Result:
    """A row of a session with its text, read from the transcript; unchanged if that is gone."""
    with suppress(OSError, FileProblem):
        for message in next(_read_from(found), ()):
            if message.role.name.lower() == found.what:
                snippet, marks = query.snippet(message.text)
                return found._replace(snippet=snippet, marks=marks, text=message.text)
    return found


def _read_from(found: Result) -> Iterator[list[Message]]:
    """The messages of the lines of a transcript from that of a row on."""
    source: Path | BinaryIO | None = found.path
    offset = found.offset
    if found.stem:
        source, offset = unpacked(found.stem), 0
        source.read(found.offset)
    if source:
        lines = read_messages(source, offset, found.line, agent=bool(found.agent), few=True)
        yield from (each.messages for each in lines)


def _ranked(
    connection: sqlite3.Connection, asked: Search, texts: str, condition: str, values: list[object]
) -> list[tuple[_Row, float]]:
    """Rows with their scores, best first: the sum of what each ranking gives to their ranks.

    Args:
        connection: the index.
        asked: the query.
        texts: ``words`` for those of sessions, ``documents`` for the others.
        condition: which of them, beginning with AND.
        values: the condition's values.
    """
    if not asked.query.words and not asked.query.phrases:
        # The calls themselves where filters are given; else the newest documents.
        own = f"r.role = {DOCUMENT} AND '{texts}' = 'documents'"
        if asked.filters:
            own = f"r.id IN (SELECT rowid FROM {texts} WHERE {texts} MATCH ?)"  # noqa: S608 - a name of ours
            values = [" OR ".join(path_query(value) for _, value in asked.filters), *values]
        query = f"{_SELECT} FROM rows r WHERE {own}{condition} ORDER BY r.created DESC LIMIT {_POOL}"
        return [(_Row(*row), -number) for number, row in enumerate(connection.execute(query, values))]

    def exceeds(number: int, table: str, match: str, condition: str, values: list[object]) -> bool:
        query = (
            f"SELECT 1 FROM {table} JOIN rows r ON r.id = {table}.rowid"  # noqa: S608 - a name of ours
            f" WHERE {table} MATCH ?{condition} LIMIT 1 OFFSET {number}"
        )
        return connection.execute(query, [match, *values]).fetchone() is not None

    def any_of(expressions: list[str], table: str) -> str:
        """Without common words where the others find enough: ranking them takes long, and says little."""
        either = " OR ".join(expressions)
        if len(expressions) == 1 or not exceeds(_COMMON, table, either, "", []):
            return either
        rare = " OR ".join(each for each in expressions if not exceeds(_COMMON, table, each, "", []))
        return rare if rare and exceeds(_POOL, table, rare, condition, values) else either

    rows: dict[int, _Row] = {}
    scores: dict[int, float] = defaultdict(float)
    for weight, spoken, must, either in matches(asked.query):
        if spoken and texts == "documents":
            continue
        table, weights = ("spoken", "") if spoken else (texts, ", 1.0, 0.0")
        match = f"{must}({any_of(either, table)})"
        # A first index begins with the newest rows, and what comes later is at its end.
        newest = " UNION ".join(
            f"SELECT * FROM (SELECT r.*, bm25({table}{weights}) AS score FROM {table}"  # noqa: S608 - ours
            f" CROSS JOIN rows r ON r.id = {table}.rowid WHERE {table} MATCH ?{condition}"
            f" ORDER BY {table}.rowid {order} LIMIT {_NEWEST})"
            for order in ("", "DESC")
        )
        query = f"{_SELECT} FROM ({newest}) r ORDER BY score LIMIT {_POOL}"
        for place, row in enumerate(connection.execute(query, [match, *values, match, *values])):
            found = rows[row[0]] = _Row(*row)
            scores[found.id] += weight * _WEIGHT.get(found.role, _OTHER) / (_DAMP + place)
    return sorted(((rows[number], score) for number, score in scores.items()), key=lambda each: -each[1])


_DAMP = 60
_WEIGHT: dict[int, float] = {DOCUMENT: 1.0, Role.ASK: 1.0, Role.SAID: 1.0, Role.READ: 0.3}
_OTHER = 0.5
"""What was spoken weighs more than inputs and results of tools."""


def _only_of(path: Path | None, group: Group) -> Group:
    results = tuple(each for each in group.results if each.path == path)
    return group._replace(results=results, total=len(results))


def _without_stored(group: Group, stored: set[str]) -> Group:
    """Memory files without those whose memory was found: both say the same."""
    if group.kind is not Kind.FILE:
        return group
    kept = tuple(each for each in group.results if each.said.split(" · ")[0] not in stored)
    return group._replace(results=kept, total=group.total - len(group.results) + len(kept))
