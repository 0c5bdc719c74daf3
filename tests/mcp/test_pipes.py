"""Lines of a stream of bytes, however it is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.mcp.pipes import split_lines


@given(st.lists(st.text("a\n", max_size=9).map(str.encode), max_size=9), st.integers(1, 8))
def test_lines(chunks: list[bytes], limit: int) -> None:
    whole = b"".join(chunks)
    expected = whole.split(b"\n")
    if not expected[-1]:
        expected.pop()
    cut = [line if len(line) <= limit else None for line in expected]
    assert list(split_lines(iter(chunks), limit)) == cut
