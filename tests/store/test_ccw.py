"""Importing a ccw database with ids, byte for byte; the database stays unchanged."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.ground.files import FileMissing, FileProblem, FileTooLarge
from memtui.store import ccw
from memtui.store.base import Filter, New, Which
from memtui.store.ccw import Clash, Imported, import_all, read_memories
from memtui.store.memory_files import FilesBackend
from memtui.store.stored_files import LIMIT
from tests.disk import names
from tests.store.contract_base import NOW, Watch
from tests.store.memories import home_in

COLUMNS = "id, content, summary, raw_output, created_at, updated_at, archived, metadata, tags"
FIRST = "CMEM-20250304-050607"


@pytest.fixture
def store(tmp_path: Path) -> FilesBackend:
    return FilesBackend(home_in(tmp_path / "memtui"), Watch())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "ccw #1?"
    folder.mkdir()
    return folder / "core_memory.db"


def database(path: Path, rows: Sequence[Sequence[object]], columns: str = COLUMNS) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE memories ({columns})")
        marks = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"INSERT INTO memories VALUES ({marks})", rows)
        connection.commit()
    return path


def row(memory_id: str = FIRST, content: object = "text", **other: object) -> list[object]:
    values: dict[str, object] = {"id": memory_id, "content": content, **other}
    return [values.get(column) for column in COLUMNS.split(", ")]


def test_everything_that_is_said_comes_over(path: Path, store: FilesBackend) -> None:
    database(
        path,
        [
            row(
                content="# Session Recovery\r\n税务",
                summary="Tax\nservice",
                raw_output="not this",
                created_at="2025-03-04T05:06:07.123Z",
                updated_at="2025-03-05T05:06:07Z",
                archived=1,
                metadata='{"session_id": "s-1", "projectPath": "/home/me/app", "other": 1}',
                tags='["tax", "a b", 3]',
            )
        ],
    )
    assert import_all(store, path) == Imported(imported=(FIRST,))
    memory = store.get(FIRST)
    assert memory.body == "# Session Recovery\r\n税务".encode()
    meta = memory.meta
    assert (meta.description, meta.tags, meta.archived) == ("Tax service", ("tax", "a b"), True)
    assert (meta.session_id, meta.project, meta.source) == ("s-1", "/home/me/app", "ccw")
    assert meta.created == datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert meta.updated == datetime(2025, 3, 5, 5, 6, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    "time",
    [
        "2025-03-04T05:06:07Z",
        "2025-03-04 05:06:07",
        "2025-03-04T06:06:07+01:00",
        1741064767,
        1741064767000,
        1741064767.5,
        "1741064767",
        "1741064767123",
    ],
)
def test_times_of_many_kinds(path: Path, time: object) -> None:
    (new,) = read_memories(database(path, [row("CMEM-20240101-000000", created_at=time)]))
    assert new.created is not None
    assert new.created.replace(microsecond=0) == datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.mark.parametrize("time", [None, "", "soon", "1e999", 10**18, -(10**14)])
def test_the_id_says_the_time_when_nothing_else_does(path: Path, time: object) -> None:
    (new,) = read_memories(database(path, [row(created_at=time, updated_at=time)]))
    assert (new.created, new.updated) == (datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC), None)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('["a", "b c"]', ("a", "b c")),
        ("a, b c", ("a", "b c")),
        (b"[broken", ("[broken",)),
        ("[" * 9999, ("[" * 9999,)),
        (None, ("",)),
    ],
)
def test_tags_as_a_list_or_with_commas(path: Path, written: object, read: tuple[str, ...]) -> None:
    (new,) = read_memories(database(path, [row(tags=written)]))
    assert new.tags == read


@pytest.mark.parametrize("archived", [0, None, "0", "false", ""])
def test_what_is_not_archived(path: Path, archived: object) -> None:
    (new,) = read_memories(database(path, [row(archived=archived)]))
    assert not new.archived


def test_texts_to_the_byte(path: Path, store: FilesBackend) -> None:
    texts = [b"\xff\x00\r\n", "a\0b\r\n", "", "x" * 100_000]
    ids = [f"CMEM-20250304-05060{number}" for number in range(4)]
    import_all(store, database(path, [row(*pair) for pair in zip(ids, texts, strict=True)]))
    found = [store.get(each).body for each in ids]
    assert found == [b"\xff\x00\r\n", b"a\0b\r\n", b"", b"x" * 100_000]


def test_columns_that_are_missing(path: Path, store: FilesBackend) -> None:
    database(path, [(FIRST, "text")], "ID, Content")
    assert import_all(store, path, project="/p").imported == (FIRST,)
    assert (store.get(FIRST).meta.project, store.get(FIRST).body) == ("/p", b"text")


def test_doing_so_again_changes_nothing(path: Path, store: FilesBackend) -> None:
    database(
        path, [row(), row("mem-7", "other", created_at=NOW.isoformat()), row("", "third", created_at=1e9)]
    )
    first = import_all(store, path)
    assert first.imported == (FIRST,)
    assert dict(first.renamed) == {"": "CMEM-20010909-014640", "mem-7": "CMEM-20260102-101500"}
    before = store.list(Filter(which=Which.ALL))
    assert import_all(store, path) == Imported(present=("", FIRST, "mem-7"))
    assert store.list(Filter(which=Which.ALL)) == before


def test_memories_without_id_and_time_come_over_once(path: Path, store: FilesBackend) -> None:
    database(path, [row("a", "one"), row("b", "two", created_at="soon"), row("c", "one")])
    assert [old for old, _ in import_all(store, path).renamed] == ["a", "b", "c"]
    assert import_all(store, path) == Imported(present=("a", "b", "c"))
    assert store.list().total == 3


def test_clashes_are_reported_and_overwrite_nothing(path: Path, store: FilesBackend) -> None:
    taken, gone, broken, large = (f"CMEM-20250304-05060{number}" for number in range(4))
    store.create(New(b"mine", id=taken))
    store.create(New(b"text", id=gone))
    store.delete(gone)
    store.create(New(b"", id=broken))
    (page,) = [each for each in store.list().items if each.meta.id == broken]
    page.path.write_bytes(b"---\nid: {\n---\n")
    rows = [row(taken), row(gone), row(broken), row(large, b"x" * (LIMIT + 1)), row()]
    assert import_all(store, database(path, rows)) == Imported(
        imported=(FIRST,),
        clashes=(
            Clash(taken, "another text has this id already"),
            Clash(gone, "is in the trash, and its id is not given to another memory"),
            Clash(broken, "the memory of this id is broken: its front matter is not valid YAML"),
            Clash(large, "cannot be written: the text is larger than 32 MB"),
        ),
    )
    assert store.get(taken).body == b"mine"


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_the_database_stays_as_it_is(path: Path, mode: str) -> None:
    database(path, [row()])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
    before, bytes_before = names(path.parent), path.read_bytes()
    assert before == ["core_memory.db"]
    assert len(read_memories(path)) == 1
    assert (names(path.parent), path.read_bytes()) == (before, bytes_before)


def test_a_database_being_written_is_read(path: Path) -> None:
    database(path, [row()])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("INSERT INTO memories (id, content) VALUES ('CMEM-20250304-050608', 'new')")
        assert [new.id for new in read_memories(path)] == [FIRST, "CMEM-20250304-050608"]


_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"


@pytest.mark.parametrize(
    "made",
    [
        f"CREATE VIEW memories AS {_ENDLESS} SELECT x AS id, 'text' AS content FROM n",
        f"CREATE VIEW memories AS {_ENDLESS} SELECT max(x) AS id FROM n",
        "CREATE VIRTUAL TABLE memories USING fts4(id, content)",
    ],
)
def test_only_a_real_table_is_read(path: Path, made: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(made)
        connection.commit()
    with pytest.raises(FileProblem, match="has no table of memories"):
        read_memories(path)


def test_no_expression_of_the_database_is_computed(path: Path) -> None:
    # Within one call of a function nothing can interrupt SQLite: this one would take years.
    slow = "trim(hex(zeroblob(400000)) || id, hex(zeroblob(400000)))"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE memories (id, content, summary AS ({slow}))")
        connection.execute("INSERT INTO memories (id, content) VALUES (?, 'text')", [FIRST])
        connection.commit()
    (new,) = read_memories(path)
    assert (new.id, new.body, new.description) == (FIRST, b"text", "")


def test_a_database_that_takes_too_long_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database(path, [row(f"m{number}") for number in range(5_000)])
    monkeypatch.setattr(ccw, "READ_SECONDS", 0.0)
    with pytest.raises(FileProblem, match=r"core_memory\.db takes longer than 0 seconds to read"):
        read_memories(path)


@pytest.mark.parametrize("text", ["x" * 1_000, ""], ids=["long", "many"])
def test_a_database_that_is_too_large_is_given_up(
    path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    database(path, [row(f"m{number}", text) for number in range(100)])
    monkeypatch.setattr(ccw, "MOST", 50_000)
    with pytest.raises(FileTooLarge, match="holds more than 48 KB of memories"):
        read_memories(path)


def test_one_value_is_not_read_beyond_a_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database(path, [row(content="x" * 20_000)])
    monkeypatch.setattr(ccw, "LONGEST", 10_000)
    with pytest.raises(FileProblem, match="cannot be read as a ccw database: string or blob too big"):
        read_memories(path)


def test_other_databases_are_refused(path: Path) -> None:
    with pytest.raises(FileMissing):
        read_memories(path)
    for content in (b"", b"text", b"SQLite format 3\0" + b"x" * 5000):
        path.write_bytes(content)
        with pytest.raises(FileProblem, match=r"is not a ccw database|cannot be read as a ccw database"):
            read_memories(path)
    path.unlink()
    sqlite3.connect(path).executescript("CREATE TABLE other (id)").connection.close()
    with pytest.raises(FileProblem, match="has no table of memories"):
        read_memories(path)
    for other in (path.parent, path.with_name("pipe")):
        if not other.exists():
            os.mkfifo(other)
        with pytest.raises(FileProblem, match="is not a file"):
            read_memories(other)
