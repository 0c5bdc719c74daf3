"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.ground.files import (
    LEFT_OVER_SECONDS,
    FileChanged,
    FileMissing,
    FileOutside,
    FileProblem,
    FileUnwritable,
    create_exclusive,
    sweep_temps,
    write_atomic,
)
from tests.disk import DEAD_PID, age, mode_of, names
from tests.faults import failing, watched


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_replaces_the_content_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write_atomic(path, b"old")
    write_atomic(path, b"new" * 1_000_000)
    assert path.read_bytes() == b"new" * 1_000_000
    assert names(tmp_path) == ["a.md"]


def test_is_private_under_any_umask(tmp_path: Path, umask: int) -> None:
    write_atomic(tmp_path / "a.md", b"x")
    create_exclusive(tmp_path / "b.md", b"x")
    assert mode_of(tmp_path / "a.md") == mode_of(tmp_path / "b.md") == 0o600


def test_keeps_the_mode_of_others_files(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "theirs.json"
    path.write_bytes(b"old")
    path.chmod(0o664)
    write_atomic(path, b"new", mode=None)
    assert mode_of(path) == 0o664
    write_atomic(tmp_path / "none.json", b"new", mode=None)
    assert mode_of(tmp_path / "none.json") == 0o600


def test_replaces_a_link_instead_of_following_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"untouched")
    link = tmp_path / "link"
    link.symlink_to(outside)
    write_atomic(link, b"new", mode=None)
    assert outside.read_bytes() == b"untouched"
    assert not link.is_symlink()
    assert mode_of(link) == 0o600


def test_follows_no_link_below_the_allowed_folder(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root" / "sub").symlink_to(tmp_path / "elsewhere")
    for path in (
        tmp_path / "root" / "sub" / "a",
        tmp_path / "root" / ".." / "a",
        tmp_path / "elsewhere" / "a",
    ):
        with pytest.raises(FileOutside):
            write_atomic(path, b"x", within=tmp_path / "root")
    assert names(tmp_path / "elsewhere") == []


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileMissing, match=r"gone/a\.md cannot be written: its folder does not exist$"):
        write_atomic(tmp_path / "gone" / "a.md", b"x")


def test_replaces_what_was_expected_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for content in (b"other", b"", b"expected and more"):
        path.write_bytes(content)
        with pytest.raises(FileChanged, match="has changed meanwhile"):
            write_atomic(path, b"new", expected=b"expected")
        assert path.read_bytes() == content
    path.write_bytes(b"expected")
    path.chmod(0o664)
    write_atomic(path, b"new", mode=None, expected=b"expected")
    assert path.read_bytes() == b"new"
    assert mode_of(path) == 0o664
    path.unlink()
    with pytest.raises(FileMissing):
        write_atomic(path, b"new", expected=b"")
    assert names(tmp_path) == []


def test_the_file_is_flushed_before_the_rename_and_the_folder_after_it(tmp_path: Path) -> None:
    with watched(lambda number, name: None) as log:
        write_atomic(tmp_path / "a.md", b"x")
    assert [name for name in log if name in ("write", "fsync", "replace")] == [
        "write",
        "fsync",
        "replace",
        "fsync",
    ]


