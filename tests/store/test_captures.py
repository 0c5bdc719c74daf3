"""Captures: listed, read and found, and reviewed once, safe at any failure."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from memtui.documents.capture import parse_capture
from memtui.documents.memory_file import parse_memory, render_memory
from memtui.ground.files import FileProblem
from memtui.ground.project import Project
from memtui.store import captures
from memtui.store.captures import CaptureStore
from tests import faults
from tests.disk import names
from tests.store.captures import MEMORY, MEMORY_NAME, add_capture


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


def test_a_memory_file_that_is_there_is_never_written_over(project: Project, store: CaptureStore) -> None:
    path = add_capture(project)
    (project.compacts / MEMORY_NAME).write_text("an orphan")
    (project.compacts / "20251225_081500-memory-2.md").symlink_to("nowhere")
    review = store.review(store.entries()[0], memory=render_memory(MEMORY), summary="s")
    assert review.name == "20251225_081500-memory-3.md"
    assert parse_capture(path.read_text()).memory == review.name
    assert (project.compacts / MEMORY_NAME).read_text() == "an orphan"


def test_of_parallel_reviews_one_wins(project: Project, store: CaptureStore) -> None:
    path = add_capture(project)
    (entry,) = store.entries()
    outcomes: list[str] = []
    start = threading.Barrier(6)

    def work(number: int) -> None:
        start.wait()
        try:
            store.review(
                entry, memory=render_memory(MEMORY.replace(title=f"by {number}")), summary=f"by {number}"
            )
            outcomes.append(f"by {number}")
        except FileProblem:
            outcomes.append("too late")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [outcome for outcome in outcomes if outcome != "too late"]
    assert len(outcomes) == 6
    assert parse_capture(path.read_text()).summary == winner
    assert parse_memory((project.compacts / MEMORY_NAME).read_text()).title == winner
    assert names(project.compacts) == [path.name, MEMORY_NAME]


def test_an_error_at_any_call_of_a_review_changes_nothing(project: Project, store: CaptureStore) -> None:
    path = add_capture(project)
    pending = path.read_bytes()
    at, failed = 0, 0
    while True:
        at += 1
        (entry,) = store.entries()
        with faults.watched(faults.failing(at, errno.EIO)) as log:
            try:
                review = store.review(entry, memory=render_memory(MEMORY), summary="s")
            except FileProblem:
                failed += 1
                review = None
        if review is None:
            assert path.read_bytes() == pending, f"call {at}, {log[-1]}"
            assert not (project.compacts / MEMORY_NAME).exists(), log[at - 1]
        else:
            path.write_bytes(pending)
            review.unlink()
        if len(log) < at:
            break
    assert failed > 25
    # What could not be removed in between has gone with the changes that came after.
    assert [name for name in names(project.compacts) if name.endswith(".lock")] == []
