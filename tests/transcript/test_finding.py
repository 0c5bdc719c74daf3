"""Finding text in a transcript of any size, forwards and backwards, as a reader would see it."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcript import line_index
from memtui.transcript.blocks import Block, blocks
from memtui.transcript.line_index import Hit, LineIndex, Query, find, hits_in
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


def test_any_of_some_words_is_found(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", user("The old hinge"), user("nothing"), said(text("Oiled hinges")))
    query = Query("hinge oiled", ("hinge", "hinges", "oiled"))
    assert len(found(path, query)) == 2
    assert query.spans("Oiled hinges") == [(0, 5), (6, 12)] and not query.is_in("the hing")
    assert Query("x ä", ("x", "ä")).needles == ()
