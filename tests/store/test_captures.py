"""Captures: listed, read and found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.ground.files import FileProblem
from memtui.ground.project import Project
from memtui.store import captures
from memtui.store.captures import CaptureStore
from tests.store.captures import add_capture


@pytest.fixture
def store(project: Project) -> CaptureStore:
    return CaptureStore(project)


def test_lists_captures_newest_first_and_nothing_else(project: Project, store: CaptureStore) -> None:
    assert store.entries() == []
    paths = [add_capture(project, number) for number in (1, 3, 0, 2)]
    for other in ("20251225_081500-memory.md", "notes.md", ".hidden-autocompact.md", "x-autocompact.md.bak"):
        (project.compacts / other).touch()
    (project.compacts / "by-hand-autocompact.md").touch()
    assert [entry.name for entry in store.entries()] == [
        *(paths[index].name for index in (1, 3, 0, 2)),
        "by-hand-autocompact.md",
    ]


def test_half_a_character_does_not_break_a_capture(project: Project, store: CaptureStore) -> None:
    path = add_capture(project, message="café")
    path.write_bytes(path.read_bytes().replace("é".encode(), "é".encode()[:1]))
    assert store.load(store.entries()[0]).first_message == "caf\N{REPLACEMENT CHARACTER}"


def test_broken_captures_are_listed_with_their_reason(
    project: Project, store: CaptureStore, tmp_path: Path
) -> None:
    folder = project.compacts
    add_capture(project)
    (tmp_path / "secret").write_text("secret")
    (folder / "1-autocompact.md").write_text("nothing of the kind")
    (folder / "2-autocompact.md").mkdir()
    os.mkfifo(folder / "3-autocompact.md")
    (folder / "4-autocompact.md").symlink_to(tmp_path / "secret")
    (folder / "5-autocompact.md").write_bytes(b"#" * (captures.LIMIT + 1))
    (folder / "6-autocompact.md").symlink_to("20251225_081500-autocompact.md")
    reasons = {}
    for entry in store.entries():
        try:
            store.load(entry)
        except FileProblem as problem:
            reasons[entry.name[0]] = problem.reason
            assert str(problem).startswith(str(entry.path))
    newest = store.newest_pending()
    assert newest and newest.path.name.startswith("2025")
    assert reasons.pop("1").startswith("is broken: ")
    assert reasons == {
        "2": "is not a regular file",
        "3": "is not a regular file",
        "4": "is a symbolic link, which memtui does not follow here",
        "5": "is larger than 1 MB",
        "6": "is a symbolic link, which memtui does not follow here",
    }


@pytest.mark.parametrize(
    "argument",
    [
        "{name}",
        "20251225_081500",
        " 20251225-081500 ",
        "20251225_081500-autocompact",
        "./{name}",
        ".project/compacts/{name}",
        "{root}/.project/compacts/{name}",
        "{root}/.project/../.project/compacts/./{name}",
        "../app/.project/compacts/{name}",
    ],
)
def test_finds_the_capture_that_a_person_means(
    project: Project, store: CaptureStore, argument: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = add_capture(project)
    (project.root / "sub").mkdir()
    monkeypatch.chdir(project.root)
    argument = argument.format(name=path.name, root=project.root)
    assert store.resolve(argument) == store.entries()[0]
    monkeypatch.chdir(project.compacts)
    assert store.resolve(argument) == store.entries()[0]


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("20251225_081501", "does not exist; `memtui captures` lists those that do"),
        ("{root}/../elsewhere-autocompact.md", "is not in .*, where this project's captures are"),
        ("../../elsewhere-autocompact.md", "is not in .*, where this project's captures are"),
        ("/etc/passwd", "is not in .*, where this project's captures are"),
        ("20251225_081500-memory.md", "is not called like a capture"),
        (".", "is not"),
        ("..", "is not"),
        ("", "is where captures are; name one of them"),
        ("a\0b", "is where captures are; name one of them"),
        ("x" * 300 + "-autocompact.md", "does not exist"),
        ("~/x-autocompact.md", "is not in"),
    ],
)
def test_refuses_what_is_no_capture_of_the_project(
    project: Project,
    store: CaptureStore,
    argument: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    add_capture(project)
    (project.compacts / "20251225_081500-memory.md").touch()
    (tmp_path / "elsewhere-autocompact.md").touch()
    with pytest.raises(FileProblem, match=reason):
        store.resolve(argument.format(root=project.root))
