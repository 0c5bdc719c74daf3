"""The index of a transcript agrees with reading every line of it, and so does finding."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript import line_index
from memtui.transcript.blocks import Block, blocks
from memtui.transcript.events import Boundary
from memtui.transcript.line_index import Hit, LineIndex, Query, find, hits_in, opened
from memtui.transcript.lines import read_lines
from tests.app.widgets.records import call, result, said, text, user, write

RECORDS = (
    user("an ask"), user("Caveat: The messages below were generated", isMeta=True), said(text("a text")),
    said(call("Bash", command='echo "type":"text"')),
    said(text("by a subagent"), isSidechain=True, agentId="a"), result("output"),
    {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "typed meanwhile"}},
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
    {"type": "progress", "data": {"type": "bash_progress"}}, "not JSON\n", "\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(RECORDS), max_size=30), st.integers(0, 30))
def test_it_agrees_with_reading_and_grows(
    tmp_path_factory: pytest.TempPathFactory, records: list[object], pause: int
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    index = LineIndex()
    for part in (records[:pause], records[pause:]):
        write(path, *part)  # type: ignore[arg-type]
        index.scan(path)
        index.classify(path)
    asks, boundaries = [], []
    for line in read_lines(path):
        number = line.number - 1
        assert (index.start(number), index.start(number + 1)) == (line.offset, line.end)
        assert index.at(line.offset) == index.at(line.end - 1) == index.after(line.offset) == number
        for block in blocks(line):
            if block.is_ask:
                asks.append(number)
            elif isinstance(block.event, Boundary):
                boundaries.append(number)
    assert (list(index.asks), list(index.boundaries)) == (asks, boundaries)
    assert len(index) == path.read_bytes().count(b"\n")


@given(st.lists(st.integers(0, 300), min_size=1, max_size=12), st.integers(-5, 3000), st.booleans())
def test_the_line_at_or_after_an_offset(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], offset: int, ended: bool
) -> None:
    data = b"\n".join(b"x" * size for size in sizes) + (b"\n" if ended else b"")
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    path.write_bytes(data)
    index = LineIndex()
    with patch.object(line_index, "_BLOCK", 64):
        index.scan(path)
    starts = [0, *(at + 1 for at in range(len(data) - 1) if data[at : at + 1] == b"\n")]
    after = [start for start in starts if start >= offset]
    assert index.start(index.after(offset)) == (after[0] if after else starts[-1])


def test_a_line_still_being_written_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_index, "_BLOCK", 50)
    path = write(tmp_path / "t.jsonl", user("one"), b'{"type":"user","message":{"content":"two"')
    index = LineIndex()
    for part, lines in ((b"", 1), (b"}}", 2), (b"\n", 2), (b"{", 2)):
        write(path, part)
        index.scan(path)
        assert (len(index), index.end) == (lines, path.stat().st_size)
    index.classify(path)
    assert (list(index.asks), index.complete) == ([0, 1], True)


def test_turns_are_counted_from_the_first_ask(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", {"type": "mode"}, user("one"), said(text("x")), user("two"))
    index = LineIndex()
    index.scan(path)
    index.classify(path)
    assert [index.turn_at(line) for line in range(4)] == [0, 1, 1, 2]


def test_a_hole_is_passed_over_without_being_held(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", user("one"))
    with path.open("r+b") as file:
        file.truncate(300_000_000)
    write(path, "\n", user("two"))
    tracemalloc.start()
    index = LineIndex()
    index.scan(path)
    index.classify(path)
    with opened(path) as file:
        found = [index.read(file, line) for line in range(len(index))]
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()
    assert [len(each) for each in found] == [1, 1, 1] and list(index.asks) == [0, 2]


CASED_WORDS = ("ОшИбка в коде", "straße STRASSE", "ΟΔΌΣ οδός", "ÄPFEL im Ä")
WORDS = (
    "alpha", "Alpha", "ÄPFEL äpfel", "漢字", 'say "x"', "a\\b", "two\nalpha lines", "type", "tab\tend",
    *CASED_WORDS,
)  # fmt: skip

CASED = ("ошибка в", "straße", "οδός", "οδόσ", "ä", "im ä")


def rows(block: Block) -> list[str]:
    return str(getattr(block.event, "text", "")).split("\n")


def found(path: Path, query: Query) -> list[Hit]:
    index = LineIndex()
    index.scan(path)
    return [hit for hits in find(path, index, query, 0, len(index), rows) for hit in hits]


@given(
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.sampled_from(
        ("alpha", "Alpha", "äpfel", "Ä", "漢", '"x"', "\\", "type", "pfel ä", "nowhere", "a", *CASED)
    ),
    st.booleans(),
    st.sampled_from((100, 256 << 10)),
)
def test_every_hit_is_found(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], wanted: str, escaped: bool, stretch: int
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    records = [user(word) if number % 2 else said(text(word)) for number, word in enumerate(words)]
    write(path, *(json.dumps(record, ensure_ascii=escaped) + "\n" for record in records))
    query = Query(wanted)
    with patch.object(line_index, "_STRETCH", stretch):
        assert found(path, query) == [
            hit for line in read_lines(path) for hit in hits_in(blocks(line), query, rows)
        ]


def test_a_line_longer_than_a_stretch_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_index, "_STRETCH", 100)
    path = write(tmp_path / "t.jsonl", user("x" * 500 + " needle"), user("other"), user("needle too"))
    starts = [hit.key[0] for hit in found(path, Query("needle"))]
    assert starts == [0, len(path.read_bytes().rsplit(b"\n", 2)[0]) + 1]


def test_a_capital_makes_case_count() -> None:
    assert Query("fix").is_in("FIX it")
    assert not Query("Fix").is_in("fix it")
    assert Query("fix").spans("Fix, fix") == [(0, 3), (5, 8)]
    assert Query("").spans("anything") == []


@pytest.mark.parametrize(
    ("wanted", "needles"),
    [("plain", (b"plain",)), ('a "quoted" word', (b"quoted",)), ("ä", ()), ("Ärger", (b"rger",)), ("\\", ())],
)
def test_what_json_may_write_otherwise_is_not_searched_as_bytes(
    wanted: str, needles: tuple[bytes, ...]
) -> None:
    assert Query(wanted).needles == needles


def test_any_of_some_words_is_found(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", user("The old hinge"), user("nothing"), said(text("Oiled hinges")))
    query = Query("hinge oiled", ("hinge", "hinges", "oiled"))
    assert len(found(path, query)) == 2
    assert query.spans("Oiled hinges") == [(0, 5), (6, 12)] and not query.is_in("the hing")
    assert Query("x ä", ("x", "ä")).needles == ()
