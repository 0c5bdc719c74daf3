"""Indexed transcripts: a document for each stretch of a turn, with its passages and their lines."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from memtui.ground.clean import without_surrogates
from memtui.ground.clock import parse_iso
from memtui.ground.files import FileProblem
from memtui.store.archive import UnpackedStream
from memtui.store.folding import fold
from memtui.store.index.schema import BREAK, DocKind, IndexBroken
from memtui.store.index.sources import is_agent, is_archived, session_of
from memtui.store.index.writer import free_number, project_number, put_texts, take_out, writing
from memtui.store.listing import Entry
from memtui.store.matching import Query
from memtui.store.transcripts import HEAD, cwd_in, first_cwd
from memtui.transcript.passages import Kind, Passage, Place, Stretch, read_stretches
from memtui.transcript.short_text import one_line

_MARKS = {Kind.ASK: "a", Kind.SAID: "s", Kind.COMMAND: "c", Kind.FILE: "f", Kind.ERROR: "e"}
_TITLE = 200


class Known(NamedTuple):
    """A transcript in the index."""

    id: int
    mtime_ns: int
    size: int
    inode: int
    place: str
    last: int


class Piece(NamedTuple):
    """A document to index."""

    created: float
    turn: int
    passages: list[Passage]


class Read(NamedTuple):
    """A transcript, or its new part, read and masked."""

    path: str
    entry: Entry
    grown: bool
    """Whether `pieces` continue the indexed part, replacing the last document."""
    pieces: list[Piece]
    place: Place
    open: bool
    """The last piece may still grow."""
    session: str = ""
    project: str = ""
    title: str = ""


def read_known(connection: sqlite3.Connection) -> dict[str, Known]:
    """All transcripts in the index by their paths."""
    rows = connection.execute(
        "SELECT name, id, mtime_ns, size, inode, place, last FROM sources WHERE kind = ?", (DocKind.TURN,)
    )
    return {row[0]: Known(*row[1:]) for row in rows}


def read_transcript(path: str, entry: Entry, known: Known | None) -> Read:
    """Read the new part of a transcript; all of it if it does not continue the indexed part.

    A file that cannot be read has nothing to find.

    Args:
        path: of the transcript.
        entry: its file, or that of the archive's index.
        known: what the index has of it.
    """
    archived = is_archived(entry)
    begin = _going_on(entry, known) if known and not archived else None
    agent = is_agent(Path(path))
    try:
        if archived:
            cwd = cwd_in(_unpacked(entry).read(HEAD))
            stretches = list(read_stretches(_unpacked(entry), agent=agent))
        else:
            cwd = first_cwd(entry.path)
            stretches = list(read_stretches(entry.path, begin or Place(), agent=agent))
    except (OSError, FileProblem):
        return Read(path, entry, False, [], Place(), False)
    last = stretches[-1]
    pieces = [_piece(stretch, entry) for stretch in stretches if stretch.passages]
    asks = (passage for piece in pieces for passage in piece.passages if passage.kind is Kind.ASK)
    title = next((one_line(passage.text)[:_TITLE] for passage in asks), "")
    project = os.fspath(cwd) if cwd else ""
    session = session_of(Path(path), entry)
    return Read(
        path, entry, begin is not None, pieces, last.begin, bool(last.passages), session, project, title
    )


def _unpacked(entry: Entry) -> io.BufferedReader:
    return io.BufferedReader(UnpackedStream(entry.path.with_suffix("")))


def _going_on(entry: Entry, known: Known) -> Place | None:
    """The place to continue in a file that has grown; None if it is a different one."""
    if not known.place or entry.inode != known.inode or entry.size < known.size:
        return None
    try:
        place = Place(*json.loads(known.place))
        with entry.path.open("rb") as file:
            file.seek(max(0, place.offset - 1))
            return place if not place.offset or file.read(1) == b"\n" else None
    except (OSError, ValueError, TypeError):
        return None


def _piece(stretch: Stretch, entry: Entry) -> Piece:
    moments = (parse_iso(passage.timestamp) for passage in stretch.passages if passage.timestamp)
    moment = next((moment for moment in moments if moment), None)
    created = moment.timestamp() if moment else entry.mtime_ns / 1e9
    return Piece(created, stretch.turn, stretch.passages)


def put_transcripts(connection: sqlite3.Connection, gone: Iterable[str], read: Sequence[Read]) -> None:
    """Remove transcripts from the index, and add new ones or new parts."""
    with writing(connection):
        for path in gone:
            _remove(connection, path)
        documents: list[tuple[int, Piece, int]] = []
        for one in read:
            project = project_number(connection, one.project)
            source = _place(connection, one, project)
            documents += ((source, piece, project) for piece in one.pieces)
        numbers: dict[int, int] = {}
        texts: list[tuple[int, str]] = []
        for source, piece, project in sorted(documents, key=lambda each: each[1].created):
            number, text = _insert(connection, source, piece, project)
            numbers[id(piece)] = number
            texts.append((number, text))
        for one in read:
            if one.pieces and one.open:
                last = numbers[id(one.pieces[-1])]
                connection.execute("UPDATE sources SET last = ? WHERE name = ?", (last, one.path))
        put_texts(connection, texts)


def has_session(connection: sqlite3.Connection, session_id: str) -> bool:
    """Whether the index has a session's transcript, captures or state; memories do not count."""
    kinds = (DocKind.TURN, DocKind.CAPTURE, DocKind.STATE)
    row = connection.execute(
        "SELECT 1 FROM sources WHERE session = ? AND kind IN (?, ?, ?)", (session_id, *kinds)
    ).fetchone()
    return row is not None


