"""The search index finds what a plain comparison of all texts finds, however its database is treated."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.project import Home
from memtui.store.base import Filter, Found, Which
from memtui.store.folding import fold
from memtui.store.index import SearchIndex, finding
from memtui.store.index.schema import wal_is_safe
from memtui.store.matching import Query
from tests.processes import start_together
from tests.store.corpus import NOW, Corpus, add, home, memory_id, path_of

MANY = 10_000
ANY = Filter()


@pytest.fixture
def where(tmp_path: Path) -> Home:
    return home(tmp_path)


def search(index: SearchIndex, query: str, filtered: Filter = ANY, limit: int = MANY) -> Found:
    return index.search(query, filtered, limit=limit, offset=0, now=NOW)


def ids(found: Found) -> list[str]:
    return [hit.listed.meta.id for hit in found.hits]


@cache
def folded(number: int, text: str) -> str:
    """What is searched of a memory; its id is a part of it."""
    return fold(f"{memory_id(number)}\n{text}")


def expected(query: str, texts: Iterable[str]) -> set[str]:
    """What a plain look at every text finds."""
    parsed = Query.parse(query)
    return {memory_id(n) for n, text in enumerate(texts) if parsed.matches_folded(folded(n, text))}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, list[str], Corpus]:
    where = home(tmp_path_factory.mktemp("corpus"))
    corpus = Corpus()
    texts = [corpus.text() for _ in range(600)]
    for number, text in enumerate(texts):
        add(where, number, text)
    assert SearchIndex(where).refresh()
    return where, texts, corpus


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways that only very many memories take."""
    monkeypatch.setattr(finding, "OFTEN", 2.0)
    monkeypatch.setattr(finding, "POOL", 10)


def check_recall(corpus: tuple[Home, list[str], Corpus], number: int) -> None:
    where, texts, made = corpus
    index = SearchIndex(where)
    for _ in range(number):
        query = made.query(made.random.choice(texts))
        wanted = expected(query, texts)
        found = search(index, query, limit=0)
        assert found.total == len(wanted), query
        if len(wanted) <= 60:
            assert set(ids(search(index, query))) == wanted, query


def test_finds_all_that_a_plain_comparison_finds(corpus: tuple[Home, list[str], Corpus]) -> None:
    check_recall(corpus, 120)


@pytest.mark.usefixtures("many")
def test_finds_all_in_the_ways_of_many(corpus: tuple[Home, list[str], Corpus]) -> None:
    check_recall(corpus, 120)


@settings(max_examples=60)
@given(query=st.text() | st.text(st.sampled_from("ab\"'()*:^-+ANDORNEAR \x00\ud800\udfff国é")))
def test_any_text_is_a_query(corpus: tuple[Home, list[str], Corpus], query: str) -> None:
    where, texts, _ = corpus
    assert search(SearchIndex(where), query, limit=1).total == len(expected(query, texts))


@pytest.mark.parametrize("sample", [250, 20])
def test_a_total_that_is_estimated_is_about_right(
    where: Home, monkeypatch: pytest.MonkeyPatch, sample: int
) -> None:
    monkeypatch.setattr(finding, "COMPARED", 100)
    monkeypatch.setattr(finding, "LISTED", 100)
    monkeypatch.setattr(finding, "POOL", 20)
    monkeypatch.setattr(finding, "SAMPLE", sample)
    monkeypatch.setattr(finding, "COUNTED", 60)
    choice = random.Random(3)
    texts = [choice.choice(("xabcdx", "abc bcd", "bcd abc")) for _ in range(500)]
    for number, text in enumerate(texts):
        add(where, number, text)
    index = SearchIndex(where)
    assert index.refresh()
    wanted = expected("abcd", texts)
    estimated = search(index, "abcd", limit=5).total
    assert estimated == pytest.approx(len(wanted), rel=0.2) and estimated != len(wanted)
    assert set(ids(search(index, "abcd"))) == wanted  # all of them without a limit
    monkeypatch.setattr(finding, "COMPARED", 500)
    monkeypatch.setattr(finding, "LISTED", 501)
    assert search(index, "abcd", limit=5).total == len(wanted)  # not so many that they are estimated


