"""Front matter that is read by hand: the same values as PyYAML's."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from memtui.documents import memory as front_matter
from memtui.documents import yaml_texts
from tests.documents.strategies import anything, lines

words = st.sampled_from(
    (
        "yes", "No", "on", "NULL", "null", "~", "y", "=", "<<", "1", "1_0", "0x1f", "1e3", ".5",
        "1:30", ".inf", "2026-01-02", "2026-01-02T10:15:00+01:00", "2026-01-02T10:15:00",
        "90dd90a0-95ef-4d31-8d1a-1df2a9a6b0c1", "CMEM-20260102-101500@laptop", "/home/user/shop",
        "jwt refresh", "a: b", "a:b", "a #b", "a#b", "it's", "ends:", "trailing ", " leading",
        "[x]", "a, b", "a [b]", "- a", "-a", "? a", "?a", ": a", ":a", "a\u00a0b", "税务", "税: 务",
        "😀", "\U0010ffff", "\ue000", "x" * 300, "a b " * 90, "`tick`", "@at", "%x", "&a", "*a",
        "!a", "_x", "é", "--- a", "... a",
    )
)  # fmt: skip
texts = words | lines | anything
values = st.dictionaries(
    st.sampled_from(("id", "description", "tags", "archived")),
    texts | st.booleans() | st.lists(texts, max_size=3),
    min_size=1,
)


raw = st.dictionaries(st.sampled_from(("id", "description", "tags")), texts | st.builds("'{}'".format, texts))
written = values.map(yaml_texts.dump) | raw.map(
    lambda found: "".join(f"{k}: {v}\n" for k, v in found.items())
)


@given(written)
@example("description: a:b#c # d\n")
@example("description: 'it''s'\n")
@example("description: 'it'''s'\n")
def test_the_quick_reader_agrees_with_pyyaml(text: str) -> None:
    quick = front_matter.quick_load(text.rstrip("\n").split("\n"), ("id", "description", "tags", "archived"))
    assert quick is None or quick == yaml_texts.load(text)


def test_a_mapping_in_braces_has_no_lines_of_its_own() -> None:
    assert front_matter.unknown_lines(["{id: x, mine: 1}"], ("id",)) == ""
