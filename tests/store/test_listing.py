"""Listings: names and signatures of anything in a folder, and the first ones for the first paint."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.ground.project import Home, Project
from memtui.store import listing as newest
from memtui.store.captures import CaptureStore
from memtui.store.listing import Entry, newest_first
from memtui.store.memories import MemoryFiles
from tests.store.captures import add_capture


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


CREATED = datetime(2026, 1, 30, 10, 15, tzinfo=UTC)


def add_memories(project: Project, home: Home, number: int) -> None:
    for index in range(number):
        moment = CREATED + timedelta(hours=index)
        meta = MemoryMeta(id=f"CMEM-{moment:%Y%m%d-%H%M%S}", created=moment, updated=moment)
        path = home.memories / f"{moment:%Y-%m}" / f"{meta.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_stored(StoredMemory(meta=meta, body=b"x")))
        if index % 5 == 0:
            project.compacts.mkdir(parents=True, exist_ok=True)
            (project.compacts / f"{moment:%Y%m%d_%H%M%S}-memory.md").write_text("# Memory: x\n")


def test_captures_are_the_first_of_the_store_with_their_text(project: Project) -> None:
    for number in range(newest._CAPTURES + 5):
        add_capture(project, number, message=f"message {number}")
    store = CaptureStore(project)
    found, number = newest.newest_captures(project)
    assert number == newest._CAPTURES + 5
    assert [entry for entry, _ in found] == store.entries()[: newest._CAPTURES]
    assert [text.first_message for _, text in found] == [
        store.load(entry).first_message for entry, _ in found
    ]


def test_broken_and_linked_captures_are_left_to_the_store(project: Project, tmp_path: Path) -> None:
    kept = add_capture(project, 0)
    add_capture(project, 1).write_text("torn")
    link = add_capture(project, 2)
    link.rename(tmp_path / "elsewhere.md")
    link.symlink_to(tmp_path / "elsewhere.md")
    found, number = newest.newest_captures(project)
    assert ([entry.path for entry, _ in found], number) == ([kept], 3)


def test_a_large_capture_is_left_to_the_store(project: Project) -> None:
    path = add_capture(project, 0)
    path.write_text(path.read_text().ljust(newest._SMALL - 1))
    assert len(newest.newest_captures(project)[0]) == 1
    path.write_text(path.read_text() + " ")
    assert newest.newest_captures(project) == ([], 1)


@pytest.mark.parametrize("number", [7, 50, 60, 61, 130])
def test_memories_are_the_first_of_the_store(project: Project, home: Home, number: int) -> None:
    add_memories(project, home, number)
    entries = MemoryFiles(project, home).entries()
    found, more = newest.newest_memories(project, home)
    assert found == entries[: newest._MEMORIES]
    assert more == (len(entries) > newest._MEMORIES)


def test_a_memory_of_an_earlier_month_is_one_more(project: Project, home: Home) -> None:
    add_memories(project, home, 1)
    for path in (*project.compacts.iterdir(), *home.memories.glob("*/*.md")):
        path.unlink()
    (home.memories / "2026-01").rmdir()
    folder = home.memories / "2026-02"
    folder.mkdir()
    for number in range(newest._MEMORIES):
        (folder / f"CMEM-20260201-{100000 + number}.md").write_text("x")
    assert newest.newest_memories(project, home)[1] is False
    (home.memories / "2026-01").mkdir()
    (home.memories / "2026-01" / "CMEM-20260130-101500.md").write_text("x")
    found, more = newest.newest_memories(project, home)
    assert (len(found), more) == (newest._MEMORIES, True)