@settings(max_examples=25)
@given(
    texts=st.lists(st.text(max_size=200), min_size=1, max_size=8),
    queries=st.lists(st.text(min_size=1, max_size=6), max_size=3),
    pieces=st.randoms(use_true_random=False),
)
def test_generated_texts(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], queries: list[str], pieces: random.Random
) -> None:
    where = home(tmp_path_factory.mktemp("generated"))
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    for number, text in enumerate(texts):
        add(where, number, text)
    index = SearchIndex(where)
    assert index.refresh()
    for text in texts:
        start = pieces.randrange(len(text) + 1)
        queries.append(text[start : start + pieces.randint(1, 9)])
    for query in queries:
        assert set(ids(search(index, query))) == expected(query, texts)


def test_what_is_searched_is_more_than_the_text(where: Home) -> None:
    add(where, 0, "nothing", description="The refresh race", tags=("auth", "Zahlung"))
    add(where, 1, b"caf\xe9 \xff broken bytes")
    index = SearchIndex(where)
    for query in ("refresh", "zahl", memory_id(0)[:12], memory_id(0).lower()):
        assert memory_id(0) in ids(search(index, query))
    assert ids(search(index, "broken caf")) == [memory_id(1)]


@pytest.mark.parametrize("compared", [2, 1000])
def test_filters(where: Home, monkeypatch: pytest.MonkeyPatch, compared: int) -> None:
    monkeypatch.setattr(finding, "COMPARED", compared)
    add(where, 0, "text", tags=("Auth", "Über"))
    add(where, 1, "text", tags=("auth",), archived=True)
    add(where, 2, "text", project="/home/me/other")
    add(where, 3, "text other")
    index = SearchIndex(where)
    assert index.refresh()

    def numbers(filtered: Filter) -> set[int]:
        found = search(index, "text", filtered)
        assert found.total == len(found.hits)
        return {n for n in range(4) if memory_id(n) in ids(found)}

    assert numbers(Filter()) == {0, 2, 3}
    assert numbers(Filter(which=Which.ALL)) == {0, 1, 2, 3}
    assert numbers(Filter(which=Which.ARCHIVED)) == {1}
    assert numbers(Filter(tags=("AUTH",))) == {0}
    assert numbers(Filter(tags=("auth", "über"))) == {0}
    assert numbers(Filter(tags=("aut",))) == set()
    assert numbers(Filter(project="/home/me/other")) == {2}
    assert numbers(Filter(project="/home/me")) == {0, 2, 3}
    assert numbers(Filter(project="/home/m")) == set()
    newer = NOW - timedelta(minutes=47 * 2)
    assert numbers(Filter(since=newer, which=Which.ALL)) == {0, 1}
    assert numbers(Filter(until=newer)) == {2, 3}
    assert numbers(Filter(since=newer, until=newer, which=Which.ALL)) == {1}


def test_edits_and_deletions_by_hand_are_seen(where: Home) -> None:
    for number in range(3):
        add(where, number, f"number{number} common")
    index = SearchIndex(where)
    assert search(index, "common").total == 3
    path_of(where, 1).unlink()
    path = path_of(where, 2)
    path.write_bytes(path.read_bytes().replace(b"common", b"seldom"))
    (path.parent / f"{memory_id(7)}.md").write_text("by hand, common")  # no front matter
    for each in (index, SearchIndex(where)):
        assert set(ids(search(each, "common"))) == {memory_id(0), memory_id(7)}
        assert ids(search(each, "seldom")) == [memory_id(2)]
        assert search(each, "number1").total == 0
    broken = path.parent / f"{memory_id(8)}.md"
    broken.write_text("---\nid: [\n---\ncommon but broken")
    (found,) = (hit for hit in search(index, "but common").hits)
    assert found.listed.problem and found.listed.meta.id == memory_id(8)


