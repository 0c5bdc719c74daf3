"""Layouts: rows and places agree at every width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.app.widgets.document import Document, Layout, Place, concat, line, plain, rule
from memtui.app.widgets.wrap import wrap

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
