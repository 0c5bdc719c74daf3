"""Listings: names and signatures of anything in a folder."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memtui.store.listing import Entry, newest_first


def entry(name: str) -> Entry:
    return Entry(name, "/f", 0, 0, 0)


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
