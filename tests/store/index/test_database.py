"""The index's file: damaged, locked, missing, and shared among processes and threads."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from memtui.ground.project import Home
from memtui.store.index import SearchIndex
from memtui.store.index.schema import wal_is_safe
from tests.processes import start_together
from tests.store.corpus import Corpus, add, home, memory_id, path_of
from tests.store.index.searching import expected, ids, search


def corrupt_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    noise = random.Random(3)
    for _ in range(1000):
        data[noise.randrange(100, len(data))] = noise.randrange(256)
    path.write_bytes(data)


def older_version(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 0")
    connection.close()


def no_tables(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE docs")
    connection.close()


def senseless(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE state SET docs = 'text', bytes = 'x'")
    connection.close()


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link_instead(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nowhere/at/all")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "no database": lambda path: path.write_bytes(b"nothing of the kind\n" * 500),
    "truncated": lambda path: os.truncate(path, path.stat().st_size // 3),
    "cut in a page": lambda path: os.truncate(path, path.stat().st_size - 1000),
    "noise": corrupt_middle,
    "older": older_version,
    "without a table": no_tables,
    "senseless": senseless,
    "a folder": folder_instead,
    "a dangling link": link_instead,
}


@cache
def _texts() -> Sequence[str]:
    corpus = Corpus()
    return [corpus.text() for _ in range(15)]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("opened", [True, False])
def test_a_damaged_index_is_made_anew(where: Home, damage: str, opened: bool) -> None:
    texts = _texts()
    for number, text in enumerate(texts):
        add(where, number, text)
    index = SearchIndex(where)
    assert index.refresh()
    if not opened:
        index = SearchIndex(where)
    DAMAGES[damage](where.cache / "index.db")
    for query in ("token", "国", "getuserby", "", "zz"):
        assert set(ids(search(index, query))) == expected(query, texts), query
    if damage != "a folder":
        assert SearchIndex(where).refresh()


def test_while_another_program_locks_the_index_the_files_are_searched(where: Home) -> None:
    texts = ["a token", "another token", "nothing"]
    for number, text in enumerate(texts):
        add(where, number, text)
    index = SearchIndex(where)
    assert index.refresh()
    holder = sqlite3.connect(where.cache / "index.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        found = search(SearchIndex(where), "token")
        assert set(ids(found)) == expected("token", texts)
        assert found.complete
    finally:
        holder.close()
    assert index.refresh()


def test_a_mistake_in_reading_the_index_is_no_damage(where: Home) -> None:
    index = SearchIndex(where)
    assert index.refresh()
    database = index.documents._database
    before = (where.cache / "index.db").stat().st_ino

    def mistaken(connection: sqlite3.Connection) -> None:
        raise TypeError("ours")

    with pytest.raises(TypeError, match="ours"):
        database.read(mistaken)
    assert (where.cache / "index.db").stat().st_ino == before


def test_without_a_place_for_the_index_everything_is_read(where: Home) -> None:
    add(where, 0, "one token")
    add(where, 1, "two")
    where.cache.write_text("in the way")
    index = SearchIndex(where)
    assert not index.refresh()
    assert ids(search(index, "token")) == [memory_id(0)]
    assert search(index, "").total == 2
    assert search(SearchIndex(home(where.data / "none")), "token").total == 0


def test_the_file_of_an_earlier_version_goes(where: Home) -> None:
    where.cache.mkdir(parents=True)
    earlier = [where.cache / name for name in ("sessions.db", "sessions.db.mark", "sessions.db-journal")]
    for path in earlier:
        path.write_text("what was said")
    add(where, 0, "token")
    assert SearchIndex(where).refresh()
    assert not any(path.exists() for path in earlier)


def test_the_index_belongs_to_its_user(where: Home) -> None:
    add(where, 0, "text")
    old = os.umask(0)
    try:
        SearchIndex(where).refresh()
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (where.cache, *where.cache.iterdir())}
    assert modes.pop(where.cache.name) == 0o700
    assert modes["index.db"] == 0o600 and set(modes.values()) == {0o600}


@pytest.mark.parametrize(
    ("version", "safe"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 45, 0), False),
        ((3, 50, 6), False),
        ((3, 50, 7), True),
        ((3, 51, 0), False),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 54, 1), True),
        ((4, 0, 0), True),
    ],
)
def test_the_write_ahead_log_only_where_it_is_safe(
    where: Home, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], safe: bool
) -> None:
    assert wal_is_safe(version) is safe
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    path = where.cache / "index.db"
    inodes = set()
    for number in range(3):
        add(where, number, "text")
        assert search(SearchIndex(where), "text").total == number + 1
        inodes.add(path.stat().st_ino)
    assert len(inodes) == 1  # it is not made anew
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == ("wal" if safe else "delete")
    connection.close()


def test_the_counts_are_those_of_the_documents(where: Home) -> None:
    index = SearchIndex(where)
    for number in range(3):
        add(where, number, "token " * (number + 1))
    assert index.refresh()
    path_of(where, 0).unlink()
    add(where, 1, "a longer token than before")
    assert index.refresh()
    with sqlite3.connect(where.cache / "index.db") as connection:
        counted = connection.execute("SELECT sum(docs), sum(bytes) FROM state").fetchone()
        assert counted == connection.execute("SELECT count(*), sum(length) FROM docs").fetchone()
        assert counted[0] == 2
    connection.close()


def test_frequent_changes_do_not_pile_up(where: Home) -> None:
    index = SearchIndex(where)
    for turn in range(30):
        add(where, 0, f"turn{turn}")
        assert ids(search(index, f"turn{turn}")) == [memory_id(0)]
        assert search(index, f"turn{turn - 1}x").total == search(index, "turn").total - 1 == 0
    with sqlite3.connect(where.cache / "index.db") as connection:
        for table in ("docs", "sources", "words_content"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 1
        assert connection.execute("SELECT count(*) FROM word_places WHERE term = 'urn'").fetchone()[0] == 1
    connection.close()


_SEARCHES = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from memtui.ground.project import Home
from memtui.store.base import Filter
from memtui.store.folding import fold
from memtui.store.index import SearchIndex
folder = Path(sys.argv[1])
home = Home(folder / "data", folder / "cache", folder / "state", folder / "config")
print("ready", flush=True)
sys.stdin.readline()
index = SearchIndex(home)
now = datetime(2026, 1, 3, 12, tzinfo=UTC)
for turn in range(4):
    index.refresh()
    found = index.search("common", Filter(), limit=3, offset=0, now=now)
    assert found.total == int(sys.argv[2]), found.total
    # Each changes a memory of its own, and sees it.
    path = Path(sys.argv[3])
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes() + b" mine%d" % turn)
    copy.replace(path)
    found = index.search(f"mine{turn}", Filter(), limit=9, offset=0, now=now)
    assert path.stem in [hit.listed.meta.id for hit in found.hits]
"""


def test_several_processes_at_once(where: Home, tmp_path: Path) -> None:
    for number in range(100):
        add(where, number, f"common {number}")
    start_together((_SEARCHES, str(tmp_path), "100", str(path_of(where, number))) for number in range(4))
    assert search(SearchIndex(where), "mine3").total == 4


def test_several_threads_at_once(where: Home) -> None:
    for number in range(100):
        add(where, number, f"common {number}")
    index = SearchIndex(where)

    def work(number: int) -> list[int]:
        totals = []
        for turn in range(5):
            add(where, 1000 + 100 * number + turn, f"mine{number}x{turn}")
            totals.append(search(index, f"mine{number}x{turn}").total)
            totals.append(search(index, "common").total - 99)
        return totals

    with ThreadPoolExecutor(4) as pool:
        assert set(chain(*pool.map(work, range(4)))) == {1}
