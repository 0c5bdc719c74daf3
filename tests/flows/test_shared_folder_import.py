"""The store follows the project's own folder, and loses nothing when that or the store fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtui.flows import shared_folder_state
from memtui.ground.files import FileProblem, FileUnreadable, load_within, read_within
from memtui.ground.project import Home, Project
from memtui.store.memory_files import FilesBackend
from tests.disk import left_over
from tests.flows.here import THEIRS, clock, new, notes, project_in, put, texts
from tests.share.records import record

OTHER = "CMEM-20260102-000001@laptop-1a2b"


def refuse(monkeypatch: pytest.MonkeyPatch, method: str, *, times: int = 1) -> None:
    """Let the store refuse the first calls of a method, as a full disk does."""
    real = getattr(FilesBackend, method)
    left = [times]

    def refused(self: FilesBackend, *words: object, **values: object) -> object:
        left[0] -= 1
        if left[0] >= 0:
            raise FileProblem(Path("store"), "cannot be written: the disk is full")
        return real(self, *words, **values)

    monkeypatch.setattr(FilesBackend, method, refused)


def test_a_file_that_cannot_be_read_keeps_its_memory_and_is_read_later(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(project, record(body=b"one"))
    notes(project, home)
    put(project, record(body=b"two, longer"))

    def unreadable(path: Path, *words: object, **values: object) -> object:
        raise FileUnreadable(path, "cannot be read: permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("memtui.flows.shared_folder_import.load_within", unreadable)
        for _ in range(2):  # said as long as it is so
            assert notes(project, home) == [f"{path} cannot be read: permission denied."]
            assert texts(home) == {THEIRS: b"one"}
    assert notes(project, home) == []  # its mode changes neither time nor size
    assert texts(home) == {THEIRS: b"two, longer"}


def test_a_file_that_goes_while_it_is_read_is_no_problem(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(project, record(body=b"one"))

    def gone(path: Path, *words: object, **values: object) -> object:
        path.unlink()
        return load_within(path, *words, **values)  # type: ignore[arg-type]

    monkeypatch.setattr("memtui.flows.shared_folder_import.load_within", gone)
    assert notes(project, home) == []
    assert not path.exists()
    assert texts(home) == {}


def test_a_file_that_is_broken_now_keeps_its_memory(home: Home, project: Project) -> None:
    put(project, record(body=b"one"))
    notes(project, home)
    (project.shared / f"{THEIRS}.md").write_text("<<<<<<< ours\n")
    (note,) = notes(project, home)
    assert "is not a shared memory" in note
    assert texts(home) == {THEIRS: b"one"}


def test_more_files_than_are_read_take_nothing_away(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.flows.shared_folder_import._MOST", 2)
    put(project, record(body=b"old"))
    notes(project, home)
    for number in range(1, 4):
        put(project, record(number))
    notes(project, home)
    assert texts(home)[THEIRS] == b"old"


def test_a_folder_that_cannot_be_listed_takes_nothing_away_and_is_named(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, record(body=b"one"))
    notes(project, home)

    def refused(where: object) -> Iterator[os.DirEntry[str]]:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("memtui.ground.files.folder.os.scandir", refused)
        (note,) = notes(project, home)
    assert note.startswith(f"{project.shared} cannot be listed")
    assert texts(home) == {THEIRS: b"one"}
    project.shared.rename(project.root / "elsewhere")
    assert notes(project, home) == []
    assert texts(home) == {}


def test_a_project_that_is_not_there_takes_nothing_away(home: Home, project: Project) -> None:
    put(project, record(body=b"one"))
    notes(project, home)
    project.root.rename(project.root.with_name("moved"))
    notes(project, home)
    assert texts(home) == {THEIRS: b"one"}


def test_a_memory_that_could_not_be_stored_is_tried_again(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, record(body=b"one"))
    put(project, record(1, body=b"one"))
    refuse(monkeypatch, "create")
    assert notes(project, home) == ["store cannot be written: the disk is full."]
    assert len(texts(home)) == 1
    assert notes(project, home) == []
    assert len(texts(home)) == 2


def test_after_many_problems_the_rest_waits(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.flows.shared_folder_import._PROBLEMS", 2)
    for number in range(4):
        put(project, record(number))
    refuse(monkeypatch, "create", times=9)
    assert notes(project, home)[2:] == ["The rest will be tried the next time."]
    monkeypatch.undo()
    assert notes(project, home) == []
    assert len(texts(home)) == 4


def test_a_memory_that_could_not_be_changed_or_taken_out_is_tried_again(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, record(body=b"one"))
    path = put(project, record(1, body=b"one"))
    notes(project, home)
    put(project, record(body=b"two, longer"))
    path.unlink()
    refuse(monkeypatch, "rewrite")
    refuse(monkeypatch, "delete")
    assert notes(project, home) == ["store cannot be written: the disk is full."] * 2
    assert texts(home) == {THEIRS: b"one", OTHER: b"one"}
    assert notes(project, home) == []
    assert texts(home) == {THEIRS: b"two, longer"}


def test_another_process_that_took_them_in_meanwhile_is_not_undone(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.flows import shared_folder_import
    from memtui.ground.files import lock

    put(project, record(body=b"one"))

    @contextmanager
    def waited(*words: object, **values: object) -> Iterator[None]:
        monkeypatch.setattr(shared_folder_import, "lock", lock)
        put(project, record(1, body=b"two"))
        assert notes(project, home) == []  # the other process, which is done when this one gets the lock
        yield

    monkeypatch.setattr(shared_folder_import, "lock", waited)
    assert notes(project, home) == []
    assert texts(home) == {THEIRS: b"one", OTHER: b"two"}
    (project.shared / f"{OTHER}.md").unlink()
    notes(project, home)
    assert texts(home) == {THEIRS: b"one"}


def test_a_store_that_cannot_be_written_is_a_note(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, record(body=b"one"))

    def full(path: Path, *words: object, **values: object) -> None:
        raise FileProblem(path, "cannot be written: the disk is full")

    monkeypatch.setattr("memtui.flows.shared_folder_state.write_atomic", full)
    (note,) = notes(project, home)
    assert note.endswith("cannot be written: the disk is full.")
    assert texts(home) == {THEIRS: b"one"}
    monkeypatch.undo()
    assert notes(project, home) == []  # as after a kill: the memory is there, and nothing is known of it
    (project.shared / f"{THEIRS}.md").unlink()
    notes(project, home)
    assert texts(home) == {}


def test_a_store_on_a_read_only_disk_says_what_is_not_taken_in(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, record(body=b"one"))

    def read_only(folder: Path, *, within: Path) -> None:
        raise FileProblem(folder, "cannot be written: the disk is read-only")

    monkeypatch.setattr("memtui.flows.shared_folder_import.private_folder", read_only)
    assert notes(project, home) == [
        f"{project.shared} is not taken in: {home.data}/sharing cannot be written: the disk is read-only."
    ]


def test_a_memory_of_two_checkouts_stays_while_one_has_it(
    home: Home, project: Project, tmp_path: Path
) -> None:
    (tmp_path / "second").mkdir()
    second = project_in(tmp_path / "second")
    for each in (project, second):
        put(each, record(body=b"one"))
        notes(each, home)
    (second.shared / f"{THEIRS}.md").unlink()
    notes(second, home)
    assert texts(home) == {THEIRS: b"one"}
    (project.shared / f"{THEIRS}.md").unlink()
    notes(project, home)
    assert texts(home) == {}
    put(second, record(body=b"one"))  # it went with its file, not by a person's hand
    notes(second, home)
    assert texts(home) == {THEIRS: b"one"}


def test_tags_of_ones_own_stay_when_the_text_changes(home: Home, project: Project) -> None:
    put(project, record(body=b"one"))
    notes(project, home)
    FilesBackend(home, clock).update(THEIRS, tags=("cart", "mine"))
    put(project, record(body=b"two, longer"))
    notes(project, home)
    assert FilesBackend(home, clock).get(THEIRS).meta.tags == ("cart", "mine")


def test_ones_own_memory_of_the_same_second_is_made_and_wins(home: Home, project: Project) -> None:
    put(project, record(body=b"forged", memory="CMEM-20260102-120000@laptop-1a2b"))
    notes(project, home)
    own = new(home, project, b"mine", created=clock().astimezone().replace(hour=12))
    store = FilesBackend(home, clock)
    assert own == "CMEM-20260102-120000"
    assert store.get(store.find(own)).body == b"mine"
    assert store.get(store.find(f"{own}@laptop-1a2b")).body == b"forged"


def test_what_is_known_is_read_once_and_once_more_under_the_lock(
    home: Home, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, record(body=b"one"))
    notes(project, home)
    read: list[Path] = []

    def counted(path: Path, *words: object, **values: object) -> bytes:
        read.append(path)
        return read_within(path, *words, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(shared_folder_state, "read_within", counted)
    notes(project, home)
    assert len(read) == 1
    put(project, record(body=b"two, longer"))
    notes(project, home)
    assert len(read) == 3
    assert texts(home) == {THEIRS: b"two, longer"}


def test_what_killed_processes_left_is_removed(home: Home, project: Project) -> None:
    put(project, record(body=b"one"))
    notes(project, home)
    left = left_over(home.data / "sharing")
    put(project, record(body=b"two, longer"))
    notes(project, home)
    assert not left.exists()
