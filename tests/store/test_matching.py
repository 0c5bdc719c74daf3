"""The meaning of queries, and snippets."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.store.folding import fold
from memtui.store.matching import Query

# Characters that make another one with the character before them are no part of it by themselves.
_JOINING = "\u3099\u309a\uff9e\uff9f"
_LETTERS = st.characters(codec="utf-8", categories=("Lu", "Ll", "Lo", "Nd", "Zs"))
_PLAIN = st.text(st.characters(exclude_characters=_JOINING)).filter(
    lambda text: not any("\u1100" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff" for char in text)
)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("", ()),
        ("  \t\n ", ()),
        ("Token  refresh token", ("token", "refresh")),
        ('"Token  refresh" race', ("token refresh", "race")),
        ("“token refresh” race", ("token refresh", "race")),
        ("„token refresh“ «so it» 「是 不」", ("token refresh", "so it", "是 不")),
        ('race "token ref', ("race", "token ref")),
        ('say"hi', ('say"hi',)),
        ('"', ('"',)),
        ('""', ('""',)),
        ('" "', ('"',)),
        ("it’s", ("it's",)),
        ("C++ a.b foo-bar ( *", ("c++", "a.b", "foo-bar", "(", "*")),
        ("Ｆｕｌｌ ｶﾞ Straße", ("full", "ガ", "strasse")),
        ("a\x00b", ("a", "b")),
    ],
)
def test_terms(query: str, terms: tuple[str, ...]) -> None:
    assert Query.parse(query).terms == terms


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("user", "getUserById"),
        ("cafe", "Café"),
        ("CAFÉ", "cafe\u0301"),
        ("über", "UBER"),
        ("2", "x²"),
        ("fi", "ﬁnal"),
        ("国", "中国人"),
        ("가", "\u1100\u1161"),
        ("istanbul", "İstanbul"),
        ('"token refresh"', "the Token\r\n  refreshed"),
        ("b a", "a then b"),
        ("❤", "❤️"),
        ("שלום", "שָׁלוֹם"),
        ("´", "a ´ b"),
    ],
)
def test_matches(query: str, text: str) -> None:
    assert Query.parse(query).matches(text)


@pytest.mark.parametrize(
    ("query", "text"),
    [("users", "user"), ('"a b"', "b a"), ("か", "が"), ("하", "한"), ("a c", "a b"), ("´", "a"), ("国", "")],
)
def test_does_not_match(query: str, text: str) -> None:
    assert not Query.parse(query).matches(text)


@given(_PLAIN, _PLAIN, _PLAIN)
def test_a_part_of_a_text_matches_it(before: str, part: str, after: str) -> None:
    assert fold(part) in fold(before + part + after)
    assert fold(part.casefold()) in fold(before + part + after)
    for term in part.split():
        assert Query.parse(term).matches(before + part + after)


@given(st.text())
def test_folding_twice_changes_no_match(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(text)
    assert "\x00" not in fold(text)


@given(st.text(), st.text())
def test_any_text_is_a_query(query: str, text: str) -> None:
    text += query
    parsed = Query.parse(query)
    snippet, marks = parsed.snippet(text)
    assert len(snippet.splitlines()) <= 1
    end = 0
    for start, stop in marks:
        assert end <= start < stop <= len(snippet)
        end = stop
    if parsed.terms and parsed.matches(text) and len(text) < 100:
        assert marks


@given(
    st.text(st.characters(codec="utf-8", categories=("Lu", "Ll", "Lo", "Nd", "Zs")), min_size=1), st.data()
)
def test_marks_cover_the_terms(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    query = Query.parse(text[start : start + 5].replace('"', ""))
    snippet, marks = query.snippet(text)
    for begin, end in marks:
        marked = fold(snippet[begin:end])
        assert any(term in marked for term in query.terms)


def test_the_snippet_of_a_match_far_into_a_long_text() -> None:
    text = "Anfang über " + "wort ß " * 20_000 + "hier die\n   Nadel im Heu " + "ende " * 20_000
    snippet, marks = Query.parse('nadel "DIE nadel"').snippet(text)
    assert [snippet[start:end] for start, end in marks] == ["die Nadel"]
    assert snippet.startswith("…") and snippet.endswith("…") and len(snippet) < 170


def test_snippets_keep_the_text_as_it_is_written() -> None:
    snippet, marks = Query.parse("cafe ガ strasse").snippet("Das Cafe\u0301 in der Straße:\tｶﾞﾗｽ")
    assert snippet == "Das Cafe\u0301 in der Straße: ｶﾞﾗｽ"
    assert [snippet[start:end] for start, end in marks] == ["Cafe\u0301", "Straße", "ｶﾞ"]


def test_without_a_match_the_snippet_is_the_beginning() -> None:
    assert Query.parse("").snippet("  one\ntwo ") == ("one two", ())
    assert Query.parse("x").snippet("") == ("", ())