def test_a_file_that_goes_while_it_is_searched_is_no_hit(
    where: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        add(where, number, f"number{number} common")
    index = SearchIndex(where)
    assert index.refresh()
    entries = index._entries(full=True)
    monkeypatch.setattr(index, "_entries", lambda full: entries)
    path_of(where, 0).unlink()
    path_of(where, 1).write_text("other")
    assert ids(search(index, "common")) == [memory_id(2)]


def test_what_is_new_is_read_when_the_time_is_over(where: Home) -> None:
    for number in range(5):
        add(where, number, f"number{number} common")
    index = SearchIndex(where)
    assert index.refresh()
    add(where, 5, "common, too")
    path_of(where, 0).write_text("not any more")
    index._refresh = lambda entries, end: False  # type: ignore[method-assign] # another process is at it
    assert search(index, "common").total == 5
    assert ids(search(index, "more")) == [memory_id(0)]


def test_a_search_that_leaves_something_out_says_so(where: Home) -> None:
    for number in range(300):
        add(where, number, "common")
    index = SearchIndex(where)
    some = index.search("common", ANY, limit=MANY, offset=0, now=NOW, budget=0)
    assert len(some.hits) == some.total == 200 and not some.complete  # one step, however little time there is
    index._refresh = lambda entries, end: False  # type: ignore[method-assign] # another process is at it
    assert index.search("common", ANY, limit=1, offset=0, now=NOW, budget=0) == replace(
        some, hits=some.hits[:1]
    )
    found = search(index, "common")
    assert found.total == 300 and found.complete


def test_refresh_stops_and_goes_on(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.store.index.search._BATCH", 2)
    for number in range(7):
        add(where, number, "common")
    index = SearchIndex(where)
    assert not index.refresh(budget=0)
    assert search(SearchIndex(where), "common").total == 7
    assert index.refresh(budget=60)
    assert index.refresh()


def test_large_texts_are_found_whole(where: Home) -> None:
    line = "word and 字 more of it number%07d\n"
    add(where, 0, "".join(line % n for n in range(60_000)) + "the needle_at the end 针")
    add(where, 1, "needle_at")
    add(where, 2, "x" * 300_000 + "needle")
    index = SearchIndex(where)
    for query, number in (
        ("needle_a", 2),
        ("needle_at the", 1),
        ("针", 1),
        ("number0059999", 1),
        ("xneedle", 1),
    ):
        assert search(index, query).total == number, query
    hit = search(index, '"the needle_at"').hits[0]
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["the needle_at"]


def test_a_snippet_is_of_the_text_and_only_else_of_what_is_said_about_it(where: Home) -> None:
    add(where, 0, "Round the tax per line", description="Tax of the shop", tags=("money",))
    index = SearchIndex(where)
    expected = {
        "tax": ("Round the tax per line", ["tax"]),
        "shop": ("Tax of the shop money", ["shop"]),
        memory_id(0): (f"{memory_id(0)} Tax of the shop money Round the tax per line", [memory_id(0)]),
        "": ("Round the tax per line", []),
    }
    for query, (line, marked) in expected.items():
        (hit,) = search(index, query).hits
        assert (hit.snippet, [hit.snippet[start:end] for start, end in hit.marks]) == (line, marked)


def test_ranking(where: Home) -> None:
    body = "one two three four five six seven eight nine ten "
    add(where, 0, body + "token")
    add(where, 1, body + "token token token")
    add(where, 2, body, description="token")
    add(where, 3, body * 40 + "token")
    add(where, 4, body + "subtokens")
    for number in range(10, 40):
        add(where, number, body)
    index = SearchIndex(where)
    assert ids(search(index, "token")) == [memory_id(n) for n in (2, 1, 0, 4, 3)]
    add(where, 5000, body + "token token token")  # the same long ago
    assert ids(search(index, "token")).index(memory_id(5000)) > 1
    # Of the same score, and without a query, the newest come first.
    newest = [memory_id(n) for n in (0, 1, 2, 3, 4, *range(10, 40), 5000)]
    assert ids(search(index, "")) == newest
    first = index.search("", Filter(), limit=4, offset=3, now=NOW)
    assert ids(first) == newest[3:7] and first.total == len(newest)


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


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("opened", [True, False])
def test_a_damaged_index_is_made_anew(where: Home, damage: str, opened: bool) -> None:
    corpus = Corpus()
    texts = [corpus.text() for _ in range(40)]
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
    database = index._database
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


def test_what_was_changed_often_does_not_pile_up(where: Home) -> None:
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
from memtui.project import Home
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
