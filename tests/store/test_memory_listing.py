"""The repeated listing: always agrees with the store, and checks few files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.ground.project import Home, Project
from memtui.store.memories import Memories, MemoryFiles

MONTHS = ("2026-01", "2026-02", "2026-03")


class Disk:
    """Memories of three months whose folders were last changed long ago, each time at another moment."""

    def __init__(self, root: Path) -> None:
        self.project = Project(root / "app")
        self.home = Home(*(root / name for name in ("data", "cache", "state", "config")))
        self.project.compacts.mkdir(parents=True)
        self.store = MemoryFiles(self.project, self.home)
        self._moment = 1_700_000_000

    def path(self, month: int, day: int) -> Path:
        return (
            self.home.memories / MONTHS[month] / f"CMEM-{MONTHS[month].replace('-', '')}{day:02d}-101500.md"
        )

    def write(self, month: int, day: int, text: str = "x") -> None:
        path = self.path(month, day)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.age(path.parent)

    def remove(self, month: int, day: int) -> None:
        self.path(month, day).unlink(missing_ok=True)
        self.age(self.path(month, day).parent)

    def edit(self, month: int, day: int) -> str:
        """Change a file in place: its folder's time stays. Returns the name of the month."""
        path = self.path(month, day)
        if path.exists():
            self._moment += 10
            os.utime(path, (self._moment, self._moment))
        return MONTHS[month]

    def age(self, folder: Path) -> None:
        if folder.exists():
            self._moment += 10
            os.utime(folder, (self._moment, self._moment))


def agrees(listed: Memories, disk: Disk) -> bool:
    wanted = MemoryFiles(disk.project, disk.home).entries()
    return [listed.entries[name] for name in listed.names] == wanted and len(listed.entries) == len(wanted)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    made = Disk(tmp_path)
    for month in range(3):
        for day in (1, 2, 3):
            made.write(month, day)
    return made


def test_of_two_files_with_one_name_the_later_month_counts(disk: Disk) -> None:
    other = disk.home.memories / MONTHS[1] / disk.path(0, 1).name
    other.write_text("x")
    listing = disk.store
    assert listing.listing().entries[other.name].path == other
    result = {disk.edit(0, 1)}
    assert listing.listing(result).entries[other.name].path == other
    assert len(listing.listing().names) == 9


def test_a_sweep_finds_what_was_edited_in_place_and_gives_the_same_list_if_nothing_was(disk: Disk) -> None:
    listing = disk.store
    first = listing.listing()
    assert listing.listing() is first
    disk.edit(1, 2)
    assert listing.listing(sweep=False) is first
    assert agrees(listing.listing(), disk)


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


steps = st.lists(
    st.tuples(
        st.sampled_from(("write", "remove", "edit", "file", "drop", "look")),
        st.integers(0, 2),
        st.integers(1, 3),
    ),
    max_size=12,
)


@given(steps)
def test_after_any_changes_it_is_what_the_store_lists(room: Path, done: list[tuple[str, int, int]]) -> None:
    root = Path(tempfile.mkdtemp(dir=room))
    disk = Disk(root)
    listing = disk.store
    result: set[str] = set()
    for step, month, day in done:
        if step == "write" and not disk.path(month, day).exists():
            disk.write(month, day)
        elif step == "remove":
            disk.remove(month, day)
        elif step == "edit":
            result.add(disk.edit(month, day))
        elif step == "file":
            (disk.project.compacts / f"202601{day:02d}_101500-memory.md").write_text("# Memory: x")
        elif step == "drop":
            shutil.rmtree(disk.path(month, day).parent, ignore_errors=True)
        else:
            assert agrees(listing.listing(result, sweep=False), disk)
            result.clear()
    assert agrees(listing.listing(result, sweep=False), disk)
    shutil.rmtree(root)


def test_it_names_all_that_is_new_or_changed_since_the_last_listing(tmp_path: Path) -> None:
    home = Home(tmp_path / "data", tmp_path / "cache", tmp_path / "state", tmp_path / "config")
    listing = MemoryFiles(Project(tmp_path / "app"), home)
    month = home.memories / "2026-01"
    month.mkdir(parents=True)
    (month / "CMEM-20260101-101500.md").write_text("x")
    assert set(listing.listing().names) <= set(listing.changed)
    (month / "CMEM-20260102-101500.md").write_text("x")
    listing.listing()
    assert "CMEM-20260102-101500.md" in listing.changed
    listing.listing()
    assert not listing.changed
