"""Front matter that is written by hand: the same bytes as PyYAML's."""

from __future__ import annotations

import pytest
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


@given(values)
def test_the_bytes_are_pyyamls(values: dict[str, object]) -> None:
    assert front_matter.dump(values) == yaml_texts.dump(values)


raw = st.dictionaries(st.sampled_from(("id", "description", "tags")), texts | st.builds("'{}'".format, texts))
written = values.map(front_matter.dump) | raw.map(
    lambda found: "".join(f"{k}: {v}\n" for k, v in found.items())
)


@given(written)
@example("description: a:b#c # d\n")
@example("description: 'it''s'\n")
@example("description: 'it'''s'\n")
def test_the_quick_reader_agrees_with_pyyaml(text: str) -> None:
    quick = front_matter.quick_load(text.rstrip("\n").split("\n"), ("id", "description", "tags", "archived"))
    assert quick is None or quick == front_matter.load(text)


def test_usual_values_need_no_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml_texts, "dump")
    made = front_matter.dump(
        {
            "id": "CMEM-20260102-101500@laptop",
            "project": "/home/user/my shop",
            "created": "2026-01-02T10:15:00+01:00",
            "description": "Tax: the checkout's half — 税务",
            "tags": ["tax", "checkout flow", "erk-2.0"],
            "session_id": "90dd90a0-95ef-4d31-8d1a-1df2a9a6b0c1",
            "source": "",
            "goal": "Half — 税务",
            "archived": False,
        }
    )
    keys = ("id", "project", "created", "description", "tags", "session_id", "source", "goal", "archived")
    assert front_matter.quick_load(made.rstrip("\n").split("\n"), keys) is not None


def test_a_mapping_in_braces_has_no_lines_of_its_own() -> None:
    assert front_matter.unknown_lines(["{id: x, mine: 1}"], ("id",)) == ""
