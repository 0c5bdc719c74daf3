"""The search index finds what a plain comparison of all texts finds, however its database is treated."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.ground.project import Home
from memtui.store.base import Filter
from memtui.store.index import SearchIndex, files, finding
from memtui.store.index.document import Document
from memtui.store.listing import Entry
from tests.store.corpus import NOW, Corpus, add, home, memory_id, path_of
from tests.store.index.searching import ANY, MANY, expected, ids, search


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, list[str], Corpus]:
    where = home(tmp_path_factory.mktemp("corpus"))
    corpus = Corpus()
    texts = [corpus.text() for _ in range(300)]
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
    add(where, 1, "text", tags=("auth",))
    add(where, 2, "text", project="/home/me/other")
    add(where, 3, "text other")
    index = SearchIndex(where)
    assert index.refresh()

    def numbers(filtered: Filter) -> set[int]:
        found = search(index, "text", filtered)
        assert found.total == len(found.hits)
        return {n for n in range(4) if memory_id(n) in ids(found)}

    assert numbers(Filter()) == {0, 1, 2, 3}
    assert numbers(Filter(tags=("AUTH",))) == {0, 1}
    assert numbers(Filter(tags=("auth", "über"))) == {0}
    assert numbers(Filter(tags=("aut",))) == set()
    assert numbers(Filter(project="/home/me/other")) == {2}
    assert numbers(Filter(project="/home/me")) == {0, 1, 2, 3}
    assert numbers(Filter(project="/home/m")) == set()
    newer = NOW - timedelta(minutes=47 * 2)
    assert numbers(Filter(since=newer)) == {0, 1}
    assert numbers(Filter(until=newer)) == {1, 2, 3}
    assert numbers(Filter(since=newer, until=newer)) == {1}


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
    entries = index.documents._entries(full=True)
    monkeypatch.setattr(index.documents, "_entries", lambda full: entries)
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
    index.documents._refresh = lambda entries, end: False  # type: ignore[method-assign] # another process is at it
    assert search(index, "common").total == 5
    assert ids(search(index, "more")) == [memory_id(0)]


def test_a_search_that_leaves_something_out_says_so(where: Home) -> None:
    for number in range(300):
        add(where, number, "common")
    index = SearchIndex(where)
    some = index.search("common", ANY, limit=MANY, offset=0, now=NOW, budget=0)
    assert len(some.hits) == some.total == 200 and not some.complete  # one step, however little time there is
    index.documents._refresh = lambda entries, end: False  # type: ignore[method-assign] # another process is at it
    assert index.search("common", ANY, limit=1, offset=0, now=NOW, budget=0) == replace(
        some, hits=some.hits[:1]
    )
    found = search(index, "common")
    assert found.total == 300 and found.complete


def test_refresh_stops_and_goes_on(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.store.index.documents._BATCH", 2)
    for number in range(7):
        add(where, number, "common")
    index = SearchIndex(where)
    assert not index.refresh(budget=0)
    assert search(SearchIndex(where), "common").total == 7
    assert index.refresh(budget=60)
    assert index.refresh()


def test_large_texts_are_found_whole(where: Home) -> None:
    line = "word and 字 more of it number%07d\n"
    add(where, 0, "".join(line % n for n in range(20_000)) + "the needle_at the end 针")
    add(where, 1, "needle_at")
    add(where, 2, "x" * 300_000 + "needle")
    index = SearchIndex(where)
    for query, number in (
        ("needle_a", 2),
        ("needle_at the", 1),
        ("针", 1),
        ("number0019999", 1),
        ("xneedle", 1),
    ):
        assert search(index, query).total == number, query
    hit = search(index, '"the needle_at"').hits[0]
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["the needle_at"]


def test_a_snippet_prefers_the_text_over_the_metadata(where: Home) -> None:
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


def test_what_is_shown_again_is_not_read_again(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    add(where, 1, "the lamp")
    index = SearchIndex(where)
    assert search(index, "lamp").total == 1
    read: list[Entry] = []
    really = files.read_all

    def noted(entries: Iterable[Entry], home: Home) -> Iterator[Document]:
        some = list(entries)
        read.extend(some)
        return really(some, home)

    monkeypatch.setattr("memtui.store.index.files.read_all", noted)
    assert search(index, "the lamp").hits[0].snippet == "the lamp" and read == []
    path_of(where, 1).write_text(path_of(where, 1).read_text().replace("the lamp", "the lamps"))
    assert search(index, "lamp").hits[0].snippet == "the lamps" and read
