"""Stored memories while people and programs add, edit and remove files in the store."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtui.documents.memory import HEAD_LIMIT, StoredMemory, render_stored
from memtui.ground import files
from memtui.ground.files import FileChanged, FileMissing, FileProblem
from memtui.ground.project import Home
from memtui.store import memories
from memtui.store.memories import Listed, MemoryStore
from tests.disk import mode_of
from tests.store.memories import FIRST, NOW, Watch

TEXT = b"# Session Recovery\r\n\n## Objective\nFix it\n\n## Notes\n\xff"


@pytest.fixture
def store(home: Home) -> MemoryStore:
    return MemoryStore(home, Watch())


def put(home: Home, data: bytes, memory_id: str = FIRST, month: str = "2026-01") -> Path:
    path = home.memories / month / f"{memory_id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def listed(store: MemoryStore) -> Listed:
    (only,) = store.list().items
    return only


def test_the_folder_itself_may_be_a_link_but_none_below_it(
    home: Home, store: MemoryStore, tmp_path: Path
) -> None:
    elsewhere, outside = tmp_path / "elsewhere", tmp_path / "outside"
    for folder in (elsewhere, outside):
        folder.mkdir()
    home.data.mkdir(parents=True, exist_ok=True)
    home.memories.symlink_to(elsewhere)
    store.create(TEXT)
    store.delete(FIRST)
    store.restore(FIRST)
    assert store.get(FIRST).body == TEXT
    assert (elsewhere / "2026-01" / f"{FIRST}.md").is_file()
    (elsewhere / "2026-02").symlink_to(outside)
    with pytest.raises(FileProblem, match="symbolic link"):
        store.create(TEXT, id="CMEM-20260202-101500")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o277])
def test_files_are_for_this_user_alone(home: Home, mask: int) -> None:
    before = os.umask(mask)
    try:
        store = MemoryStore(home, Watch())
        for _ in range(2):
            store.create(b"")
        store.update(FIRST, description="d")
        store.delete("CMEM-20260102-101501")
    finally:
        os.umask(before)
    made = list(home.data.rglob("*"))
    assert {path.name for path in made} >= {"memories", "2026-01", "trash", f"{FIRST}.md"}
    assert {mode_of(path) for path in made if path.is_dir()} == {0o700}
    assert {mode_of(path) for path in made if path.is_file()} == {0o600}


def test_looking_makes_nothing(store: MemoryStore, home: Home) -> None:
    store.list()
    store.deleted()
    store.tidy()
    for ask in (store.get, store.delete, store.restore, store.update, store.find):
        with pytest.raises(FileMissing):
            ask(FIRST)
    assert not home.data.exists()


@pytest.mark.parametrize("text", [TEXT, b"", b"-----\n", b"--- x\n", b"\xef\xbb\xbf# BOM"])
def test_a_text_without_front_matter(store: MemoryStore, home: Home, text: bytes) -> None:
    put(home, text)
    memory = store.get(FIRST)
    assert memory.body == text
    assert memory.meta.created == memory.meta.updated == NOW
    assert listed(store).meta == memory.meta
    meta = store.update(FIRST, tags=["t"])
    assert (meta.tags, meta.created) == (("t",), NOW)
    assert store.get(FIRST) == StoredMemory(meta=meta, body=text)


def test_front_matter_made_by_hand_keeps_its_own_keys(store: MemoryStore, home: Home) -> None:
    path = put(home, f"---\r\n# mine\r\nrating: 5\r\nid: {FIRST}\r\ntags: a, b\r\n---\r\nbody\r\n".encode())
    store.update(FIRST, description="d")
    data = path.read_bytes()
    assert b"# mine\nrating: 5\n" in data
    assert data.endswith(b"---\nbody\r\n")
    assert store.get(FIRST).meta.tags == ("a", "b")


def test_a_copied_file_is_another_memory(store: MemoryStore, home: Home) -> None:
    store.create(TEXT, description="d")
    path = home.memories / "2026-01" / f"{FIRST}.md"
    copy = "CMEM-20260102-101507"
    put(home, path.read_bytes(), copy)
    assert [each.meta.id for each in store.list().items] == [copy, FIRST]
    assert store.get(copy).meta.id == copy
    store.update(copy, description="mine")
    assert store.get(FIRST).meta.description == "d"


BROKEN = (b"---\nid: {\n---\n", b"---\nid: x\n", f"---\nid: {FIRST}\n".encode() + b"a: b\n" * 9000)


@pytest.mark.parametrize("data", BROKEN)
def test_a_broken_file_is_listed_with_its_reason(store: MemoryStore, home: Home, data: bytes) -> None:
    path = put(home, data)
    found = listed(store)
    assert found.problem.startswith("is broken: its front matter")
    assert (found.meta.id, found.title, found.meta.created) == (FIRST, FIRST, NOW)
    assert store.list("/p").total == store.list(tags=("t",)).total == 0
    assert store.list(limit=1) == store.list()
    for ask in (store.get, lambda each: store.update(each, description="d")):
        with pytest.raises(FileProblem, match="is broken: its front matter"):
            ask(FIRST)
    assert path.read_bytes() == data
    store.delete(FIRST)
    assert store.deleted().items[0].problem == found.problem


def _make_link(path: Path) -> None:
    secret = path.parents[3] / "secret"
    secret.write_text("secret")
    path.symlink_to(secret)


@pytest.mark.parametrize("make", [_make_link, os.mkfifo, os.mkdir, lambda path: path.symlink_to("nowhere")])
def test_entries_that_are_no_files_are_listed_unread(store: MemoryStore, home: Home, make: Any) -> None:
    path = put(home, b"")
    path.unlink()
    make(path)
    assert listed(store).problem
    assert listed(store).title == FIRST
    with pytest.raises(FileProblem):
        store.get(FIRST)
    with pytest.raises(FileProblem):
        store.update(FIRST, description="d")
    assert store.create(b"").id != FIRST
    assert os.path.lexists(path)


def test_strange_names_are_no_memories(store: MemoryStore, home: Home) -> None:
    for name in ("CMEM-2026.md", "notes", ".CMEM-20260102-101500.md", "CMEM-20260102-101500.md~"):
        put(home, TEXT, name.removesuffix(".md"))
    (home.memories / "file").write_text("x")
    (home.memories / "2025-01").write_text("x")
    assert store.list().total == 0


def test_a_time_that_no_clock_shows(store: MemoryStore, home: Home) -> None:
    wrong = "CMEM-20261399-250000"
    put(home, TEXT, wrong, "2026-13")
    assert listed(store).meta.created == datetime(1970, 1, 1, tzinfo=UTC)
    with pytest.raises(FileMissing):
        store.get("CMEM-20261399-250001")
    assert store.update(wrong, description="d").description == "d"


def test_unreadable_files_are_not_written(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "LIMIT", 1_000)
    for body, description, tag in (
        (b"x" * 1_001, "", "t"),
        (b"", "d" * 40_000, "t"),
        (b"", "", "t" * 40_000),
    ):
        with pytest.raises(FileProblem, match="cannot be written"):
            store.create(body, description=description, tags=(tag,))
    assert store.list().total == 0
    store.create(b"x" * 1_000, description="d" * 20_000)
    with pytest.raises(FileProblem, match="cannot be written"):
        store.update(FIRST, description="d" * 40_000)
    assert len(store.get(FIRST).meta.description) == 20_000
    assert len(listed(store).title) == 20_000


def test_the_longest_front_matter_is_read_again(store: MemoryStore, home: Home) -> None:
    store.create(b"", description="d")
    (path,) = home.memories.glob("*/*.md")
    room = HEAD_LIMIT - len(path.read_bytes())
    store.update(FIRST, description="d" * (room + 1))
    assert len(path.read_bytes()) == HEAD_LIMIT
    assert len(store.get(FIRST).meta.description) == len(listed(store).title) == room + 1
    with pytest.raises(FileProblem, match="longer than 32 KB; shorten them"):
        store.update(FIRST, description="d" * (room + 2))


def test_of_many_memories_with_one_beginning_three_are_named(store: MemoryStore, home: Home) -> None:
    made = [store.create(TEXT).id for _ in range(4)]
    with pytest.raises(FileMissing) as caught:
        store.find("2026")
    assert caught.value.reason == (
        f"has 4 memories that begin or end with 2026: {', '.join(made[:0:-1])} ...; give more of it"
    )
    assert caught.value.path == home.memories
    assert store.find(made[2][-6:]) == store.find(made[2].lower()) == made[2]  # the end will do, too
    for each in made[1:]:
        store.delete(each)
    with pytest.raises(FileMissing) as caught:
        store.find("2026", deleted=True)
    assert f": {', '.join(made[:0:-1])}; give" in caught.value.reason
    assert caught.value.path == home.trash


def test_an_edit_in_the_middle_of_a_change_is_kept(
    store: MemoryStore, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = store.get(store.create(b"old").id)
    path, write = home.memories / "2026-01" / f"{FIRST}.md", files.write_atomic

    def edited_before(*arguments: Any, **options: Any) -> None:
        path.write_bytes(render_stored(memory.replace(body=b"edited")))
        write(*arguments, **options)

    monkeypatch.setattr(files, "write_atomic", edited_before)
    with pytest.raises(FileChanged, match="has changed meanwhile"):
        store.update(FIRST, description="changed")
    assert (store.get(FIRST).body, store.get(FIRST).meta.description) == (b"edited", "")


def test_nothing_in_the_trash_is_written_over(store: MemoryStore, home: Home) -> None:
    store.create(b"first")
    store.delete(FIRST)
    put(home, b"second")
    with pytest.raises(FileProblem, match="is in the way"):
        store.restore(FIRST)
    with pytest.raises(FileProblem, match="is in the way: the trash holds a memory of this id"):
        store.delete(FIRST)
    assert (store.get(FIRST).body, store.deleted().total) == (b"second", 1)


def test_texts_stay_30_days_in_the_trash_and_ids_for_ever(home: Home) -> None:
    watch = Watch()
    store = MemoryStore(home, watch)
    for text in (b"old", b"new"):
        store.create(text)
    store.delete(FIRST)
    os.utime(home.trash / f"{FIRST}.md", (NOW.timestamp(), NOW.timestamp()))
    watch.move(29 * 86_400)
    store.tidy()
    assert store.deleted().total == 1
    watch.move(2 * 86_400)
    store.tidy()
    assert store.deleted().total == 0
    with pytest.raises(FileMissing):
        store.restore(FIRST)
    with pytest.raises(FileProblem):
        store.create(b"again", id=FIRST)
    assert store.create(b"again", created=NOW).id not in (FIRST, "CMEM-20260102-101501")
