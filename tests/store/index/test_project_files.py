"""Captures, memory files, session states and pins of all projects in the index, as they come and go."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from memtui.ground.project import Home, Places, Project
from memtui.store.base import Filter
from memtui.store.index.documents import DocumentIndex
from memtui.store.index.project_files import FRESH, project_documents
from memtui.store.index.schema import DocKind
from memtui.store.index.updating import update_index
from tests.store.corpus import home
from tests.store.index.furnishing import furnish
from tests.transcripts import Transcript

NOW = datetime(2026, 1, 3, tzinfo=UTC)
KINDS = {DocKind.CAPTURE: "capture", DocKind.FILE: "file", DocKind.STATE: "state", DocKind.PINS: "pins"}


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.store.index.project_files.FRESH", -1.0)  # every search lists the folders


@pytest.fixture
def where(tmp_path: Path) -> Home:
    return home(tmp_path)


@pytest.fixture
def root(tmp_path: Path, where: Home) -> Path:
    furnish(tmp_path / "app", where, "s-1", "lamp")
    return tmp_path / "app"


@pytest.fixture
def index(where: Home, root: Path) -> DocumentIndex:
    return project_documents(where, root)


def look(index: DocumentIndex, text: str, **given: object) -> set[str]:
    """The kinds that are found, and in which folders."""
    filtered = Filter(**given)  # type: ignore[arg-type]
    found = {kind: index.search(text, filtered, kind=kind, limit=9, offset=0, now=NOW) for kind in KINDS}
    assert all(each.complete and each.total == len(each.hits) for each in found.values())
    return {f"{KINDS[kind]} {hit.document.entry.folder}" for kind in KINDS for hit in found[kind].hits}


def kinds(found: set[str]) -> set[str]:
    return {each.split()[0] for each in found}


def other_project(tmp_path: Path, where: Home) -> Path:
    """Another project, known by its session alone."""
    other = tmp_path / "other"
    furnish(other, where, "s-2", "lamp shade")
    t = Transcript(session_id="s-2", cwd=str(other / "src"))
    t.user("Paint the lamp shade")
    t.write(tmp_path / "claude" / "projects" / "-other", "s-2.jsonl")
    assert update_index(Places(Project(tmp_path / "app"), where, tmp_path / "claude"))
    return other


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lamp", {"capture", "file", "state", "pins"}),
        ("port ported", {"capture"}),
        ("small", {"file"}),
        ("s-1", {"capture", "state", "pins"}),
        ("autocompact", {"capture"}),
        ("never paint", {"pins"}),
        ("amp wor", {"state"}),
        ("door", set()),
    ],
)
def test_all_kinds_are_found_by_their_texts(index: DocumentIndex, text: str, expected: set[str]) -> None:
    assert kinds(look(index, text)) == expected


def test_documents_are_those_of_a_project_a_session_or_all(
    index: DocumentIndex, where: Home, root: Path, tmp_path: Path
) -> None:
    other = other_project(tmp_path, where)
    everything = look(index, "lamp")
    assert len(everything) == 8
    own = look(index, "lamp", project=str(root))
    assert len(own) == 4 and look(index, "lamp", project=str(other)) == everything - own
    assert kinds(look(index, "lamp", session="s-1")) == {"capture", "file", "state"}
    assert look(index, "lamp", session="s-1") < own
    assert look(index, "lamp", left_out=lambda path: path == other) == own


def test_a_state_without_a_project_belongs_to_its_session(
    index: DocumentIndex, where: Home, root: Path, tmp_path: Path
) -> None:
    other = other_project(tmp_path, where)
    (where.states / "s-2" / "v0002.md").write_text("A door, and no state document at all")
    assert kinds(look(index, "door", project=str(other))) == {"state"}
    assert look(index, "door", project=str(root)) == set()
    assert look(index, "door", left_out=lambda path: path == other / "src") == set()


def test_changed_files_are_found_and_deleted_ones_are_not(
    index: DocumentIndex, where: Home, root: Path
) -> None:
    assert len(look(index, "lamp")) == 4
    for path in (*root.rglob("*.md"), *where.states.rglob("*.md")):
        path.write_text(path.read_text().replace("lamp", "hinge"))
    assert look(index, "lamp") == set() and len(look(index, "hinge")) == 4
    (where.states / "s-1" / "v0002.md").write_text("a newer one")
    assert kinds(look(index, "hinge")) == {"capture", "file", "pins"}
    for path in root.rglob("*.md"):
        path.unlink()
    assert look(index, "hinge") == set() and kinds(look(index, "newer")) == {"state"}


def test_what_is_new_is_found_after_a_second(
    index: DocumentIndex, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("memtui.store.index.project_files.FRESH", FRESH)
    monkeypatch.setattr("memtui.store.index.project_files.time", SimpleNamespace(monotonic=lambda: now))
    assert look(index, "door") == set()
    (root / ".project" / "pins.md").write_text("- never lock the door\n")
    assert look(index, "door") == set()  # many searches a second list the folders once
    now += 1.1
    assert kinds(look(index, "door")) == {"pins"}


def test_a_project_whose_folder_is_gone_has_its_state_alone(
    index: DocumentIndex, where: Home, tmp_path: Path
) -> None:
    other = other_project(tmp_path, where)
    assert len(look(index, "shade")) == 4
    other.rename(tmp_path / "elsewhere")
    assert kinds(look(index, "shade")) == {"state"}


def test_a_broken_capture_is_found_and_an_unreadable_file_hides_no_other(
    index: DocumentIndex, root: Path
) -> None:
    (root / ".project" / "compacts" / "20260103_100000-autocompact.md").write_text("no capture, but a door")
    os.mkfifo(root / ".project" / "compacts" / "20260103_110000-autocompact.md")
    (root / ".project" / "compacts" / "20260103_110000-memory.md").symlink_to("/etc/passwd")
    assert kinds(look(index, "door")) == {"capture"}
    assert look(index, "root:") == set() and len(look(index, "lamp")) == 4


def test_no_secret_is_written(index: DocumentIndex, where: Home, root: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    path = root / ".project" / "compacts" / "20260102_100000-memory.md"
    path.write_text(path.read_text().replace("It is small", f"It takes {token}"))
    found = index.search("takes", Filter(), kind=DocKind.FILE, limit=1, offset=0, now=NOW)
    assert "[masked: github token]" in found.hits[0].document.body
    assert token.lower().encode() not in where.search_index.read_bytes().lower()


def test_while_the_index_cannot_be_written_the_files_are_compared(
    index: DocumentIndex, where: Home, root: Path
) -> None:
    where.cache.write_text("in the way")
    assert len(look(index, "lamp", project=str(root))) == 4
    assert look(index, "lamp", project=str(root.parent / "other")) == set()
    assert kinds(look(index, "lamp", session="s-1")) == {"capture", "file", "state"}


def test_the_newest_comes_first(index: DocumentIndex, root: Path) -> None:
    compacts = root / ".project" / "compacts"
    text = (compacts / "20260102_100000-autocompact.md").read_text()
    for day in (1, 3):
        capture = text.replace("2026-01-02", f"2026-01-{day:02}")
        (compacts / f"2026010{day}_100000-autocompact.md").write_text(capture)
    found = index.search("", Filter(), kind=DocKind.CAPTURE, limit=9, offset=0, now=NOW)
    assert [hit.document.entry.name[6:8] for hit in found.hits] == ["03", "02", "01"]
