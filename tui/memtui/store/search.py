"""Searching sessions, memories, Claude's own, captures, session states and pins with a question.

What holds the exact words comes first, then what holds all of them, then any, ranked by bm25.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from memtui.documents.pins import Pin
from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, transcript_slug
from memtui.store.claude_memory import memory_folder
from memtui.store.listing import Entry, project_test
from memtui.store.search_documents import COLUMNS, KINDS, File, Kind, Source, read_document
from memtui.store.search_index import DOCUMENT, IndexDamaged, SearchIndex, unpacked
from memtui.store.search_query import DOCUMENT_MARK, TOUCHED, Query, Search, path_query
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.messages import Message, Role, read_messages

if TYPE_CHECKING:
    import sqlite3

NOT_ALL_SEARCHED = "Not all was searched: the index is busy or being made. Try again soon."
"""Message if `Group.complete` is False."""
LIMIT = 50  # the default maximum of results of each kind
ROWS = 3  # rows of a session that are shown at first
_FRESH = 1.5  # seconds for which the index counts as up to date
_BUDGET = 0.15  # seconds that a search spends on new files before answering
_POOL = 600  # the most rows that are looked at further, the best ones
_NEWEST = 3_000  # the most rows that are ranked for a word, the newest with it: ranking more takes long
_FIRST = 1_000  # more than any rank by bm25
_SHORT = 3  # the longest word that is not looked for as a beginning
_AROUND = 5  # the most messages shown from a row on
UNREADABLE = "(cannot be read any more)"  # the snippet of a row whose transcript is gone


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
    name: str  # Recovery ID, session id, else the file's name
    title: str
    when: datetime | None = None
    said: str = ""  # further notes: tags, archived, project
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()  # the matches in `snippet`
    text: str = ""  # the whole text of a document, or of the message
    project: str = ""  # path of the root of another project that it belongs to; "" for this one
    path: Path | None = None  # the transcript, of a session
    line: int = 0  # of the transcript
    offset: int = 0
    what: str = ""  # the role of the message: ``ask``, ``said``, ``command``, ``edit``, ``result`` ...
    agent: str = ""  # the subagent whose transcript it is, by the file's name; "" for the session's own
    stem: Path | None = None  # where the archive has the transcript, if Claude Code has deleted it

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
    results: tuple[list[Result], ...] = ()  # of a session up to `_EACH` rows, the best first; else one each
    total: int = 0  # of sessions, or of documents
    complete: bool = True  # False while files are still being indexed
    missing: tuple[str, ...] = ()
    """The words and phrases of the question that are nowhere in what was searched, the same for all kinds."""


def row_of(result: Result, *more: Result) -> dict[str, Any]:
    """A result as JSON, of a session with the rows that are shown below it."""
    row: dict[str, Any] = {
        "name": result.name,
        "title": result.title,
        "time": result.when.isoformat() if result.when else None,
        "snippet": result.snippet,
    }
    if result.project:
        row["project"] = result.project
    if result.path is not None:
        row |= {
            "transcript": str(result.path),
            "line": result.line,
            "what": result.what,
            "agent": result.agent,
        }
    if result.kind is Kind.SESSION:
        row["more"] = [
            {"line": each.line, "what": each.what, "agent": each.agent, "snippet": each.snippet}
            for each in more[: ROWS - 1]
        ]
    return row


def not_found(groups: Iterable[Group]) -> str:
    """A sentence about the words that were not found while others were; "" if there are none."""
    groups = tuple(groups)
    missing = groups[0].missing if any(group.results for group in groups) else ()
    return f"Not found: {clean_line(', '.join(missing))}." if missing else ""


_EACH = 20  # the most rows of a session


class _Row(NamedTuple):
    parts: dict[int, float]  # how well it fits each part of the question; `_FIRST` for all of it
    id: int
    file: int
    role: int
    offset: int
    line: int
    created: float | None

    @property
    def when(self) -> datetime | None:
        return None if self.created is None else datetime.fromtimestamp(self.created).astimezone()

    @property
    def score(self) -> float:
        of_tools = self.role not in (DOCUMENT, Role.ASK, Role.SAID)
        return sum(self.parts.values()) * (0.75 if of_tools else 1)  # for the session


_WEIGHT: dict[int, float] = {Role.ASK: 1.0, Role.SAID: 1.0, Role.READ: 0.3, Role.RESULT: 0.3, Role.ERROR: 0.3}
"""The weight of kinds of rows in the order within a session; that of others is a half."""


def _best_first(rows: Iterable[_Row], words: set[int]) -> list[_Row]:
    """The rows of a session, first those that answer most of the question with the rows beside them.

    Of those beside them only these `words` count: a pair of Chinese characters is too little.
    """
    near = {row.id: row for row in rows}

    def weight(row: _Row) -> float:
        best = dict(row.parts)
        for away in (-2, -1, 1, 2):
            other = near.get(row.id + away)
            if other and other.file == row.file:
                for part, score in other.parts.items():
                    if part in words:
                        best[part] = max(best.get(part, 0), score * 0.6 ** abs(away))
        return sum(best.values()) * _WEIGHT.get(row.role, 0.5)

    return sorted(near.values(), key=weight, reverse=True)


class Searcher:
    """Runs searches, for use in threads."""

    def __init__(self, places: Places) -> None:
        self.index = SearchIndex(places)
        self._places = places
        self._looked = -math.inf
        self._complete = True
        self._turn = 0
        """The number of interruptions."""

    def update(self, *, budget: float = math.inf, progress: Callable[[int, int], None] | None = None) -> bool:
        """Bring the index up to date; see `SearchIndex.update`."""
        complete = self._complete = self.index.update(budget=budget, progress=progress)
        self._looked = time.monotonic()
        return complete

    def interrupt(self) -> None:
        """End the searches that have begun in other threads, as their results are not wanted any more."""
        self._turn += 1

    def search(
        self,
        asked: Search,
        scope: Scope = Scope.PROJECT,
        path: Path | None = None,
        *,
        limit: int = LIMIT,
        rows: int = 1_000,
        budget: float | None = None,
    ) -> list[Group]:
        """The results of each kind that is wanted, sessions first; `FileProblem` also after `interrupt`.

        `path` is the transcript of `Scope.SESSION`; a ``project:`` in the query searches all. A kind has at
        most `limit` results. The texts of `rows` of sessions are read, others by `with_snippet`. `budget`
        are the seconds to spend on new files before, by default `_BUDGET`.
        """
        turn = self._turn
        budget = _BUDGET if budget is None else budget
        # Not read again below: another search may complete the index after this one has read it.
        complete = self._complete
        if time.monotonic() - self._looked > _FRESH:
            complete = self.update(budget=budget)
        for _ in range(2):
            try:
                with self.index.reading() as connection:
                    connection.set_progress_handler(lambda: turn != self._turn, 1_000)
                    connection.execute("BEGIN")  # the same state for all
                    answer = _Answer(connection, self._places, asked, scope, path)
                    groups = answer.groups(limit, rows)
                return [group._replace(complete=complete) for group in groups]
            except IndexDamaged:
                complete = self.update(budget=budget)
        return [Group(KINDS[word], complete=False) for word in asked.kinds]  # another search is making it


@dataclass
class _Answer:
    """The answer to one question, from an index that does not change meanwhile."""

    _db: sqlite3.Connection
    _places: Places
    _asked: Search
    _scope: Scope
    _path: Path | None

    def __post_init__(self) -> None:
        asked = self._asked
        self._session = self._path if self._scope is Scope.SESSION else None
        self._concerns = project_test(os.fspath(self._places.project.root))
        self._files: dict[int, File] = {}  # those of the rows found, by their numbers
        self._db.create_function("lower", 1, str.lower)  # SQLite's own is for ASCII
        self._db.execute("CREATE TEMP TABLE wanted (file INTEGER PRIMARY KEY)")
        is_here, values = self._is_here()
        values.append([KINDS[word] for word in asked.kinds])
        query = f"""
            INSERT INTO wanted SELECT id FROM files
            WHERE ({is_here}) AND kind IN (SELECT value FROM json_each(?))
        """  # noqa: S608 - ours
        self._db.execute(query, [json.dumps(each) for each in values])
        self._where, self._values = " AND r.file IN wanted", list[object]()
        for name, value in asked.filters:
            self._where += (
                " AND (r.file, r.turn) IN (SELECT p.file, p.turn FROM words JOIN rows p ON p.id = words.rowid"
                " WHERE words MATCH ? AND p.role IN (SELECT value FROM json_each(?)))"
            )
            self._values += [path_query(value), json.dumps(TOUCHED[name])]
        if asked.since or asked.until:
            self._where += " AND r.created BETWEEN ? AND ?"
            self._values += [asked.since.timestamp() if asked.since else -math.inf]
            self._values += [asked.until.timestamp() if asked.until else math.inf]
        self._terms, self._missing = self._look_up()

    def _is_here(self) -> tuple[str, list[list[str]]]:
        """The condition for files that are searched, and the lists in it."""
        given = "(SELECT value FROM json_each(?))"
        if session := self._session:
            return f"session IN {given} OR kind = '{Kind.PIN}'", [[session.stem]]
        if part := self._asked.project.lower():
            return f"instr(lower(project), {given})", [[part]]
        projects = {each for (each,) in self._db.execute("SELECT DISTINCT project FROM files")}
        wanted = set(filter(self._concerns, projects))
        if self._scope is Scope.EVERYWHERE:
            from memtui.store.archive_settings import archive_settings

            settings = archive_settings(self._places.home)
            wanted |= {each for each in projects if not each or not settings.is_private(Path(each))}
            return f"project IN {given}", [[*wanted]]
        # What is in the project's own folder was moved with it, or another project has the same slug.
        own = TranscriptStore(self._places.project, self._places.claude).folder()
        folders = [f"{each}{os.sep}" for each in (own, memory_folder(self._places))]
        others = [each for each in projects - wanted if transcript_slug(Path(each)) == own.name]
        in_folder = "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(files.path, value) = 1)"
        return f"project IN {given} OR (project NOT IN {given} AND {in_folder})", [[*wanted], others, folders]

    def groups(self, limit: int, rows: int) -> list[Group]:
        """The results by kind; see `Searcher.search`."""
        kinds = [KINDS[word] for word in self._asked.kinds]
        found: dict[Kind, list[_Row]] = defaultdict(list)
        if Kind.SESSION in kinds:
            found[Kind.SESSION] = self._ranked(documents=False)
        if kinds != [Kind.SESSION]:
            for row in self._ranked(documents=True):
                found[self._files[row.file].kind].append(row)
        groups = []
        for kind in kinds:
            made = self._documents if kind is not Kind.SESSION else partial(self._sessions, shown=rows)
            results, total = made(found[kind], limit)
            groups.append(Group(kind, tuple(results), total, missing=self._missing))
        stored = {result.name for group in groups if group.kind is Kind.MEMORY for (result,) in group.results}
        for at, group in enumerate(groups):
            if group.kind is Kind.FILE:  # not those whose memory was found: both say the same
                kept = tuple(each for each in group.results if each[0].said.split(" · ")[0] not in stored)
                total = group.total - len(group.results) + len(kept)
                groups[at] = group._replace(results=kept, total=total)
        return groups

    def _has(self, match: str) -> bool:
        """Whether anything of what is wanted matches."""
        rows = "words CROSS JOIN rows r ON r.id = words.rowid"  # not the rows first
        query = f"SELECT 1 FROM {rows} WHERE words MATCH ?{self._where} LIMIT 1"  # noqa: S608 - ours
        return self._db.execute(query, [match, *self._values]).fetchone() is not None

    def _look_up(self) -> tuple[list[str], tuple[str, ...]]:
        """The queries of the words, and the words and phrases that are nowhere in what is searched.

        A word that is nowhere is looked for as a beginning. Few letters that are being typed are not judged.
        """
        query = self._asked.query
        terms, missing = list[str](), list[str]()
        for word, parts in query.terms().items():
            if not self._has(" OR ".join(parts)):
                begins = [f"{part.rstrip('*')}*" for part in parts] if len(word) > _SHORT else parts
                if self._has(" OR ".join(begins)):
                    parts = begins
                elif not query.unfinished or word != query.words[-1] or len(word) > _SHORT:
                    missing.append(word)
            terms += parts
        for phrase, match in zip(query.phrases, query.needed(), strict=True):
            if not self._has(match):
                missing.append(f"“{phrase}”")
        return list(dict.fromkeys(terms)), tuple(missing)

    def _ranked(self, *, documents: bool) -> list[_Row]:
        """The best rows of documents or of sessions, best first.

        Those with the exact words come before those with all, and these before the others, each by bm25.
        Without words these are the calls that filters name, or all documents, the newest first; with words
        such a call comes before what was said in its turn.
        """
        query = self._asked.query
        terms, rank = self._terms, "-bm25(words, 1.0, 0.0)"
        if not query.words and not query.phrases:
            terms = [path_query(value) for _, value in self._asked.filters]
            rank = "1.0 / row_number() OVER (ORDER BY r.created DESC)"
        asked = [(each, rank) for each in terms]
        if not asked and (query.phrases or documents):
            asked = [("", rank)]
        if len(query.words) > 1:
            asked += [(" AND ".join(terms), str(_FIRST)), (query.exact(), str(_FIRST))]
        if query.words or query.phrases:
            any_word = [f"({' OR '.join(terms)})"] if terms else []
            calls = [path_query(value) for _, value in self._asked.filters]
            asked += [(" AND ".join([*any_word, call]), str(5 * _FIRST)) for call in calls]
        parts: list[dict[int, float]] = []
        totals: dict[int, float] = defaultdict(float)
        for each, score in asked:
            match = " AND ".join([*query.needed(), *([f"({each})"] if each else [])])
            if not documents:
                match += f" NOT path : {DOCUMENT_MARK}"
            else:
                match = f"path : {DOCUMENT_MARK}" + (f" AND {match}" if match else "")
            sql = f"""
                SELECT r.id, {score} FROM words CROSS JOIN rows r ON r.id = words.rowid
                WHERE words MATCH ?{self._where} ORDER BY words.rowid DESC LIMIT {_NEWEST}
            """  # noqa: S608 - ours
            parts.append(dict(self._db.execute(sql, [match, *self._values])))
            for row, value in parts[-1].items():
                totals[row] += value
        best = json.dumps(nlargest(_POOL, totals, key=totals.__getitem__))
        sql = "SELECT r.id, file, role, offset, line, created FROM json_each(?) JOIN rows r ON r.id = value"
        rows = [
            _Row({number: some[row[0]] for number, some in enumerate(parts) if row[0] in some}, *row)
            for row in self._db.execute(sql, (best,))
        ]
        self._read_files({row.file for row in rows})
        return sorted(rows, key=lambda row: row.score, reverse=True)

    def _read_files(self, numbers: set[int]) -> None:
        """Read the files of these numbers; a subagent's has the title of its session."""
        given = " IN (SELECT value FROM json_each(?))"
        query = f"SELECT id, {', '.join(COLUMNS)} FROM files WHERE id{given}"  # noqa: S608 - ours
        for number, path, kind, *rest in self._db.execute(query, (json.dumps([*numbers]),)):
            self._files[number] = File(path, Kind(kind), *rest)
        if agents := [file for file in self._files.values() if file.agent]:
            query = f"SELECT session, title FROM files WHERE kind = ? AND agent = '' AND session{given}"  # noqa: S608
            sessions = json.dumps([file.session for file in agents])
            titles = dict(self._db.execute(query, (Kind.SESSION, sessions)))
            for file in agents:
                file.title = titles.get(file.session, file.title)

    def _sessions(self, found: list[_Row], limit: int, shown: int) -> tuple[list[list[Result]], int]:
        """Rows grouped by session, the session with the best rows first."""
        sessions: dict[str, dict[tuple[str, int], _Row]] = defaultdict(dict)
        for row in found:  # the folder of a moved project may be there twice
            file = self._files[row.file]
            sessions[file.session].setdefault((file.agent, row.line), row)
        order = sorted(
            (list(rows.values()) for rows in sessions.values()),
            key=lambda rows: sum(row.score * 0.5**place for place, row in enumerate(rows[:8])),
            reverse=True,
        )
        results: list[list[Result]] = []
        of = cache(self._of)
        words = {number for number, term in enumerate(self._terms) if len(term.strip('"*')) > 2}  # no pairs
        for rows in order[:limit]:
            best: dict[str, Result] = {}
            others: list[Result] = []
            for row in _best_first(rows, words)[:_EACH]:
                what = Role(row.role).name.lower()
                each = of(row.file)._replace(when=row.when, line=row.line, offset=row.offset, what=what)
                if is_shown := len(best) < min(ROWS, shown):
                    each = with_snippet(each, self._asked.query)
                if not is_shown or each.snippet in best:  # those that read the same come behind
                    others.append(each)
                else:
                    best[each.snippet] = each
            shown -= len(best) + len(others)
            results.append([*best.values(), *others])
        return results, len(order)

    def _of(self, number: int) -> Result:
        """A result of a file, but for its row."""
        file = self._files[number]
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

    def _documents(self, found: list[_Row], limit: int) -> tuple[list[list[Result]], int]:
        """Documents as results, read again for their texts; those that are gone are left out."""
        results = []
        for row in found[:limit]:
            file = self._files[row.file]
            with suppress(OSError):
                source = Source(file.kind, Entry.of(Path(file.path)), file.project)
                document = read_document(source, self._places.home, texts=True)
                text = document.texts[row.line - 1] if row.line <= len(document.texts) else ""
                if file.kind is Kind.PIN and file.project:
                    from memtui.store.confirmed_pins import Confirmed  # pins are few

                    if text not in Confirmed(self._places.home):
                        continue
                snippet, marks = self._asked.query.snippet(text)
                elsewhere = self._elsewhere(file.project)
                said = " · ".join(filter(None, (file.note, elsewhere)))
                project = file.project if elsewhere else ""
                result = Result(
                    file.kind, file.name, file.title, row.when, said, snippet, marks, text, project
                )
                if file.kind is Kind.PIN and row.line <= len(document.pins):
                    result = self._pin(result, document.pins[row.line - 1], row.line, file.project)
                    if self._session not in (None, result.path):  # it comes from another one
                        continue
                results.append([result])
        return results, len(found) - len(found[:limit]) + len(results)

    def _pin(self, found: Result, pin: Pin, number: int, project: str) -> Result:
        source = f"{pin.session} L{pin.line}".strip() if pin.line else ""
        query = "SELECT path FROM files WHERE kind = ? AND agent = '' AND instr(session, ?) = 1"
        transcript = self._db.execute(query, (Kind.SESSION, pin.session)).fetchone()
        return found._replace(
            name=f"pin {number}" if project else f"own pin {number}",
            title=pin.text,
            said=" · ".join(filter(None, (source, found.said if project else "in all projects"))),
            path=Path(*transcript) if transcript and pin.session and pin.line else None,
            line=pin.line,
            what="ask",
        )

    def _elsewhere(self, project: str) -> str:
        """Another project's name, as a note; "" for this one."""
        if self._concerns(project):
            return ""
        return clean_line(f"in {project.rstrip('/').rpartition('/')[2]}")


def with_snippet(found: Result, query: Query) -> Result:
    """A row of a session with its text, read from the transcript; `UNREADABLE` if that is gone."""
    with suppress(OSError, FileProblem):
        for message in next(_read_from(found), ()):
            if message.role.name.lower() == found.what:
                snippet, marks = query.snippet(message.text)
                return found._replace(snippet=snippet, marks=marks, text=message.text)
    return found._replace(snippet=UNREADABLE)


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
