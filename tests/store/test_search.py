"""Searching while another search is at work."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memtui.ground.files import FileProblem, lock
from memtui.ground.project import Places, Project, memtui_home
from memtui.store.listing import Entry
from memtui.store.search import UNREADABLE, Result, Searcher, with_snippet
from memtui.store.search_index import File, opened, readings
from memtui.store.search_query import Kind, parse_search
from tests.transcripts import Transcript


def test_a_search_is_not_called_whole_by_another_that_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places(Project(tmp_path), memtui_home(), tmp_path / "claude")
    searcher = Searcher(places)
    searcher.update()
    session = Transcript(cwd=str(tmp_path))
    session.user("Weigh the anchors")
    session.write(places.claude / "projects" / "work")
    reading = searcher.reading
    with ExitStack() as other:
        other.enter_context(lock(searcher.path))

        @contextmanager
        def while_the_other_ends() -> Iterator[sqlite3.Connection]:
            with reading() as connection:
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM rows").fetchone()
                connection.execute("COMMIT")
                other.close()
                searcher.complete = True
                yield connection

        monkeypatch.setattr(searcher, "reading", while_the_other_ends)
        monkeypatch.setattr("memtui.store.search._FRESH", -1.0)
        (sessions, *_) = searcher.search(parse_search("anchors"))
    assert (sessions.results, sessions.complete) == ((), False)
    monkeypatch.setattr(searcher, "reading", reading)
    (sessions, *_) = searcher.search(parse_search("anchors"))
    assert (len(sessions.results), sessions.complete) == (1, True)


def test_a_search_that_is_not_wanted_any_more_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searcher = Searcher(Places(Project(tmp_path), memtui_home(), tmp_path / "claude"))
    update = searcher.update

    def interrupted(**options: Any) -> bool:
        searcher.interrupt()  # while it still looks for new files
        return update(**options)

    def endless(answer: Any, *_: Any) -> None:
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        answer._db.execute(f"{numbers} SELECT max(i) FROM n")

    monkeypatch.setattr(searcher, "update", interrupted)
    monkeypatch.setattr("memtui.store.search._Answer._look_up", endless)
    with pytest.raises(FileProblem, match="searched for something else"):
        searcher.search(parse_search("anchors"))


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.SESSION])
def test_a_text_is_shown_as_it_is_indexed(kind: Kind) -> None:
    home = memtui_home()
    path = home.data / "states" / "s-1" / "v0001.md"
    path.parent.mkdir(parents=True)
    path.write_text("- weigh the anchors\n")
    lines = opened(file := File(str(path), kind, str(home.data), name=path.name), Entry.of(path))
    texts = [[each.text for line in some for each in line.messages] for some in (readings(file), lines)]
    assert texts[0] == texts[1] and "weigh the anchors" in texts[0][0]


def test_a_row_that_cannot_be_read_says_so_once(tmp_path: Path) -> None:
    gone = Result(Kind.SESSION, "s-1", "Anchors", line=1, what="ask", file=File(str(tmp_path / "gone")))
    found = with_snippet(gone, parse_search("anchors"))
    assert found.snippet == UNREADABLE  # and no row without a snippet is read again


def test_an_answer_comes_before_rows_with_less_of_the_question(tmp_path: Path) -> None:
    places = Places(Project(tmp_path), memtui_home(), tmp_path / "claude")
    session = Transcript(cwd=str(tmp_path))
    session.user("Set the anchor")
    for _ in range(3):
        session.say("Nothing to see here but the sea.")
    session.user("Which rope is needed?")
    session.say("The anchor hangs on the blue one.")
    session.write(places.claude / "projects" / "work")
    (sessions, *_) = Searcher(places).search(parse_search("what rope holds an anchor if needed"))
    assert [found.line for found in sessions.results[0]][:4] == [5, 6, 4, 1]


def test_a_pin_has_its_own_source_and_a_memory_that_cannot_be_read_its_text(tmp_path: Path) -> None:
    places = Places(Project(tmp_path / "kiln"), memtui_home(), tmp_path / "claude")
    pins, broken = places.home.pins, places.home.memories / "2026-01" / "CMEM-20260101-000000.md"
    for path, text in (
        (pins, "- walrus (aaaa1111 L7)\n- walrus (bbbb1111 L9)\n"),
        (broken, "---\ndescription: giraffe\ntags: [[x\ncreated: 0001-01-01T00:00:00+00:00\n---\noctopus\n"),
    ):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    found = [group for group in Searcher(places).search(parse_search("walrus in:pins")) if group.results]
    assert sorted(one.line for results in found[0].results for one in results) == [7, 9]
    (group,) = [each for each in Searcher(places).search(parse_search("giraffe")) if each.results]
    assert group.results[0][0].name == "CMEM-20260101-000000"
