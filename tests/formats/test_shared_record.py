"""The record that machines share: it is read as it was written, and a false one is refused in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.formats.errors import FormatError
from memtui.formats.shared_record import (
    LIMIT,
    SharedRecord,
    check_record,
    parse_record,
    record_name,
    render_record,
)
from tests.share.records import record

GOLDEN = """\
---
kind: text
memory: CMEM-20260102-000000@laptop-1a2b
machine: laptop-1a2b
author: ann
at: '2026-01-02T12:00:00+00:00'
project: shop
created: '2026-01-02T12:00:00+00:00'
source: review
description: Fix the cart
tags: [cart]
archived: false
---
## Objective
"""


def test_a_record_is_readable_markdown() -> None:
    assert render_record(record()).decode() == GOLDEN


def test_one_without_tags_has_its_lines_too() -> None:
    assert render_record(record(tags=())).startswith(b"---\nkind: text\nmemory: CMEM-")


TEXTS = st.text(max_size=40)


@given(
    body=st.binary(max_size=200),
    description=st.none() | TEXTS,
    tags=st.lists(TEXTS, max_size=3),
    author=TEXTS,
)
def test_what_is_written_is_read_again(
    body: bytes, description: str | None, tags: list[str], author: str
) -> None:
    made = record(body=body, description=description, tags=tuple(tags), author=author)
    data = render_record(made)
    assert parse_record(record_name(made.memory, data), data) == made


@given(data=st.binary(max_size=300) | st.text().map(lambda text: f"---\n{text}\n---\n".encode()))
def test_any_bytes_are_a_record_or_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse_record(record_name("CMEM-20260102-000000@laptop", data), data)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("kind: text", "kind: program", "its kind is wrong"),
        ("kind: text", "kind: marks", "changes marks and has a text"),
        ("@laptop-1a2b", "@desk", "another memory than its name"),
        ("machine: laptop-1a2b", "machine: ../../etc", "its machine is wrong"),
        ("at: '2026", "at: 'x2026", "no valid time: at"),
        ("author: ann", "author: ann\nhook: rm -rf", "an unknown key: 'hook'"),
        ("author: ann", "author: *a", "not valid YAML"),
    ],
)
def test_a_false_record_is_refused_in_words(old: str, new: str, reason: str) -> None:
    made = record()
    data = GOLDEN.replace(old, new).encode()
    with pytest.raises(FormatError, match=reason):
        parse_record(record_name(made.memory, data), data)


def test_a_record_must_match_its_name() -> None:
    data = render_record(record())
    name = record_name(record().memory, data)
    with pytest.raises(FormatError, match="not what its name says"):
        parse_record(name, data + b"x")
    with pytest.raises(FormatError, match="larger than 4 MB"):
        parse_record(name, data + b"x" * LIMIT)
    for bad in ("../" + name, "x.md", name.upper()):
        with pytest.raises(FormatError, match="not that of a record"):
            parse_record(bad, data)


def _read(data: bytes) -> SharedRecord:
    return parse_record(record_name(record().memory, data), data)


def test_the_largest_record_is_a_record() -> None:
    name = record_name(record().memory, bytes(LIMIT))
    assert check_record(name, bytes(LIMIT)) == record().memory


def test_front_matter_has_both_of_its_lines_within_32_kilobytes() -> None:
    for text in (GOLDEN.removeprefix("---\n"), GOLDEN.replace("\n---\n", "\n"), "---\n---\n"):
        with pytest.raises(FormatError, match="it has no front matter"):
            _read(text.encode())
    room = (32 << 10) - len(GOLDEN[4 : GOLDEN.index("\n---\n")])
    assert _read(GOLDEN.replace("ann", "ann" + "n" * room).encode()).author == "ann" + "n" * room
    with pytest.raises(FormatError, match="it has no front matter"):
        _read(GOLDEN.replace("ann", "ann" + "n" * (room + 1)).encode())


def test_an_unknown_key_is_named_by_its_beginning() -> None:
    with pytest.raises(FormatError, match=f"an unknown key: '{'k' * 40}'$"):
        _read(GOLDEN.replace("author: ann", "k" * 99 + ": x").encode())


def test_no_local_time_is_farther_from_utc_than_14_hours() -> None:
    assert _read(GOLDEN.replace("00+00:00", "00+14:00").encode()).at.isoformat().endswith("+14:00")
    for zone in ("+14:01", "-15:00"):
        with pytest.raises(FormatError, match="no valid time: at"):
            _read(GOLDEN.replace("00+00:00", f"00{zone}").encode())


@pytest.mark.parametrize("flag", [True, False, None])
@pytest.mark.parametrize("successor", [None, "", "CMEM-20260103-101500@desk"])
def test_marks_come_back(flag: bool | None, successor: str | None) -> None:
    made = record(archived=flag, deleted=flag, superseded_by=successor)
    assert made.superseded_by == successor
    assert _read(render_record(made)) == made


def test_a_successor_is_a_memory() -> None:
    with pytest.raises(FormatError, match="its superseded_by is wrong"):
        _read(GOLDEN.replace("author: ann", "superseded_by: PINS@all").encode())
