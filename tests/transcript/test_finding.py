"""Finding text in a transcript of any size, forwards and backwards, as a reader would see it."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript import finding
from memtui.transcript.blocks import Block, blocks
from memtui.transcript.finding import Hit, Query, lines_backward, lines_forward
from memtui.transcript.lines import read_lines
from tests.app.widgets.records import said, text, user, write

CASED_WORDS = ("ОшИбка в коде", "straße STRASSE", "ΟΔΌΣ οδός", "ÄPFEL im Ä")
WORDS = (
    "alpha",
    "Alpha",
    "ÄPFEL äpfel",
    "漢字",
    'say "x"',
    "a\\b",
    "two\nalpha lines",
    "type",
    "tab\tend",
    *CASED_WORDS,
)

CASED = ("ошибка в", "straße", "οδός", "οδόσ", "ä", "im ä")


def rows(block: Block) -> list[str]:
    return str(getattr(block.event, "text", "")).split("\n")


def never() -> bool:
    return False


def expected(path: Path, query: Query) -> list[list[Hit]]:
    found = [finding.hits_in(blocks(line), query, rows) for line in read_lines(path)]
    return [hits for hits in found if hits]


@given(
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.sampled_from(
        ("alpha", "Alpha", "äpfel", "Ä", "漢", '"x"', "\\", "type", "pfel ä", "nowhere", "a", *CASED)
    ),
    st.booleans(),
    st.sampled_from((100, 256 << 10)),
)
def test_every_hit_is_found_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], wanted: str, escaped: bool, chunk: int
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    records = [user(word) if number % 2 else said(text(word)) for number, word in enumerate(words)]
    write(path, *(json.dumps(record, ensure_ascii=escaped) + "\n" for record in records))
    query = Query(wanted)
    size = path.stat().st_size
    with patch.object(finding, "_CHUNK", chunk):
        forward = list(lines_forward(path, 0, query, rows, never))
        assert forward == expected(path, query)
        assert list(lines_backward(path, size, query, rows, never)) == forward[::-1]
        for middle in {hits[0].key[0] for hits in forward}:
            before = list(lines_forward(path, 0, query, rows, never, middle))
            behind = list(lines_backward(path, size, query, rows, never, middle))
            assert all(hits in (before if hits[0].key[0] < middle else behind) for hits in forward)


def test_a_line_longer_than_a_chunk_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_CHUNK", 100)
    path = write(tmp_path / "t.jsonl", user("x" * 500 + " needle"), user("other"), user("needle too"))
    query = Query("needle")
    forward = list(lines_forward(path, 0, query, rows, never))
    assert [hits[0].key[0] for hits in forward] == [0, len(path.read_bytes().rsplit(b"\n", 2)[0]) + 1]
    assert list(lines_backward(path, path.stat().st_size, query, rows, never)) == forward[::-1]


def test_a_capital_makes_case_count() -> None:
    assert Query("fix").is_in("FIX it")
    assert not Query("Fix").is_in("fix it")
    assert Query("fix").spans("Fix, fix") == [(0, 3), (5, 8)]
    assert Query("").spans("anything") == []


@pytest.mark.parametrize(
    ("wanted", "needles"),
    [
        ("plain", (b"plain",)),
        ('a "quoted" word', (b"quoted",)),
        ("Ä", ("Ä".encode(), b"\\u00c4")),
        ("ä", ()),
        ("\\", ()),
    ],
)
def test_what_json_may_write_otherwise_is_not_searched_as_bytes(
    wanted: str, needles: tuple[bytes, ...]
) -> None:
    assert Query(wanted).needles == needles


def test_cased_letters_beyond_ascii_are_searched_as_bytes() -> None:
    first = [literal for literal, _ in Query("ошибка").patterns]
    assert {"О".encode(), "о".encode(), b"\\u041e", b"\\u043e"} <= set(first)
    assert Query("plain").patterns == Query("漢字").patterns == Query("Ошибка").patterns == ()
    assert not any(each.search("ов".encode()) for _, each in Query("ош").patterns)
    assert any(each.search("Ош".encode()) for _, each in Query("ош").patterns)


def test_cancelling_ends_the_search(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", *[user("needle")] * 5)
    assert list(lines_forward(path, 0, Query("needle"), rows, lambda: True)) == []
