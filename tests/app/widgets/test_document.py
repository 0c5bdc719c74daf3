"""Documents: Markdown lightly, long lines cut visibly, everything cleaned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.app.widgets.document import (
    LINE_LIMIT,
    Document,
    Layout,
    Line,
    Place,
    Span,
    concat,
    from_markdown,
    line,
    plain,
    rule,
    styled,
)
from memtui.app.widgets.document_view import LOOKS
from memtui.app.widgets.wrap import wrap
from memtui.ground.clean import clean
from tests.app.widgets.hosts import hostile_texts

MARKDOWN = st.lists(
    st.sampled_from(
        ["**", "`", "``", "#", "- ", "* ", "> ", "```", "~~~", "\n", " ", "a", "1. ", "|", "---", "漢"]
    ),
    max_size=60,
).map("".join)


@given(st.text(st.characters(exclude_categories=())) | MARKDOWN)
def test_markdown_never_fails_and_keeps_every_line(text: str) -> None:
    document = from_markdown(text)
    assert len(document) == clean(text).count("\n") + 1
    for made in document.lines:
        assert "\n" not in made.text
        assert made.role in ("", *LOOKS)
        for span in made.spans:
            assert 0 <= span.start <= span.end <= len(made.text)
            assert span.role in LOOKS


@given(MARKDOWN)
def test_markdown_loses_no_words(text: str) -> None:
    kept = "".join(from_markdown(text).text.split())
    assert [char for char in kept if char in "a漢|"] == [char for char in text if char in "a漢|"]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("# Title", Line("Title", "title")),
        ("## Two `x` ##", Line("Two x", "heading", (Span(4, 5, "code"),))),
        ("#hash", Line("#hash")),
        ("- item", Line("• item", "", (Span(0, 2, "bullet"),), 2)),
        ("  * deep", Line("  • deep", "", (Span(0, 4, "bullet"),), 4)),
        ("12. **b** c", Line("12. b c", "", (Span(0, 4, "bullet"), Span(4, 5, "strong")), 4)),
        ("> said", Line("▎ said", "quote", (Span(0, 2, "quote"),), 2)),
        ("---", Line("", "rule")),
        ("* * *", Line("", "rule")),
        ("**bold** and `code`", Line("bold and code", "", (Span(0, 4, "strong"), Span(9, 13, "code")))),
        ("``a ` b``", Line("a ` b", "", (Span(0, 5, "code"),))),
        ("one ` tick", Line("one ` tick")),
        ("`**x**`", Line("**x**", "", (Span(0, 5, "code"),))),
        ("**a `b` c**", Line("a b c", "", (Span(0, 5, "strong"), Span(2, 3, "code")))),
        ("src/**/*.py and tests/**/*.py", Line("src/**/*.py and tests/**/*.py")),
        ("2 ** 3 ** 4", Line("2 ** 3 ** 4")),
        ("| a | b |", Line("| a | b |")),
        ("    indented", Line("    indented", "", (), 4)),
        ("", Line("")),
    ],
)
def test_markdown_by_line(source: str, made: Line) -> None:
    assert from_markdown(source).lines == (made,)


def test_fences_are_verbatim_until_they_close() -> None:
    source = "```py\n# no heading\n  **x**\n````\nafter"
    assert [(made.text, made.role) for made in from_markdown(source).lines] == [
        ("```py", "dim"),
        ("# no heading", "code"),
        ("  **x**", "code"),
        ("````", "dim"),
        ("after", ""),
    ]
    longer = "````\n```\n# still code\n````\n# out"
    assert [made.role for made in from_markdown(longer).lines] == ["dim", "code", "code", "dim", "title"]
    assert [made.role for made in from_markdown("```\nnever closed\n# x").lines] == ["dim", "code", "code"]
    assert from_markdown("```inline``` code").lines[0].role == ""


@given(st.integers(1, 3000), st.sampled_from(["x", "漢", "👨‍👩‍👧", "🇩🇪", "e\u0301"]))
def test_long_lines_are_cut_visibly_and_between_graphemes(count: int, cluster: str) -> None:
    text = cluster * count
    made = line(text)
    if len(text) <= LINE_LIMIT:
        assert made.text == text
        return
    kept, note = made.text.split("…")
    assert text.startswith(kept)
    assert len(kept) % len(cluster) == 0
    assert LINE_LIMIT - 40 <= len(kept) <= LINE_LIMIT
    assert note == f" ({len(text) - len(kept):,} more characters)"
    assert made.spans == (Span(len(kept), len(made.text), "dim"),)


def test_spans_end_where_a_line_is_cut() -> None:
    made = styled(("a" * 1990, "good"), ("b" * 100, "bad"), ("c", "warn"))
    assert [span.role for span in made.spans] == ["good", "bad", "dim"]
    assert max(span.end for span in made.spans[:2]) == LINE_LIMIT


@hostile_texts
def test_every_builder_cleans(hostile: str) -> None:
    for document in (concat(line(hostile), styled((hostile, "bad")), rule(hostile)), plain(hostile)):
        for made in document.lines:
            assert clean(made.text) == made.text
            assert "\n" not in made.text


DOCUMENT = st.lists(st.text(st.sampled_from("ab 漢  "), max_size=60), min_size=1, max_size=30).map(
    lambda rows: Document([line(row, hang=index % 5) for index, row in enumerate(rows)])
)
WIDTH = st.integers(1, 30)


@given(DOCUMENT, WIDTH)
def test_rows_are_the_pieces_of_all_lines_in_order(document: Document, width: int) -> None:
    layout = Layout(document, width)
    expected = [
        (number, index, piece)
        for number, made in enumerate(document.lines)
        for index, piece in enumerate(wrap(made.text, width, made.hang))
    ]
    assert [layout.row(row) for row in range(layout.rows)] == expected


@given(DOCUMENT, WIDTH)
def test_a_place_is_found_again(document: Document, width: int) -> None:
    layout = Layout(document, width)
    for row in range(layout.rows):
        assert layout.row_of(layout.place(row)) == row


@given(DOCUMENT, WIDTH, WIDTH, st.data())
def test_another_width_shows_the_same_line(
    document: Document, width: int, other: int, data: st.DataObject
) -> None:
    layout, narrower = Layout(document, width), Layout(document, other)
    place = layout.place(data.draw(st.integers(0, layout.rows - 1)))
    number, index, piece = narrower.row(narrower.row_of(place))
    assert number == place.line
    assert piece.start <= place.char or index == 0


def test_a_rule_takes_one_row_whatever_its_text() -> None:
    assert Layout(concat(rule("a long caption of a rule"), plain("x")), 5).rows == 2


def test_an_empty_document_has_no_rows() -> None:
    layout = Layout(Document(), 10)
    assert (layout.rows, layout.place(3), layout.row_of(Place(7, 1))) == (0, Place(0), 0)
