"""The bar of a transcript shows the position by bytes."""

from __future__ import annotations

import pytest

from memtui.app.widgets.transcript_view import ByteBar


@pytest.mark.parametrize(
    ("bar", "cells"),
    [
        (ByteBar(), []),
        (ByteBar(0, 100, 100), []),
        (ByteBar(0, 10, 100), [0]),
        (ByteBar(50, 60, 100), [5]),
        (ByteBar(90, 100, 100), [9]),
        (ByteBar(99.5, 100, 100), [9]),
        (ByteBar(98, 99, 100), [9]),
        (ByteBar(40, 80, 100), [4, 5, 6, 7]),
    ],
)
def test_the_thumb_stands_where_the_bytes_are(bar: ByteBar, cells: list[int]) -> None:
    assert list(bar.thumb(10)) == cells


def test_a_press_leads_to_its_part_of_the_file() -> None:
    assert [ByteBar().percent_at(cell, 5) for cell in (0, 2, 4, 9)] == [0, 50, 100, 100]
