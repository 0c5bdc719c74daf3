"""Locks hold other processes and threads out, and are broken only when nobody holds them."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from memtui.files import FileLocked, FileMissing, FileOutside, FileProblem, lock
from memtui.files.atomic import STALE_SECONDS
from memtui.files.folder import Folder
from memtui.files.locks import is_dead_lock
from tests.disk import DEAD_PID, names
from tests.faults import failing, watched
from tests.processes import start_together


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session-state.json"


def lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def test_holds_the_file_that_other_programs_look_for(path: Path) -> None:
    with lock(path):
        assert lock_file(path).read_bytes() == b"%d\n" % os.getpid()
        assert names(path.parent) == ["session-state.json.lock"]
    assert names(path.parent) == []


def test_is_given_back_after_an_exception(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), lock(path):
        raise ZeroDivisionError
    assert not lock_file(path).exists()


def test_waits_for_a_live_holder_and_names_it(path: Path) -> None:
    lock_file(path).write_text(f"{os.getppid()}\n")
    with (
        pytest.raises(FileLocked, match=rf"\.lock is held by process {os.getppid()}; try again"),
        lock(path, timeout=0.02),
    ):
        raise AssertionError
    assert lock_file(path).exists()


@pytest.mark.parametrize("content", [f"{DEAD_PID}\n", f"{DEAD_PID}", "99999999999999999999", "our own"])
def test_takes_over_from_the_dead(path: Path, content: str) -> None:
    # The last one is of a namesake: our own process id, in a lock that this process did not make.
    lock_file(path).write_text(content.replace("our own", str(os.getpid())))
    with lock(path, timeout=0):
        assert lock_file(path).read_text() == f"{os.getpid()}\n"
    assert names(path.parent) == []


def test_takes_over_what_is_older_than_half_an_hour(path: Path) -> None:
    lock_file(path).write_text(f"{os.getppid()}\n")
    young = lock_file(path).stat().st_mtime
    os.utime(lock_file(path), (young, young - STALE_SECONDS + 60))
    with pytest.raises(FileLocked), lock(path, timeout=0):
        raise AssertionError
    os.utime(lock_file(path), (young, young - STALE_SECONDS - 60))
    with lock(path, timeout=0):
        pass


def test_a_lock_that_is_just_being_written_counts(path: Path) -> None:
    lock_file(path).touch()
    with pytest.raises(FileLocked, match="held by another program"), lock(path, timeout=0):
        raise AssertionError
    os.utime(lock_file(path), (1, lock_file(path).stat().st_mtime - 10))
    with lock(path, timeout=0):
        pass


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda where: where.symlink_to(where.parent / "x")])
def test_anything_else_of_that_name_is_left_alone(path: Path, make: Callable[[Path], None]) -> None:
    make(lock_file(path))
    with pytest.raises(FileLocked), lock(path, timeout=0):
        raise AssertionError
    assert os.path.lexists(lock_file(path))


def test_does_not_take_away_a_lock_that_is_not_its_own_any_more(path: Path) -> None:
    with lock(path):
        lock_file(path).unlink()
        lock_file(path).write_text(f"{os.getppid()}\n")
    assert lock_file(path).read_text() == f"{os.getppid()}\n"


def test_problems_of_the_body_stay_what_they_are(path: Path) -> None:
    with pytest.raises(FileNotFoundError), lock(path):
        (path.parent / "gone").read_bytes()
    with pytest.raises(FileMissing), lock(path.parent / "gone" / "x"):
        raise AssertionError
    (path.parent / "link").symlink_to(path.parent)
    with pytest.raises(FileOutside), lock(path.parent / "link" / "x", within=path.parent):
        raise AssertionError


def test_tells_dead_locks(path: Path) -> None:
    with Folder(path.parent) as folder:
        assert not is_dead_lock(folder, lock_file(path).name)
        with lock(path):
            assert not is_dead_lock(folder, lock_file(path).name)
        lock_file(path).write_text(str(DEAD_PID))
        assert is_dead_lock(folder, lock_file(path).name)


def test_an_error_at_any_call_leaves_no_lock_behind(path: Path) -> None:
    lock_file(path).write_text(str(DEAD_PID))
    with watched(lambda number, name: None) as log, lock(path):
        pass
    for at in range(1, len(log) + 1):
        lock_file(path).write_text(str(DEAD_PID))
        with watched(failing(at, 5)) as log:
            try:
                with lock(path, timeout=0):
                    pass
            except FileProblem:
                pass
        # Whatever is left, the next one gets the lock.
        with lock(path, timeout=0):
            pass
        assert not lock_file(path).exists(), log[at - 1]


def test_threads_take_turns(path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with lock(path, timeout=20):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert not lock_file(path).exists()


def test_breaking_a_dead_lock_never_takes_away_a_new_one(path: Path) -> None:
    swaps = 0
    for at in range(1, 40):
        lock_file(path).write_text(str(DEAD_PID))
        swapped = False

        def before(number: int, name: str, at: int = at) -> None:
            nonlocal swapped
            swapped = swapped or (number == at and _takes_over(lock_file(path)))

        try:
            with watched(before), lock(path, timeout=0):
                assert not swapped, f"call {at}"
        except FileLocked:
            assert lock_file(path).read_text() == f"{os.getppid()}\n", f"call {at}"
            lock_file(path).unlink()
        swaps += swapped
    assert swaps > 3


def _takes_over(lock: Path) -> bool:
    """Do what another process does that finds the dead lock at the same time; False when it is too late."""
    with lock.open() if lock.exists() else nullcontext() as dead:
        if dead is None or dead.read() != str(DEAD_PID):
            return False
        try:
            fcntl.flock(dead, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        lock.unlink()
        lock.write_text(f"{os.getppid()}\n")
        return True


_COUNT = """
import sys
from pathlib import Path
from memtui.files import lock
path = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    with lock(path, timeout=30):
        path.write_text(str(int(path.read_text()) + 1))
"""


def test_processes_take_turns_from_a_dead_lock_on(path: Path) -> None:
    # All of them find the same dead lock first: whoever breaks it must not break the new one of another.
    path.write_text("0")
    start_together([[_COUNT, str(path), "40"]] * 8, lambda: lock_file(path).write_text(str(DEAD_PID)))
    assert path.read_text() == "320"
    assert names(path.parent) == ["session-state.json"]
