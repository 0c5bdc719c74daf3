"""The current session state document of a project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.documents.session_state import Identity, SessionState, render_session_state
from memtui.ground.files import FileProblem
from memtui.ground.project import Home, Project
from memtui.store.states import StateStore, version_of
from tests.disk import mode_of


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
    assert list(store.sessions()) == ["a"][:ours]


def test_a_broken_document_is_shown_with_its_reason(store: StateStore, home: Home, tmp_path: Path) -> None:
    path = add(home, "a", 1, "x")
    path.write_bytes(b"no document")
    newest = store.load(store.sessions({"a"})["a"])
    assert newest.state is None
    assert newest.text == "no document"
    assert newest.problem.startswith("is broken: ")
    assert store.sessions() == {}
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    (tmp_path / "secret").write_text("secret")
    newest = store.load(store.sessions({"a"})["a"])
    assert newest.problem == "is a symbolic link, which memtui does not follow here"
    assert newest.text == ""


def test_a_version_is_written_once(store: StateStore, home: Home) -> None:
    entry = store.write("a", "one\n", 1)
    assert entry is not None
    assert entry == store.versions("a")[0]
    assert entry.path.read_text() == "one\n"
    assert (mode_of(entry.path), mode_of(home.states / "a"), mode_of(home.states)) == (0o600, 0o700, 0o700)
    assert store.write("a", "two\n", 1) is None
    assert entry.path.read_text() == "one\n"
    assert store.write("a", "two\n", 12345) is not None
    assert (home.states / "a" / "v12345.md").read_text() == "two\n"
    assert [version_of(each) for each in store.versions("a")] == [12345, 1]


@pytest.mark.parametrize("session", ["", "..", "../x", "a/b", "-a", "a\0", "x" * 300])
def test_no_version_is_written_elsewhere(store: StateStore, home: Home, session: str) -> None:
    with pytest.raises(FileProblem):
        store.write(session, "one\n", 1)
    assert list(home.data.rglob("*.md")) == []


def test_parallel_sessions_are_kept_apart(store: StateStore, home: Home, project: Project) -> None:
    named = f"app ({project.root})"
    add(home, "a", 1, named, 1000)
    add(home, "a", 2, named, 1500)
    add(home, "b", 7, f"app ({project.root}/packages)", 2000)
    add(home, "c", 1, "", 3000)
    add(home, "foreign", 1, "other (/home/me/other)", 4000)
    for _ in range(2):  # the second time it is known whose they are
        found = store.sessions()
        assert [(session, version_of(entry)) for session, entry in found.items()] == [("b", 7), ("a", 2)]
    assert list(store.sessions({"c"})) == ["c", "b", "a"]
    assert list(store.sessions()) == ["b", "a"]
    assert store.load(found["a"]).text.startswith("=== SESSION STATE v2 ===")
    (home.states / "b" / "v0007.md").unlink()
    assert list(store.sessions()) == ["a"]
