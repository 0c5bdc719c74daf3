"""The lock that AgileFlow's scripts know holds other programs out, and is broken only when it is old."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from memtui.ground.files import FileLocked, FileOutside, FileProblem
from memtui.store.commands_file import ABANDONED_SECONDS, lock_file
from tests.disk import DEAD_PID, age, names
from tests.faults import failing, watched
from tests.processes import start_together


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session-state.json"


def at(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def leave(path: Path, content: str = f"{DEAD_PID}\n") -> None:
    """Leave a lock as a process does that was killed long ago."""
    at(path).write_text(content)
    age(path.parent)


def test_is_the_file_that_other_programs_look_for(path: Path) -> None:
    with lock_file(path):
        assert at(path).read_bytes() == b"%d\n" % os.getpid()
        assert names(path.parent) == ["session-state.json.lock"]
    assert names(path.parent) == []


@pytest.mark.parametrize("pid", [DEAD_PID, os.getppid(), os.getpid()], ids=["dead", "parent", "own"])
def test_a_holder_that_does_not_run_here_may_run_in_another_container(path: Path, pid: int) -> None:
    at(path).write_text(f"{pid}\n")
    words = rf"\.lock keeps session-state\.json locked: process {pid} made it 0 s ago; try again, and"
    with pytest.raises(FileLocked, match=words), lock_file(path, timeout=0.02):
        raise AssertionError
    assert at(path).read_text() == f"{pid}\n"


@pytest.mark.parametrize("content", [f"{DEAD_PID}\n", "1\n", "", "99999999999999999999", "no number"])
def test_takes_over_what_is_too_old(path: Path, content: str) -> None:
    for seconds in (ABANDONED_SECONDS + 60, -ABANDONED_SECONDS - 60):
        at(path).write_text(content)
        age(path.parent, seconds)
        with lock_file(path, timeout=0):
            assert at(path).read_text() == f"{os.getpid()}\n"
        assert names(path.parent) == []
    at(path).write_text(content)
    age(path.parent, ABANDONED_SECONDS - 20)
    with pytest.raises(FileLocked, match="10 s ago"), lock_file(path, timeout=0):
        raise AssertionError


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (Path.mkdir, "a folder, not a file"),
        (os.mkfifo, "a pipe, not a file"),
        (lambda where: where.symlink_to(where.parent / "x"), "a symbolic link"),
    ],
)
def test_anything_else_of_that_name_is_described_and_left_alone(
    path: Path, make: Callable[[Path], None], what: str
) -> None:
    make(at(path))
    age(path.parent)
    words = rf"\.lock is {what}.* and keeps session-state\.json locked; move it away"
    with pytest.raises(FileLocked, match=words), lock_file(path, timeout=0):
        raise AssertionError
    assert os.path.lexists(at(path))


def test_does_not_take_away_a_lock_that_is_not_its_own_any_more(path: Path) -> None:
    with lock_file(path):
        at(path).unlink()
        at(path).write_text(f"{os.getppid()}\n")
    assert at(path).read_text() == f"{os.getppid()}\n"


def test_goes_through_no_link(path: Path) -> None:
    (path.parent / "link").symlink_to(path.parent)
    with pytest.raises(FileOutside), lock_file(path.parent / "link" / "x", within=path.parent):
        raise AssertionError


def test_an_error_at_any_call_leaves_no_lock_behind(path: Path) -> None:
    leave(path)
    with watched(lambda number, name: None) as log, lock_file(path):
        pass
    for number in range(1, len(log) + 1):
        leave(path)
        with watched(failing(number, 5)) as log:
            try:
                with lock_file(path, timeout=0):
                    pass
            except FileProblem:
                pass
        # Whatever is left, the next one gets the lock.
        age(path.parent)
        with lock_file(path, timeout=0):
            pass
        assert not at(path).exists(), log[number - 1]


def test_breaking_an_old_lock_never_takes_away_a_new_one(path: Path) -> None:
    swaps = 0
    for step in range(1, 40):
        leave(path)
        swapped = False

        def before(number: int, name: str, step: int = step) -> None:
            nonlocal swapped
            swapped = swapped or (number == step and _takes_over(at(path)))

        try:
            with watched(before), lock_file(path, timeout=0):
                assert not swapped, f"call {step}"
        except FileLocked:
            assert at(path).read_text() == f"{os.getppid()}\n", f"call {step}"
            at(path).unlink()
        swaps += swapped
    assert swaps > 2


def _takes_over(lock: Path) -> bool:
    """Do what another process does that finds the old lock at the same time; False when it is too late."""
    with lock.open() if lock.exists() else nullcontext() as old:
        if old is None or old.read() != f"{DEAD_PID}\n":
            return False
        try:
            fcntl.flock(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        lock.unlink()
        lock.write_text(f"{os.getppid()}\n")
        return True


_COUNT = """
import sys
from pathlib import Path
from memtui.store.commands_file import lock_file
path = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    with lock_file(path, timeout=30):
        path.write_text(str(int(path.read_text()) + 1))
"""


def test_processes_take_turns_from_an_old_lock_on(path: Path) -> None:
    # All of them find the same old lock first: the one that breaks it must not break the new one of another.
    path.write_text("0")
    start_together([[_COUNT, str(path), "40"]] * 8, lambda: leave(path))
    assert path.read_text() == "320"
    assert names(path.parent) == ["session-state.json"]
