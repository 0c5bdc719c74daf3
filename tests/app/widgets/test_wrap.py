"""Word wrap: nothing is lost, nothing is too wide, no grapheme is split."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.app.widgets import wrap as module
from memtui.app.widgets.wrap import cut, cut_left, cut_path, graphemes, hang_for, short_paths, wrap

CLUSTERS = (
    "a", "bc", "word", " ", "  ", "漢", "字", "。", "カ", "가", "é", "e\u0301", "ก", "กำ", "ที่", "ש", "ل",
    "👍🏽", "👨‍👩‍👧", "🇩🇪", "🇫🇷", "❤️", "1️⃣", "→", "…", "—", "\u200b", "\u0301", "\u3000", "ﷺ",
)  # fmt: skip
TEXT = st.lists(st.sampled_from(CLUSTERS), max_size=60).map("".join)
ASCII = st.text(st.sampled_from("ab c  d-"), max_size=120)
WIDTH = st.integers(1, 40)


def shown(text: str, width: int, hang: int = 0) -> list[str]:
    return [text[start:end] for start, end in wrap(text, width, hang)]


@given(TEXT | ASCII, WIDTH, st.integers(0, 50))
def test_pieces_join_to_the_text_but_for_spaces_at_breaks(text: str, width: int, hang: int) -> None:
    pieces = wrap(text, width, hang)
    assert pieces
    at = 0
    for start, end in pieces:
        assert at <= start <= end
        assert not text[at:start].strip(" ")
        at = end
    assert not text[at:].strip(" ")


@given(TEXT | ASCII, WIDTH, st.integers(0, 50))
def test_no_piece_is_wider_than_the_line(text: str, width: int, hang: int) -> None:
    for number, (start, end) in enumerate(wrap(text, width, hang)):
        room = width - (hang_for(width, hang) if number else 0)
        cells = cell_len(text[start:end])
        assert cells <= max(1, room) or len(graphemes(text[start:end])) == 1


@given(TEXT, WIDTH)
def test_no_grapheme_is_torn(text: str, width: int) -> None:
    edges = {start for start, _, _ in graphemes(text)} | {len(text)}
    for start, end in wrap(text, width):
        assert {start, end} <= edges


@given(TEXT | ASCII, WIDTH)
def test_a_line_is_broken_only_when_the_next_word_does_not_fit(text: str, width: int) -> None:
    pieces = wrap(text, width)
    for (start, end), (following, stop) in pairwise(pieces):
        first = following + next(iter(graphemes(text[following:stop])))[1]
        word = text.find(" ", following)
        whole = text[start : (word if word >= 0 else len(text))]
        assert cell_len(text[start:first]) > width or cell_len(whole) > width, (text[start:end], whole)


@given(TEXT)
def test_graphemes_cover_the_text(text: str) -> None:
    spans = graphemes(text)
    assert "".join(text[start:end] for start, end, _ in spans) == text
    assert sum(cells for _, _, cells in spans) == cell_len(text)


@pytest.mark.parametrize("cluster", ["e\u0301", "กำ", "ที่", "👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️", "1️⃣", "각"])
def test_a_cluster_is_one_grapheme(cluster: str) -> None:
    assert [(start, end) for start, end, _ in graphemes(cluster)] == [(0, len(cluster))]
    assert [(start, end) for start, end, _ in graphemes("x" + cluster + "x")][1] == (1, 1 + len(cluster))


def test_two_flags_are_two_graphemes() -> None:
    assert [end - start for start, end, _ in graphemes("🇩🇪🇫🇷🇩")] == [2, 2, 1]


def test_plain_characters_have_the_width_they_are_taken_for() -> None:
    for code in range(0x20, 0x10000):
        char = chr(code)
        if module._PLAIN.fullmatch(char):
            assert cell_len(char) == 1, hex(code)


@pytest.mark.parametrize(
    ("text", "width", "hang", "rows"),
    [
        ("", 10, 0, [""]),
        ("   ", 2, 0, [""]),
        ("one two three", 7, 0, ["one two", "three"]),
        ("one two  three", 8, 0, ["one two", "three"]),
        ("one two three   ", 7, 0, ["one two", "three"]),
        ("- one two three", 7, 2, ["- one", "two", "three"]),
        ("abcdefghij", 4, 0, ["abcd", "efgh", "ij"]),
        ("a abcdefghij", 4, 0, ["a", "abcd", "efgh", "ij"]),
        ("    deep indent", 8, 4, ["    deep", "inde", "nt"]),
        ("          far", 6, 0, ["far"]),
        ("漢字漢字漢字", 5, 0, ["漢字", "漢字", "漢字"]),
        ("see 漢字漢字", 8, 0, ["see 漢字", "漢字"]),
        ("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 4, 0, ["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]),
        ("🇩🇪🇫🇷🇮🇹", 5, 0, ["🇩🇪🇫🇷", "🇮🇹"]),
        ("e\u0301" * 5, 2, 0, ["e\u0301e\u0301", "e\u0301e\u0301", "e\u0301"]),
        ("שלום עולם", 5, 0, ["שלום", "עולם"]),
        ("    漢字", 5, 0, ["漢字"]),
        ("漢", 1, 0, ["漢"]),
    ],
)
def test_examples(text: str, width: int, hang: int, rows: list[str]) -> None:
    assert shown(text, width, hang) == rows


@pytest.mark.parametrize("path", ["/a/path/without/any/space", "/a/påth/ẃithout/any/space"])
def test_a_bullet_stays_with_the_long_word_behind_it(path: str) -> None:
    rows = shown(f"• {path} (role: main)", 20, 2)
    assert rows[0] == f"• {path[:16]}"


@given(TEXT | ASCII, st.integers(0, 40))
def test_a_cut_text_is_no_wider(text: str, width: int) -> None:
    assert cell_len(cut(text, width)) <= width
    if cell_len(text) <= width:
        assert cut(text, width) == text


@given(TEXT | ASCII, st.integers(0, 40))
def test_cut_left_keeps_the_end(text: str, width: int) -> None:
    kept = cut_left(text, width)
    assert cell_len(kept) <= width
    assert text.endswith(kept.removeprefix("…")) or kept == text


def test_what_is_cut_shows_that_something_is_missing() -> None:
    assert cut_left("/a/long/path.py", 8) == "…path.py"
    assert cut("abcdef", 4) == "abc…"
    assert cut("漢字漢字", 4) == "漢…"
    assert cut("🇩🇪🇩🇪🇩🇪", 4) == "🇩🇪…"
    assert cut_path("~/work/a/very/long/way/to/name.py", 20) == "~/work…ay/to/name.py"
    assert cut_path("short.py", 20) == "short.py"
    text = short_paths(f"- Files: /home/ann/{'way/' * 22}name.py, /p/x.py https://a/{'b' * 80}", "/p")
    assert text == f"- Files: ~/{'way/' * 5}wa…ay/{'way/' * 9}name.py, x.py https://a/{'b' * 80}"
    assert (
        short_paths("src/p/x.py /p/x.py\nNever /p/x.py (L4)", "/p") == "src/p/x.py x.py\nNever /p/x.py (L4)"
    )
