"""Searching sessions, memories, Claude's own, captures, session states and pins with a question.

What holds the exact words comes first, then what holds all of them, then any, ranked by bm25.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from heapq import nlargest
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from memtui.documents.pins import Pin, parse_pins
from memtui.ground.clean import clean, clean_line
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, transcript_slug
from memtui.store.claude_memory import memory_folder
from memtui.store.listing import project_test
from memtui.store.search_index import File, IndexDamaged, SearchIndex, files_of, readings, text_of
from memtui.store.search_query import DOCUMENT_MARK, KINDS, TOUCHED, Kind, Search, quoted
from memtui.store.transcripts import TranscriptStore
from memtui.transcript.messages import Message, Role

# The message if `Group.complete` is False.
NOT_ALL_SEARCHED = "Not all was searched: the index is busy or being made. Try again soon."
ROWS = 3  # rows of a session that are shown at first
_FRESH = 1.5  # seconds for which the index counts as up to date
_BUDGET = 0.15  # seconds that a search spends on new files before answering
_POOL = 600  # the most rows that are looked at further, the best ones
_NEWEST = 3_000  # the most rows that are ranked for a word, the newest with it: ranking more takes long
_PEOPLE = [Role.ASK, Role.SAID, Role.DOCUMENT]
# What tools did or said counts three quarters of what people say, and within a session half of that.
_RANK = f"-bm25(words, 1.0, 0.0) * iif(r.role IN ({', '.join(map(str, _PEOPLE))}), 1, 0.75)"
_FIRST = 1_000  # more than any rank by bm25
_BEHIND = 0.05  # the weight of summaries and inserted texts: they are long, and say again what was said
_BEFORE = range(1, 4)  # how far before a row the words of the question count for it, too
_FEW = 3  # words, or pairs of characters: more are a question, whose answer may have none of them
_SHORT = 3  # the longest word that is not looked for as a beginning
_ROW = "r.id, r.file, r.role, r.turn, r.offset, r.line, r.created"
_GIVEN = "(SELECT value FROM json_each(?))"
UNREADABLE = "(cannot be read any more)"  # the snippet of a row whose transcript is gone


class Scope(StrEnum):
    """The scope of a search."""

    SESSION = "this session"
    PROJECT = "this project"
    EVERYWHERE = "everywhere"


_HEADINGS = "Sessions|Memories|Claude's memories|Memory files of reviews|Captures|Session states|Pins"
HEADINGS = dict(zip(Kind, _HEADINGS.split("|"), strict=True))  # above the results of each kind


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
    file: File = File()

    @property
    def key(self) -> str:
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

    def messages(self) -> Iterator[Message]:
        """The message of a row and the next ones of its session; none if it is gone."""
        with suppress(OSError, FileProblem):
            for reading in readings(self.file, self.offset, self.line, few=True):
                yield from (each for each in reading.messages if each.line >= self.line)


class Group(NamedTuple):
    """The results of one kind: the best ones, and the total number."""

    kind: Kind
    results: tuple[list[Result], ...] = ()  # of a session all rows, the best first; else one each
    total: int = 0  # of sessions, or of documents
    complete: bool = True  # False while files are still being indexed
    missing: tuple[str, ...] = ()  # words and phrases that are nowhere in what was searched, for all kinds
    more: bool = False  # True if more rows match than were looked at: a session may have further ones


def row_of(result: Result, *more: Result) -> dict[str, Any]:
    """A result as JSON, of a session with the rows that are shown below it."""
    moment = result.when.isoformat() if result.when else None
    row = dict[str, Any](name=result.name, title=result.title, time=moment, snippet=result.snippet)
    if result.project:
        row["project"] = result.project
    shown = (result, *more[: ROWS - 1])
    lines = [{key: getattr(each, key) for key in ("line", "what", "agent", "snippet")} for each in shown]
    if result.path is not None:
        row |= {"transcript": str(result.path), **lines[0]}
    if result.kind is Kind.SESSION:
        row |= {"more": lines[1:], "lines": 1 + len(more)}
    return row


def not_found(groups: Sequence[Group]) -> str:
    """A sentence about the words that were not found while others were; "" if there are none."""
    missing = groups[0].missing if any(group.results for group in groups) else ()
    return f"Not found: {clean_line(', '.join(missing))}." if missing else ""


class _Row(NamedTuple):
    fit: float  # how well it fits the question: `_FIRST` or more with all of it
    id: int
    file: int
    role: int
    turn: int
    offset: int
    line: int
    created: float | None

    def after(self, known: dict[tuple[int, int], _Row]) -> _Row:
        """The row as it fits with the best one before it: an answer follows the words that it answers."""
        near = ((known.get((self.file, self.id - away)), 0.8**away) for away in _BEFORE)
        best = max(
            (row.fit % _FIRST * part for row, part in near if row and row.role < Role.SUMMARY), default=0
        )
        return self._replace(fit=self.fit + best)


class Searcher(SearchIndex):
    """Runs searches, for use in threads."""

    _turn = 0  # the number of interruptions

    def interrupt(self) -> None:
        """End the searches that have begun in other threads, as their results are not wanted any more."""
        self._turn += 1

    def search(
        self,
        asked: Search,
        scope: Scope = Scope.PROJECT,
        path: Path | None = None,
        *,
        limit: int = 50,
        rows: int = 1_000,
        budget: float = _BUDGET,
    ) -> list[Group]:
        """The results of each kind that is wanted, sessions first; `FileProblem` also after `interrupt`.

        `path` is the transcript of `Scope.SESSION`; a ``project:`` in the query searches all. The texts of
        `rows` of sessions are read, others by `with_snippet`; `budget` seconds go to new files before.
        """
        turn = self._turn
        # Not read again below: another search may complete the index after this one has read it.
        is_fresh = time.monotonic() - self.looked <= _FRESH
        complete = self.complete if is_fresh else self.update(budget=budget)
        for _ in range(2):
            try:
                with self.reading() as connection:
                    connection.set_progress_handler(lambda: turn != self._turn, 1_000)
                    connection.execute("BEGIN")  # the same state for all
                    groups = _Answer(connection, self._places, asked, scope, path).groups(limit, rows)
                return [group._replace(complete=complete) for group in groups]
            except IndexDamaged:
                complete = self.update(budget=budget)
        return [Group(KINDS[word], complete=False) for word in asked.kinds]  # another search is making it


class _Answer:
    """The answer to one question, from an index that does not change meanwhile."""

    def __init__(
        self, db: sqlite3.Connection, places: Places, asked: Search, scope: Scope, path: Path | None
    ) -> None:
        self._db, self._places, self._asked, self._scope = db, places, asked, scope
        self._session = path if scope is Scope.SESSION else None
        self._concerns = project_test(os.fspath(places.project.root))
        self._files: dict[int, Result] = {}  # what all rows of a file have, by its number
        db.execute("CREATE TEMP TABLE wanted (file INTEGER PRIMARY KEY)")
        query = f"SELECT id, path, project, session, kind FROM files WHERE kind IN {_GIVEN}"  # noqa: S608
        files = db.execute(query, [json.dumps([KINDS[word] for word in asked.kinds])]).fetchall()
        is_wanted = self._wanted()
        db.executemany("INSERT INTO wanted VALUES (?)", ([number] for number, *of in files if is_wanted(*of)))
        self._where, self._values = " AND r.file IN wanted", list[object]()
        self._calls = [f"path : {quoted(part).rstrip('*')}*" for _, part in asked.filters]
        for (name, _), call in zip(asked.filters, self._calls, strict=True):
            self._where += f""" AND (r.file, r.turn) IN (SELECT p.file, p.turn FROM words
                JOIN rows p ON p.id = words.rowid WHERE words MATCH ? AND p.role IN {_GIVEN})"""  # noqa: S608
            self._values += [call, json.dumps(TOUCHED[name])]
        if self._calls and not asked.words and not asked.phrases:  # nothing else of their turns
            self._where += f" AND r.role IN {_GIVEN}"
            self._values.append(json.dumps([role for name, _ in asked.filters for role in TOUCHED[name]]))
        if asked.since or asked.until:
            self._where += " AND r.created >= ifnull(?, -1e99) AND r.created < ifnull(?, 1e99)"
            self._values += (moment and moment.timestamp() for moment in (asked.since, asked.until))
        self._terms, self._missing = self._look_up()

    def _wanted(self) -> Callable[[str, str, str, str], bool]:
        """Whether a file, by path, project, session and kind, is searched."""
        if transcript := self._session:
            return lambda _path, _project, session, kind: session == transcript.stem or kind == Kind.PIN
        if part := self._asked.project.lower():
            return lambda _path, project, *_: part in project.lower()
        if self._scope is Scope.EVERYWHERE:
            from memtui.store.archive_settings import archive_settings

            private = lru_cache(maxsize=None)(archive_settings(self._places.home).is_private)
            return lambda _, project, *_rest: self._concerns(project) or not private(Path(project))
        own = TranscriptStore(self._places.project, self._places.claude).folder()
        folders = (f"{own}{os.sep}", f"{memory_folder(self._places)}{os.sep}")
        # What is in the project's own folder was moved with it, or another project has the same slug.
        return lambda path, project, *_: (
            self._concerns(project)
            or (path.startswith(folders) and transcript_slug(Path(project)) != own.name)
        )

    def groups(self, limit: int, shown: int) -> list[Group]:
        kinds = [KINDS[word] for word in self._asked.kinds]
        rows = [row for each in {kind is not Kind.SESSION for kind in kinds} for row in self._ranked(each)]
        more = sum(self._files[row.file].kind is Kind.SESSION for row in rows) >= _POOL
        groups, stored = list[Group](), set[str]()
        for kind in kinds:
            # Rows by session; the folder of a moved project may be there twice.
            found: dict[Any, dict[tuple[str, int], _Row]] = defaultdict(dict)
            for row in rows:
                if (each := self._files[row.file]).kind is kind:
                    key = each.name if kind is Kind.SESSION else row.id
                    found[key].setdefault((each.agent, row.line), row)
            of_session = lambda rows: sum(row.fit * 0.5**at for at, row in enumerate(rows[:8]))  # noqa: E731
            together = sorted((list(some.values()) for some in found.values()), key=of_session, reverse=True)
            results = []
            for best in together[:limit]:
                some = self._session_rows(best, shown) if kind is Kind.SESSION else self._document(best[0])
                shown -= min(ROWS, len(some))
                # A memory file says the same as the memory that it was stored as.
                if some and not (kind is Kind.FILE and some[0].file.note in stored):
                    results.append(some)
            stored |= {result.name for result, *_ in results}
            total = len(together) - len(together[:limit]) + len(results)
            groups.append(Group(kind, tuple(results), total, missing=self._missing, more=more))
        return groups

    def _rows(self, match: str, score: str = "1") -> sqlite3.Cursor:
        """The newest rows of what is wanted that match, with their score."""
        sql = f"""SELECT r.id, {score} * iif(r.role < {Role.SUMMARY}, 1, {_BEHIND})
            FROM words CROSS JOIN rows r ON r.id = words.rowid
            WHERE words MATCH ?{self._where} ORDER BY words.rowid DESC LIMIT {_NEWEST}"""  # noqa: S608 - ours
        return self._db.execute(sql, [match, *self._values])

    def _look_up(self) -> tuple[list[str], tuple[str, ...]]:
        """The queries of the words, and the words and phrases that are nowhere in what is searched.

        A word that is nowhere is looked for as a beginning. Few letters that are being typed are not judged.
        """
        query = self._asked
        terms, missing = list[str](), list[str]()
        for word, parts in query.terms().items():
            is_short = len(word) <= _SHORT
            begins = [part if is_short else f"{part.rstrip('*')}*" for part in parts]
            found = next((some for some in (parts, begins) if self._rows(" OR ".join(some)).fetchone()), [])
            if not found and not (is_short and query.unfinished and word == query.words[-1]):
                missing.append(word)
            terms += found or parts
        missing += [f"“{each}”" for each in query.phrases if not self._rows(quoted(each)).fetchone()]
        return list(dict.fromkeys(terms)), tuple(missing)

    def _questions(self, documents: bool) -> Iterator[tuple[str, str]]:
        """The full-text queries whose rows are found, each with the score of a row.

        Rows with the exact words come before those with all, and these before the others, each by bm25.
        Without words these are the calls that filters name, or all documents, the newest first; with words
        such a call comes before what was said in its turn.
        """
        query, terms, rank = self._asked, self._terms, _RANK
        if not query.words and not query.phrases:
            terms, rank = self._calls, "1.0 / row_number() OVER (ORDER BY r.created DESC)"
        yield from ((each, rank) for each in terms)
        if not terms and (query.phrases or documents):
            yield "", rank
        if len(query.words) > 1:
            yield from ((each, str(_FIRST)) for each in (" AND ".join(terms), query.exact()))
        if query.words or query.phrases:
            any_word = [f"({' OR '.join(terms)})"] if terms else []
            yield from ((" AND ".join([*any_word, call]), str(5 * _FIRST)) for call in self._calls)

    def _ranked(self, documents: bool) -> list[_Row]:
        """The best rows of documents or of sessions, best first."""
        fits = defaultdict[int, float](float)
        is_document = [f"path : {DOCUMENT_MARK}"] if documents else []
        for each, score in self._questions(documents):
            needed = [*is_document, *map(quoted, self._asked.phrases), *([f"({each})"] if each else ())]
            match = " AND ".join(needed) + ("" if documents else f" NOT path : {DOCUMENT_MARK}")
            for row, fit in self._rows(match, score):
                fits[row] += fit
        best = json.dumps(nlargest(_POOL, fits, key=fits.__getitem__))
        sql = f"SELECT {_ROW} FROM json_each(?) JOIN rows r ON r.id = value"  # noqa: S608 - ours
        rows = [_Row(fits[row[0]], *row) for row in self._db.execute(sql, [best])]
        query = "SELECT title FROM files WHERE kind = ? AND agent = '' AND session = ?"
        for file in [*files_of(self._db, f"WHERE id IN {_GIVEN}", json.dumps([row.file for row in rows]))]:
            if file.agent and (title := self._db.execute(query, (file.kind, file.session)).fetchone()):
                (file.title,) = title
            self._files[file.id or 0] = self._of(file)
        texts = lru_cache(maxsize=None)(self._text)
        alike = dict[Any, _Row]()  # a skill's text is the same in many sessions, and fits each word alike
        for one in sorted(rows, key=lambda row: row.fit, reverse=True):
            first = alike.setdefault((one.fit,) if one.role == Role.INSERTED else one.id, one)
            if first is not one and texts(first) != texts(one):
                alike[one.id] = one
        known = {} if documents or len(self._terms) < 2 else {(row.file, row.id): row for row in rows}
        return sorted((row.after(known) for row in alike.values()), key=lambda row: row.fit, reverse=True)

    def _text(self, row: _Row) -> str:
        here = takewhile(lambda each: each.line == row.line, self._result(row).messages())
        return next((each.text for each in here if each.role == row.role), "")

    def _best_first(self, rows: list[_Row]) -> list[_Row]:
        """The rows of a session; below the best what concludes the best turns: Claude's last words."""
        rows = sorted(rows, key=lambda row: row.fit * (1 if row.role in _PEOPLE else 0.5), reverse=True)
        asked, last = self._asked, list[_Row]()
        if len(self._terms) > _FEW and not (asked.phrases or asked.since or asked.until):
            sql = f"SELECT {_ROW} FROM rows r WHERE file = ? AND turn = ? AND role = ? ORDER BY id DESC"  # noqa: S608
            for turn in [*dict.fromkeys((row.file, row.turn) for row in rows)][:ROWS]:
                last += (_Row(0, *row) for row in self._db.execute(f"{sql} LIMIT 1", (*turn, Role.SAID)))
        sure = sum(row.fit >= _FIRST for row in rows) or 1
        return [*{(row.file, row.line, row.role): row for row in (*rows[:sure], *last, *rows)}.values()]

    def _session_rows(self, rows: list[_Row], shown: int) -> list[Result]:
        """The best rows of a session; those that read the same as another come behind."""
        best, others = dict[str, Result](), list[Result]()
        for row in self._best_first(rows):
            each = self._result(row)
            is_shown = len(best) < min(ROWS, shown)
            each = with_snippet(each, self._asked) if is_shown else each
            if not is_shown or best.setdefault(each.snippet, each) is not each:
                others.append(each)
        return [*best.values(), *others]

    def _document(self, row: _Row) -> list[Result]:
        """A document with its text; none if it is gone, or a pin that does not count here."""
        found = with_snippet(self._result(row), self._asked)
        if not found.text:
            return []
        if found.kind is not Kind.PIN:
            return [found._replace(line=0, what="")]
        from memtui.store.confirmed_pins import Confirmed  # pins are few

        pins = parse_pins(text_of(found.file))[found.line - 1 : found.line]
        pin = next((each for each in pins if each.text == found.text), Pin(found.text))
        source = f"{pin.session} L{pin.line}".strip() if pin.line else ""
        query = "SELECT path FROM files WHERE kind = ? AND agent = '' AND instr(session, ?) = 1"
        transcript = self._db.execute(query, (Kind.SESSION, pin.session)).fetchone()
        path = Path(*transcript) if transcript and pin.session and pin.line else None
        project = found.file.project
        if (project and pin.text not in Confirmed(self._places.home)) or self._session not in (None, path):
            return []
        said = " · ".join(filter(None, (source, found.said if project else "in all projects")))
        name = f"pin {found.line}" if project else f"own pin {found.line}"
        return [found._replace(name=name, title=pin.text, said=said, path=path, line=pin.line, what="ask")]

    def _result(self, row: _Row) -> Result:
        when = None
        with suppress(ValueError, OverflowError):  # a document may name any year
            when = None if row.created is None else datetime.fromtimestamp(row.created).astimezone()
        what = Role(row.role).name.lower()
        return self._files[row.file]._replace(when=when, line=row.line, offset=row.offset, what=what)

    def _of(self, file: File) -> Result:
        """A result of a file, but for its row."""
        is_session, title = file.kind is Kind.SESSION, file.title or f"session {file.session[:8]}"
        elsewhere = "" if self._concerns(file.project) else clean_line(f"in {Path(file.project).name}")
        notes = (elsewhere, "archived" if file.stem else "") if is_session else (file.note, elsewhere)
        found = Result(file.kind, file.name, title, said=" · ".join(filter(None, notes)), file=file)
        if not is_session:
            return found._replace(project=file.project if elsewhere else "")
        return found._replace(name=file.session, path=Path(file.path), agent=clean_line(file.agent))


def with_snippet(found: Result, query: Search) -> Result:
    """A row with its text, read from its file; `UNREADABLE` if that is gone."""
    for message in takewhile(lambda each: each.line == found.line, found.messages()):
        if message.role.name.lower() == found.what:
            snippet, marks = query.snippet(message.text)
            return found._replace(snippet=snippet, marks=marks, text=message.text)
    return found._replace(snippet=UNREADABLE)
