"""Memories of both kinds in one list, read only as far as displayed."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.documents.memory import MemoryMeta, StoredMemory, render_stored
from memtui.documents.memory_file import MemoryFile, render_memory
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.store.memories import MemoryFiles

CREATED = datetime(2026, 1, 2, 10, 15, tzinfo=UTC)
BODY = "# Session Recovery\n\n## Session ID\nabc\n\n## Objective (main)\n\n  Fix the JWT check\n\n## Notes\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "app")
    project.compacts.mkdir(parents=True)
    return project


@pytest.fixture
def store(project: Project, home: Home) -> MemoryFiles:
    return MemoryFiles(project, home)


def add_stored(home: Home, time: str, *, body: bytes = BODY.encode(), description: str = "") -> Path:
    folder = home.memories / f"{time[:4]}-{time[4:6]}"
    folder.mkdir(parents=True, exist_ok=True)
    meta = MemoryMeta(
        id=f"CMEM-{time}",
        project="/home/me/app",
        created=CREATED,
        updated=CREATED,
        description=description,
        tags=("auth", "jwt"),
        session_id="s",
        source="review",
    )
    path = folder / f"CMEM-{time}.md"
    path.write_bytes(render_stored(StoredMemory(meta=meta, body=body)))
    return path


def add_review(project: Project, name: str, title: str = "Token refresh") -> Path:
    path = project.compacts / name
    path.write_text(render_memory(MemoryFile(title=title, goal="g")))
    return path


def test_lists_both_kinds_by_time_and_opens_nothing(
    project: Project, home: Home, store: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.entries() == []
    for time in ("20260102-101500", "20251225-081501", "20250101-000000"):
        add_stored(home, time)
    for name in ("20251225_081500-memory.md", "20251225_081500-memory-2.md", "20260102_101500-memory.md"):
        add_review(project, name)
    for other in ("20251225_081500-autocompact.md", ".x-memory.md", "memory.md"):
        (project.compacts / other).touch()
    (home.memories / "notes").mkdir()
    (home.memories / "2026-01" / "CMEM-2026.md").touch()
    (home.memories / "2024-01").touch()  # a file among the months hides none of the others
    real = os.open

    def folders_only(path: str, flags: int, *args: int, **options: int) -> int:
        assert flags & os.O_DIRECTORY
        return real(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", folders_only)
    assert [entry.key for entry in store.entries()] == [
        "CMEM-20260102-101500.md",
        "20260102_101500-memory.md",
        "CMEM-20251225-081501.md",
        "20251225_081500-memory.md",
        "20251225_081500-memory-2.md",
        "CMEM-20250101-000000.md",
    ]


def test_the_head_of_a_memory_file(project: Project, store: MemoryFiles) -> None:
    head = store.head(add_review(project, "20251225_081500-memory-2.md"))
    time = datetime(2025, 12, 25, 8, 15).astimezone()
    assert (head.id, head.title, head.time) == ("20251225_081500-memory-2", "Token refresh", time)
    assert (head.meta.tags, head.meta.project, head.problem) == ((), "", "")


def test_loads_whole_memories(project: Project, home: Home, store: MemoryFiles) -> None:
    body = "é\r\n## Objective\r\n字".encode()
    stored = store.load(add_stored(home, "20260102-101500", body=body + b"\xff"))
    assert stored.text == body.decode() + "\N{REPLACEMENT CHARACTER}"
    assert stored.head.id == "CMEM-20260102-101500"
    path = add_review(project, "20251225_081500-memory.md")
    assert store.load(path).text == path.read_text()


def test_broken_ones_are_listed_with_their_reason(project: Project, home: Home, store: MemoryFiles) -> None:
    folder = project.compacts
    (folder / "1-memory.md").mkdir()
    (folder / "2-memory.md").symlink_to("/etc/hostname")
    os.mkfifo(folder / "3-memory.md")
    (folder / "20260230_000000-memory.md").write_text("")  # no such day
    add_stored(home, "20260102-101500").write_text("---\nid: x\n")
    heads = {entry.key: store.head(entry.path) for entry in store.entries()}
    problems = {key: head.problem for key, head in heads.items()}
    assert problems.pop("CMEM-20260102-101500.md").startswith("is broken: ")
    assert problems.pop("20260230_000000-memory.md").startswith("is broken: ")
    assert problems == {
        "1-memory.md": "is not a regular file",
        "2-memory.md": "is a symbolic link, which memtui does not follow here",
        "3-memory.md": "is not a regular file",
    }
    assert heads["20260230_000000-memory.md"].time is None
    assert heads["CMEM-20260102-101500.md"].title == "CMEM-20260102-101500"
    for entry in store.entries():
        if entry.key in problems:
            with pytest.raises(FileProblem, match=problems[entry.key]):
                store.load(entry.path)
        else:
            assert store.load(entry.path).text == entry.path.read_text()


def test_it_names_all_that_is_new_or_changed_since_the_last_listing(home: Home, store: MemoryFiles) -> None:
    month = home.memories / "2026-01"
    month.mkdir(parents=True)
    (month / "CMEM-20260101-101500.md").write_text("x")
    assert set(store.listing()) <= set(store.changed)
    (month / "CMEM-20260102-101500.md").write_text("x")
    store.listing()
    assert "CMEM-20260102-101500.md" in store.changed
    store.listing()
    assert not store.changed
    same = store.listing()
    (month / "CMEM-20260101-101500.md").write_text("edited")
    assert store.listing() is not same
    assert store.changed == ["CMEM-20260101-101500.md"]
    assert store.listing() is store.listing()
    other = home.memories / "2026-02" / "CMEM-20260101-101500.md"
    other.parent.mkdir()
    other.write_text("x")
    assert store.listing()[other.name].path == other  # of two, the one in the later month