def _remove(connection: sqlite3.Connection, path: str) -> None:
    row = connection.execute("DELETE FROM sources WHERE name = ? RETURNING id", (path,)).fetchone()
    if row is not None:
        take_out(connection, "source = ?", row[0])


def _place(connection: sqlite3.Connection, one: Read, project: int) -> int:
    """Add or update a transcript's row; returns its number."""
    entry = one.entry
    title = one.title
    source: int | None = None
    if one.grown:
        row = connection.execute("SELECT id, last, title FROM sources WHERE name = ?", (one.path,)).fetchone()
        if row is not None:
            source, last, title = row[0], row[1], row[2] or one.title
            take_out(connection, "id = ?", last)
    else:
        _remove(connection, one.path)
    values = (entry.mtime_ns, entry.size, entry.inode, project, one.session, title, json.dumps(one.place))
    if source is None:
        source = connection.execute(
            "INSERT INTO sources (mtime_ns, size, inode, project, session, title, place, name, kind)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*values, one.path, DocKind.TURN),
        ).lastrowid
        assert source is not None
    else:
        connection.execute(
            "UPDATE sources SET mtime_ns = ?, size = ?, inode = ?, project = ?, session = ?, title = ?,"
            " place = ?, last = 0 WHERE id = ?",
            (*values, source),
        )
    return source


def _insert(connection: sqlite3.Connection, source: int, piece: Piece, project: int) -> tuple[int, str]:
    """Insert a document without its text; returns its number and the text."""
    head, text = _folded(piece.passages)
    number = free_number(connection, DocKind.TURN, piece.created)
    data = json.dumps([list(passage) for passage in piece.passages], ensure_ascii=False)
    connection.execute(
        "INSERT INTO docs (id, source, created, length, head, archived, project, tags, turn, passages)"
        " VALUES (?, ?, ?, ?, ?, 0, ?, '', ?, ?)",
        (
            number,
            source,
            piece.created,
            len(text.encode()),
            len(head.encode()),
            project,
            piece.turn,
            zlib.compress(data.encode("utf-8", "replace")),
        ),
    )
    return number, text


def _folded(passages: list[Passage]) -> tuple[str, str]:
    """The folded text up to the end of the prompt, and the whole folded text."""
    parts = [f"{BREAK}{_MARKS[passage.kind]} {fold(passage.text)}" for passage in passages]
    head = parts[0] if passages[0].kind is Kind.ASK else ""
    return head, without_surrogates(" ".join(parts))


def passages_of(blob: bytes, start: int, stop: int) -> list[Passage]:
    """Some passages of a document.

    Raises:
        IndexBroken: the file is damaged there.
    """
    try:
        data = zlib.decompress(blob)
    except zlib.error as error:
        raise IndexBroken(str(error)) from error
    return [Passage(Kind(kind), *rest) for kind, *rest in json.loads(data)[start:stop]]


def parts_of(files: Iterable[str], commands: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The conditions on passages of files and commands, as `Also.parts`."""
    wanted = [(Kind.FILE, part) for part in files] + [(Kind.COMMAND, part) for part in commands]
    return tuple((f"{_MARKS[kind]} ", part) for kind, part in wanted)


def best_passage(folded: str, query: Query, kinds: Iterable[Kind] = ()) -> int:
    """The index of the first passage with the most terms.

    Args:
        folded: the folded text of a document.
        query: the query.
        kinds: preferred kinds; all when empty.
    """
    passages = folded.split(BREAK)[1:]
    marks = tuple(_MARKS[kind] for kind in kinds)
    places = [place for place, passage in enumerate(passages) if passage.startswith(marks)] if marks else []
    held = [sum(term in passage for term in query.terms) for passage in passages]
    return max(places or range(len(passages)), key=held.__getitem__)