def test_only_unsupported_flushing_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = errno.EINVAL

    def fsync(fd: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fsync)
    write_atomic(tmp_path / "a.md", b"x")
    code = errno.EIO
    with pytest.raises(FileUnwritable, match="cannot be written: input/output error"):
        write_atomic(tmp_path / "a.md", b"y")
    assert (tmp_path / "a.md").read_bytes() == b"x"
    assert names(tmp_path) == ["a.md"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [(errno.ENOSPC, "the disk is full; free some space and try again"), (errno.EIO, "input/output error")],
)
@pytest.mark.parametrize("durable", [True, False])
def test_an_error_at_any_call_changes_nothing_and_says_what_to_do(
    tmp_path: Path, code: int, reason: str, durable: bool
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    calls = _calls_of(lambda: write_atomic(path, b"old", expected=b"old", durable=durable))
    assert calls > 8
    for at in range(1, calls + 1):
        path.write_bytes(b"old")
        with watched(failing(at, code)) as log:
            try:
                write_atomic(path, b"new" * 100, expected=b"old", durable=durable)
                content = b"new" * 100
            except FileUnwritable as problem:
                assert str(problem) == f"{path} cannot be written: {reason}"
                content = b"old"
        assert path.read_bytes() == content, log[at - 1]
        assert names(tmp_path) == ["a.md"], log[at - 1]
        assert durable or "fsync" not in log


def test_creates_only_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert create_exclusive(path, b"first")
    assert not create_exclusive(path, b"second")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    assert not create_exclusive(tmp_path / "broken", b"x")
    assert not create_exclusive(tmp_path / "folder", b"x")
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["a.md", "broken", "folder"]


def test_creates_exclusively_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*args: object, **options: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", link)
    assert create_exclusive(tmp_path / "a.md", b"first")
    assert not create_exclusive(tmp_path / "a.md", b"second")
    assert (tmp_path / "a.md").read_bytes() == b"first"
    assert names(tmp_path) == ["a.md"]


def test_an_error_while_creating_leaves_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    for at in range(1, _calls_of(lambda: create_exclusive(path, b"new")) + 1):
        path.unlink(missing_ok=True)
        with watched(failing(at, errno.ENOSPC)) as log:
            try:
                created = create_exclusive(path, b"new")
            except FileProblem:
                created = "link" in log[: at - 1]
        assert path.exists() == created
        assert not created or path.read_bytes() == b"new"
        left = [name for name in names(tmp_path) if name != "a.md"]
        # What could not be removed is swept later.
        assert not left or log[at - 1] == "unlink"
        sweep_temps(tmp_path)
        assert {*left} <= {*names(tmp_path)}
        age(tmp_path)
        sweep_temps(tmp_path)
        assert not {*left} & {*names(tmp_path)}


def test_sweeps_old_temporary_files_of_any_process(tmp_path: Path) -> None:
    # A process of another container that shares the folder is at work, although no process here has its id.
    there = tmp_path / f".memtui-{DEAD_PID}-ba9876543210.tmp"
    mine = tmp_path / f".memtui-{os.getpid()}-ba9876543210.tmp"
    dead = tmp_path / f".memtui-{DEAD_PID}-0123456789ab.tmp"
    old = tmp_path / f".memtui-{os.getpid()}-0123456789ab.tmp"
    foreign = [
        tmp_path / ".memtui-x.tmp",
        tmp_path / "a.tmp",
        tmp_path / f".memtui-{DEAD_PID}-0123456789ab.tmp.md",
    ]
    for path in (there, mine, dead, old, *foreign):
        path.write_bytes(b"")
    for path in (dead, old, *foreign):
        os.utime(path, (1, 1))
    young = time.time() - LEFT_OVER_SECONDS + 60
    os.utime(mine, (young, young))
    sweep_temps(tmp_path)
    assert set(tmp_path.iterdir()) == {there, mine, *foreign}
    sweep_temps(tmp_path / "gone")


@pytest.mark.parametrize("write", [write_atomic, create_exclusive])
def test_parts_that_break_off_change_nothing(tmp_path: Path, write: Callable[..., object]) -> None:
    def breaking() -> Iterator[bytes]:
        yield b"half"
        raise KeyError

    write(tmp_path / "f", [b"one ", b"", b"two"])
    with pytest.raises(KeyError):
        write(tmp_path / "f", breaking())
    assert (tmp_path / "f").read_bytes() == b"one two"
    assert names(tmp_path) == ["f"]


def _calls_of(work: object) -> int:
    assert callable(work)
    with watched(lambda number, name: None) as log:
        work()
    return len(log)
