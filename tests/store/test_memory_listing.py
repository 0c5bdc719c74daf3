"""The repeated listing: it says what has changed."""

from __future__ import annotations

from pathlib import Path

from memtui.ground.project import Home, Project
from memtui.store.memories import MemoryFiles


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
    same = listing.listing()
    (month / "CMEM-20260101-101500.md").write_text("edited")
    assert listing.listing() is not same
    assert listing.changed == ["CMEM-20260101-101500.md"]
    assert listing.listing() is listing.listing()
    other = home.memories / "2026-02" / "CMEM-20260101-101500.md"
    other.parent.mkdir()
    other.write_text("x")
    assert listing.listing().entries[other.name].path == other  # of two, the one in the later month
