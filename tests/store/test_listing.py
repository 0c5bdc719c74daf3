"""Listings: names and signatures of anything in a folder."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.ground.files import FileOutside, FileProblem
from memtui.store.listing import Entry, newest_first, scan

ANY_MD = re.compile(r".*\.md")


def entry(name: str) -> Entry:
    return Entry(name, "/f", 0, 0, 0)


def test_a_folder_has_to_be_in_the_one_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_bytes(b"x")
    assert [each.name for each in scan(tmp_path / "in", ANY_MD, within=tmp_path)] == ["a.md"]
    with pytest.raises(FileOutside):
        scan(tmp_path / "in", ANY_MD, within=tmp_path / "other")


def test_a_missing_folder_is_empty_and_a_file_is_a_problem(tmp_path: Path) -> None:
    assert scan(tmp_path / "gone", ANY_MD) == []
    (tmp_path / "file").touch()
    with pytest.raises(FileProblem, match="is not a folder"):
        scan(tmp_path / "file", ANY_MD)


def test_the_time_of_an_entry_is_in_its_name() -> None:
    assert entry("20260102_101523-memory.md").time == datetime(2026, 1, 2, 10, 15, 23).astimezone()
    assert entry("CMEM-20261302-101523.md").time is None
    assert entry("notes.md").time is entry("٢٠٢٦٠١٠٢_101500.md").time is None


@given(
    st.lists(
        st.from_regex(r"(CMEM-)?2026010[1-3][-_]10150[0-9](-memory(-2)?)?\.md|[a-z]{1,3}\.md", fullmatch=True)
    )
)
def test_newest_first(names: list[str]) -> None:
    times = [str(each.time or "") for each in newest_first(map(entry, names))]
    assert times == sorted((str(entry(name).time or "") for name in names), reverse=True)
