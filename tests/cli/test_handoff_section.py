"""A section between marks in a file of others: all else stays byte for byte, and it comes out again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.cli.export import section_in, with_section
from memtui.ground.text import FormatError

FIRST = "<!-- memtui:handoff begin; `memtui export --for AGENT --done` takes this section out -->\n"
LAST = "<!-- memtui:handoff end -->\n"
others = st.binary(max_size=60) | st.lists(
    st.sampled_from([b"# Rules", b"", b"\r", b"\xff", b"<!-- x -->", "é".encode(), b"```"]), max_size=6
).map(b"\n".join)
texts = st.text(max_size=40) | st.sampled_from([LAST, FIRST, "<!--\nx", ""])


def test_an_editor_may_have_changed_the_line_ends() -> None:
    data = with_section(b"# Rules\n", "one").replace(b"\n", b"\r\n")
    assert section_in(data) == (b"# Rules\r\n", b"")
    assert section_in(data.replace(b" begin;", b" begin 1 ;")) == (b"# Rules\r\n\r\n", b"")


@given(others, others, texts, texts)
def test_what_is_outside_stays_byte_for_byte(data: bytes, behind: bytes, one: str, two: str) -> None:
    made = with_section(data, one) + behind
    assert made.startswith(data)
    assert section_in(made) == (data, behind)
    assert with_section(made, two) == with_section(data, two) + behind
    assert section_in(with_section(None, one)) == (b"", b"")


@pytest.mark.parametrize("data", [FIRST, LAST, LAST + FIRST, (FIRST + LAST) * 2, FIRST + FIRST + LAST])
def test_broken_marks_are_left_alone(data: str) -> None:
    for change in (lambda: with_section(data.encode(), "x"), lambda: section_in(data.encode())):
        with pytest.raises(FormatError, match=r"take them out by hand$"):
            change()
