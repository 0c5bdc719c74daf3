from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.memory import MemoryMeta, StoredMemory, parse_stored, read_head, render_stored
from memtui.ground.text import FormatError
from memtui.store.listing import quick_project
from tests.documents.checks import assert_clause
from tests.documents.strategies import NASTY, stored_memories

META = MemoryMeta(
    id="CMEM-20260102-101500",
    project="/home/user/shop",
    created=datetime.fromisoformat("2026-01-02T10:15:00+01:00"),
    updated=datetime.fromisoformat("2026-01-03T10:15:00+01:00"),
    description="Tax service: the checkout's half — 税务",
    tags=("tax", "checkout flow"),
    session_id="90dd90a0-95ef-4d31-8d1a-1df2a9a6b0c1",
    source="review",
)
BODY = "---\r\n## Session ID\r\n(none) 税务".encode()
GOLDEN = """\
---
id: CMEM-20260102-101500
project: /home/user/shop
created: '2026-01-02T10:15:00+01:00'
updated: '2026-01-03T10:15:00+01:00'
description: 'Tax service: the checkout''s half — 税务'
tags: [tax, checkout flow]
session_id: 90dd90a0-95ef-4d31-8d1a-1df2a9a6b0c1
source: review
---
""".encode()


@given(stored_memories)
def test_a_memory_comes_back_as_it_was(memory: StoredMemory) -> None:
    data = render_stored(memory)
    assert parse_stored(data) == memory
    assert render_stored(parse_stored(data)) == data
    assert read_head(data) == memory.meta


@given(stored_memories, st.sampled_from(("", "/home/me/my-app", "/a b", "/x.y/~z+1@2")))
def test_the_project_is_that_of_the_front_matter(memory: StoredMemory, project: str) -> None:
    for meta in (memory.meta, memory.meta.replace(project=project)):
        assert quick_project(render_stored(memory.replace(meta=meta))) in (None, meta.project)
    plain = memory.meta.replace(
        project=project, description="d", tags=("a",), session_id="s", source="", other=""
    )
    assert quick_project(render_stored(memory.replace(meta=plain))) == project


@pytest.mark.parametrize("line", [b'project: "a\\nb"', b"project: ~", b"project: >\n  a"])
def test_the_project_of_an_edited_memory(line: bytes) -> None:
    key = line.split(b":")[0]
    lines = [each for each in GOLDEN.splitlines() if not each.startswith(key + b":")]
    data = b"\n".join([*lines[:-1], line, lines[-1], b"body"])
    assert quick_project(data) in (None, parse_stored(data).meta.project)


_KEYS = [f"{key}: " for key in MemoryMeta.model_fields]
_VALUES = [
    "'a'", '"b\\n"', "[a, [b]]", "{a: b}", "null", "~", "2026-01-02", "!!int x", "&a b", "*a", "|", "- x",
    "x: y",
]  # fmt: skip


@given(
    st.binary()
    | st.lists(st.sampled_from([*NASTY, *_KEYS, *_VALUES, *GOLDEN.decode().split("\n")]), max_size=16).map(
        lambda lines: "\n".join(["---", *lines]).encode("utf-8", "replace")
    )
    | st.lists(
        st.tuples(st.sampled_from(_KEYS), st.sampled_from(_VALUES) | st.text(max_size=9)), max_size=9
    ).map(
        lambda pairs: "\n".join(
            ["---", "id: CMEM-20260102-101500", *(a + b for a, b in pairs), "---", ""]
        ).encode()
    )
)
def test_any_bytes_are_refused_or_understood(data: bytes) -> None:
    try:
        memory = parse_stored(data)
    except FormatError as error:
        assert_clause(error)
        with pytest.raises(FormatError):
            read_head(data)
        return
    assert read_head(data) == memory.meta
    assert parse_stored(render_stored(memory)) == memory


HAND_MADE = b"""\
---
# from the wiki
id: "CMEM-20260102-101500"
rating: 5
tags:
  - tax
  - 'x: y'
project: ~
links:
- a
- b
description: >
  folded
  text
archived: yes
---
body"""


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_front_matter_made_by_hand_is_read_and_kept(line_end: bytes) -> None:
    memory = parse_stored(b"\xef\xbb\xbf" + HAND_MADE.replace(b"\n", line_end))
    assert memory.meta.id == "CMEM-20260102-101500"
    assert memory.meta.tags == ("tax", "x: y")
    assert (memory.meta.project, memory.meta.description) == ("", "folded text")
    assert memory.meta.created.strftime("%Y-%m-%d %H:%M:%S") == "2026-01-02 10:15:00"
    assert memory.meta.updated == memory.meta.created
    assert memory.meta.other == "# from the wiki\nrating: 5\nlinks:\n- a\n- b"
    assert memory.body == b"body"
    assert render_stored(memory).endswith(b"# from the wiki\nrating: 5\nlinks:\n- a\n- b\n---\nbody")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"## Session ID\n", "no front matter"),
        (b"", "no front matter"),
        (b"---\nid: x\n", "does not end"),
        (b"---\n---\n", "neither a valid id nor a time|not a list of keys"),
        (b"---\nid: x\ncreated: 2026-01-02\n---\n", "the id in its front matter is not of the form"),
        (b"---\nid: [a]\n---\n", "the id in its front matter is not a text"),
        (b"---\nid: CMEM-20261399-101500\n---\n", "neither a valid id nor a time"),
        (b"---\nid: {\n---\n", "not valid YAML"),
        (b"---\n- a\n---\n", "not a list of keys"),
    ],
)
def test_invalid_stored_memories_are_refused_with_the_reason(data: bytes, reason: str) -> None:
    for read in (parse_stored, read_head):
        with pytest.raises(FormatError, match=reason):
            read(data)


@pytest.mark.parametrize(
    ("written", "tags"), [("a, b,a, ", ("a", "b")), ("[a, [b], a]", ("a",)), ("5", ("5",)), ("~", ())]
)
def test_tags_are_a_list_or_stand_between_commas(written: str, tags: tuple[str, ...]) -> None:
    data = GOLDEN.replace(b"[tax, checkout flow]", written.encode())
    assert parse_stored(data).meta.tags == tags


def test_a_memory_of_another_machine_has_its_time_in_its_id_too() -> None:
    memory = parse_stored(b"---\nid: CMEM-20260102-101500@laptop\n---\n")
    assert memory.meta.created.strftime("%Y-%m-%d %H:%M:%S") == "2026-01-02 10:15:00"


def test_marks_of_earlier_versions_are_read_over_and_not_written_back() -> None:
    former = b"archived: true\npinned: true\nsuperseded_by: CMEM-20260103-101500\n"
    former += b"supersedes: [CMEM-20260101-101500]\n"
    memory = parse_stored(GOLDEN.replace(b"source: review\n", b"source: review\n" + former) + BODY)
    assert memory == StoredMemory(meta=META, body=BODY)
    assert render_stored(memory) == GOLDEN + BODY
