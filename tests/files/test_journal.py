"""Several files change together: all or nothing, through errors and kills."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path

import pytest

from memtui.files import Change, FileChanged, FileOutside, FileProblem, FileUnwritable, commit, lock, recover
from tests import faults
from tests.disk import DEAD_PID, names, unchanging, without_flushing

CHANGES = (
    Change("new.md", None, b"made"),
    Change("kept.md", b"old", b"changed"),
    Change("gone.md", b"bye", None),
)
BEFORE = {"kept.md": b"old", "gone.md": b"bye"}
AFTER = {"new.md": b"made", "kept.md": b"changed"}


def prepare(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, content in BEFORE.items():
        (folder / name).write_bytes(content)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare(tmp_path / "folder")


def test_makes_all_changes(folder: Path) -> None:
    commit(folder, CHANGES)
    assert files(folder) == AFTER
    assert (folder / "new.md").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("content", [None, b"edited"])
def test_makes_none_when_a_file_is_not_as_expected(folder: Path, index: int, content: bytes | None) -> None:
    name = CHANGES[index].name
    (folder / name).unlink(missing_ok=True)
    if content is not None:
        (folder / name).write_bytes(content)
    elif name == "new.md":
        (folder / name).symlink_to("nowhere")
    before = {each.name: unchanging(each) for each in folder.iterdir()}
    with pytest.raises(FileChanged) as caught:
        commit(folder, CHANGES)
    assert caught.value.path == folder / name
    assert {each.name: unchanging(each) for each in folder.iterdir()} == before


def test_takes_plain_names_only(folder: Path) -> None:
    for name in ("../x.md", "a/b.md", ".hidden", "", "..", "nul\0"):
        with pytest.raises(ValueError, match="not a plain file name"):
            commit(folder, [Change(name, None, b"")])


def test_goes_through_no_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to(folder)
    with pytest.raises(FileOutside):
        commit(tmp_path / "root" / "link", CHANGES, within=tmp_path / "root")
    assert files(folder) == BEFORE


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_an_error_at_any_call_leaves_all_or_nothing(folder: Path, code: int) -> None:
    with faults.watched(lambda number, name: None) as log:
        commit(folder, CHANGES)
    assert len(log) > 60
    for at in range(1, len(log) + 1):
        prepare(folder)
        with faults.watched(faults.failing(at, code)) as log:
            try:
                commit(folder, CHANGES)
                wanted = AFTER
            except FileProblem:
                wanted = BEFORE
        _pretend_dead(folder)
        assert recover(folder)
        assert files(folder) == wanted, f"call {at}, {log[at - 1]}"


def test_says_when_a_change_will_be_completed_later(folder: Path) -> None:
    # Two faults: the rename fails, and then the journal cannot be removed, either.
    def before(number: int, name: str) -> None:
        if (name == "replace" and number > first_replace) or name == "unlink":
            raise OSError(errno.EIO, "broken disk")

    with faults.watched(lambda number, name: None) as log:
        commit(folder, CHANGES)
    first_replace = log.index("replace") + 1
    prepare(folder)
    words = "memtui completes this when it opens the folder again"
    with pytest.raises(FileUnwritable, match=words), faults.watched(before):
        commit(folder, CHANGES)
    _pretend_dead(folder)
    assert recover(folder)
    assert files(folder) == AFTER


def test_a_kill_at_any_call_leaves_all_or_nothing(tmp_path: Path) -> None:
    assert faults.run_sweep("tests.files.test_journal", tmp_path) > 60


def _sweep(base: Path) -> int:
    outcomes = set()

    def check(place: Path) -> None:
        assert recover(place)
        found = files(place)
        assert found in (BEFORE, AFTER), found
        outcomes.add("new.md" in found)

    points = faults.kill_sweep(
        lambda number: prepare(base / str(number)), lambda place: commit(place, CHANGES), check
    )
    assert outcomes == {False, True}
    return points


def test_the_next_change_completes_the_last_one_first(folder: Path) -> None:
    _interrupt(folder)
    commit(folder, [Change("new.md", b"made", b"made again")])
    assert files(folder) == AFTER | {"new.md": b"made again"}


@pytest.mark.parametrize("name", ["new.md", "kept.md", "gone.md"])
def test_an_edit_after_the_kill_wins(folder: Path, name: str) -> None:
    _interrupt(folder)
    (folder / name).write_bytes(b"edited meanwhile")
    assert recover(folder)
    assert files(folder) == BEFORE | {name: b"edited meanwhile"}


def test_waits_while_another_process_is_at_work(folder: Path) -> None:
    _interrupt(folder)
    with lock(folder / ".memtui"):
        assert not recover(folder)
    assert recover(folder)
    assert files(folder) == AFTER


def test_recovers_nothing_where_nothing_is(tmp_path: Path) -> None:
    assert recover(tmp_path)
    assert recover(tmp_path / "missing")
    (tmp_path / "file").touch()
    assert not recover(tmp_path / "file")


@pytest.mark.parametrize(
    "steps",
    [
        [{"name": "../out.md", "temp": "TEMP", "before": "", "after": "HASH"}],
        [{"name": "a.md", "temp": "../folder/kept.md", "before": "", "after": "HASH"}],
        [{"name": "a.md", "temp": "", "before": "", "after": "HASH"}],
        [{"name": "a.md", "temp": "TEMP", "before": "", "after": ["x"]}],
        [{"name": "a.md", "surprise": 1}],
        "no list",
    ],
)
def test_a_journal_from_elsewhere_does_no_harm(folder: Path, tmp_path: Path, steps: object) -> None:
    temp = f".memtui-{DEAD_PID}-0123456789ab.tmp"
    digest = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
    (folder / temp).write_bytes(b"foo")
    text = json.dumps({"format": 1, "steps": steps}).replace("TEMP", temp).replace("HASH", digest)
    (folder / f".memtui-{DEAD_PID}-0123456789ab.journal").write_text(text)
    assert recover(folder)
    assert files(folder) == BEFORE
    assert not (tmp_path / "out.md").exists()


def test_a_journal_that_is_no_file_is_left_alone(folder: Path) -> None:
    journal = folder / f".memtui-{DEAD_PID}-0123456789ab.journal"
    journal.mkdir()
    recover(folder)
    assert journal.is_dir()


def _interrupt(folder: Path) -> None:
    """Leave `folder` as a process does that was killed right after deciding to make the changes."""

    class Killed(BaseException):
        pass

    def before(number: int, name: str) -> None:
        if name == "link" and any(each.endswith(".journal") for each in names(folder)):
            raise Killed

    with pytest.raises(Killed), faults.watched(before):
        commit(folder, CHANGES)
    _pretend_dead(folder)
    assert BEFORE.items() <= files(folder).items()


def _pretend_dead(folder: Path) -> None:
    """Make what this process left behind look like a dead one's."""
    for path in list(folder.iterdir()):
        if path.name.startswith(f".memtui-{os.getpid()}-"):
            path = path.rename(folder / path.name.replace(str(os.getpid()), str(DEAD_PID), 1))
            if path.suffix == ".journal":
                path.write_text(path.read_text().replace(f"-{os.getpid()}-", f"-{DEAD_PID}-"))


if __name__ == "__main__":
    without_flushing()
    print(_sweep(Path(sys.argv[1])))  # noqa: T201
