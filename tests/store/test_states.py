"""The current session state document of a project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.formats.session_state import Identity, SessionState, render_session_state
from memtui.project import Home, Project
from memtui.store.listing import Entry
from memtui.store.states import StateStore, StoredState


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "app").mkdir()
    return Project(tmp_path / "app")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "data", tmp_path / "cache", tmp_path / "state", tmp_path / "config")


@pytest.fixture
def store(project: Project, home: Home) -> StateStore:
    return StateStore(project, home)


def add(home: Home, session: str, version: int, project: str, mtime: int = 1000) -> Path:
    state = SessionState(version=version, identity=Identity(project=project, goal=f"{session} {version}"))
    path = home.states / session / f"v{version:04d}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_session_state(state))
    os.utime(path, (mtime, mtime))
    return path


def test_none_is_stored_yet(store: StateStore) -> None:
    assert store.newest() is None
    assert store.versions("s") == []


def test_the_newest_version_of_the_session_that_wrote_last(
    store: StateStore, home: Home, project: Project
) -> None:
    named = f"app ({project.root})"
    add(home, "a", 9, named, 1000)
    add(home, "a", 10, named, 2000)
    add(home, "b", 3, named, 1500)
    add(home, "foreign", 1, "other (/home/me/other)", 3000)
    (home.states / "a" / "notes.md").touch()
    (home.states / "file").touch()
    newest = store.newest()
    assert newest is not None
    assert (newest.session_id, newest.version) == ("a", 10)
    assert newest.state is not None
    assert newest.state.identity.goal == "a 10"
    assert newest.text == newest.path.read_text()
    assert newest.written.timestamp() == 2000
    assert [entry.name for entry in store.versions("a")] == ["v0010.md", "v0009.md"]


def test_a_session_with_a_transcript_of_the_project_is_its_own(store: StateStore, home: Home) -> None:
    add(home, "a", 1, "")
    assert store.newest() is None
    newest = store.newest({"a"})
    assert newest is not None
    assert newest.session_id == "a"


@pytest.mark.parametrize(
    ("named", "ours"),
    [
        ("app ({root})", True),
        ("app ({root}/)", True),
        ("app ({root}/packages/cli)", True),
        ("a (b) app ({root})", True),
        ("app (x) ({root}/c (copy))", True),
        ("{root}", True),
        ("app ({root}-2)", False),
        ("app ({root}/..)", False),
        ("app (app)", False),
        ("", False),
        ("app (\0)", False),
    ],
)
def test_a_document_says_whose_it_is(
    store: StateStore, home: Home, project: Project, named: str, ours: bool
) -> None:
    add(home, "a", 1, named.format(root=project.root))
    assert (store.newest() is not None) == ours


def test_a_broken_document_is_shown_with_its_reason(store: StateStore, home: Home, tmp_path: Path) -> None:
    path = add(home, "a", 1, "x")
    path.write_bytes(b"no document")
    newest = store.newest({"a"})
    assert newest is not None
    assert newest.state is None
    assert newest.text == "no document"
    assert newest.problem.startswith("is broken: ")
    assert store.newest() is None
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    (tmp_path / "secret").write_text("secret")
    newest = store.newest({"a"})
    assert newest is not None
    assert newest.problem == "is a symbolic link, which memtui does not follow here"
    assert newest.text == ""


def test_session_ids_are_no_paths(store: StateStore, home: Home, project: Project) -> None:
    add(home, "a", 1, "x")
    for session in ("../states/a", "a/", "..", "", "/", "a\0"):
        assert store.versions(session) == []


def test_documents_of_other_projects_are_read_once(
    store: StateStore, home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        add(home, f"foreign-{number}", 1, "other (/home/me/other)", 3000 + number)
    read: list[str] = []
    load = store.load

    def counted(entry: Entry) -> StoredState:
        read.append(entry.path.parent.name)
        return load(entry)

    monkeypatch.setattr(store, "load", counted)
    assert store.newest() is None
    assert store.newest() is None
    assert len(read) == 5
    add(home, "foreign-2", 1, f"app ({project.root})", 4000)
    newest = store.newest()
    assert newest is not None
    assert newest.session_id == "foreign-2"
