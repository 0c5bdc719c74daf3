"""The label that is read quickly says what the whole front matter says, or leaves it to that."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.formats.model import FormatError
from memtui.formats.stored_label import Label, read_label
from memtui.formats.stored_memory import MemoryMeta, StoredMemory, read_head, render_stored
from tests.formats.strategies import metas


@given(metas)
def test_quick_loading_agrees_or_declines(meta: MemoryMeta) -> None:
    data = render_stored(StoredMemory(meta=meta, body=b"x"))
    whole = read_head(data)
    assert read_label(data) in (None, Label(whole.project, whole.archived, whole.pinned))


_LINES = st.sampled_from(
    [
        "project: /work/app",
        "project: '/work/it''s'",
        'project: "/work/\\x41"',
        "project: /work/a  # a remark",
        "project: [a, b]",
        "project: null",
        "project:\n  /work/app",
        "'project': /work/app",
        "pinned: true",
        "pinned: 'Yes'",
        "archived: On",
        "archived: false",
        "archived : true",
        "tags: [a, b]",
        "tags:\n- project: x",
        "description: |\n  project: /no",
        "# project: /no",
        "",
    ]
)


@given(st.lists(_LINES, max_size=6))
def test_what_others_write_is_never_misread(lines: list[str]) -> None:
    text = "\n".join(["---", "id: CMEM-20260102-101500", *lines, "---", "body"])
    label = read_label(text.encode())
    if label is None:
        return
    try:
        whole = read_head(text.encode())
    except FormatError:
        return
    assert label == Label(whole.project, whole.archived, whole.pinned)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("no front matter", Label("", False, False)),
        ("---\n---\nproject: /b\n---\n", Label()),
        ("", Label()),
        ("---\nproject: /a\n", None),
        ("\ufeff---\nproject: /a\n---\n", None),
        ("---\r\nproject: /a\r\narchived: true\r\n---\r\n", Label("/a", True)),
        ("---\nproject: /a\nproject: /b\n---\n", None),
        ("---x\nproject: /a\n---\n", None),
        ("--- \nproject: '/a b'\n---\n", Label("/a b")),
    ],
)
def test_examples(text: str, label: Label | None) -> None:
    assert read_label(text.encode()) == label


@pytest.mark.parametrize("project", ["", "/work/app"])
@pytest.mark.parametrize("archived", [True, False])
@pytest.mark.parametrize("pinned", [True, False])
def test_our_own_front_matter_needs_no_yaml_parser(project: str, archived: bool, pinned: bool) -> None:
    now = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
    meta = MemoryMeta(
        id="CMEM-20260102-101500", created=now, updated=now, project=project, archived=archived, pinned=pinned
    )
    data = render_stored(StoredMemory(meta=meta, body=b"x"))
    assert read_label(data) == Label(project, archived, pinned)
