"""Locks hold other processes and threads out, and end with their process."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtui.ground.files import FileLocked, FileMissing, FileOutside, FileProblem, lock
from tests.disk import DEAD_PID, mode_of, names
from tests.faults import failing, watched
from tests.processes import start_together


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


_HOLD = """
import sys
from pathlib import Path
from memtui.ground.files import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", _HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.kill()


def test_leaves_nothing_behind(path: Path) -> None:
    with lock(path):
        assert names(path.parent) == ["index.db.lock"]
        assert mode_of(lock_of(path)) == 0o600
    assert names(path.parent) == []
    with pytest.raises(ZeroDivisionError), lock(path):
        raise ZeroDivisionError
    assert names(path.parent) == []


def test_another_process_is_held_out_until_this_one_ends(path: Path) -> None:
    with held_elsewhere(path) as holder:
        # Neither the age of the file nor a process id in it says anything.
        lock_of(path).write_text(f"{DEAD_PID}\n")
        os.utime(lock_of(path), (1, 1))
        with (
            pytest.raises(FileLocked, match=r"\.lock is held by another process; try again"),
            lock(path, timeout=0.02),
        ):
            raise AssertionError
        holder.kill()
        holder.wait()
        assert lock_of(path).exists()
        with lock(path, timeout=0):
            pass
    assert names(path.parent) == []


def test_anything_else_of_that_name_is_left_alone(path: Path) -> None:
    makes: list[tuple[Callable[[Path], object], type[FileProblem]]] = [
        (Path.mkdir, FileProblem),
        (os.mkfifo, FileProblem),
        (lambda where: where.symlink_to(where.parent / "x"), FileOutside),
    ]
    for number, (make, problem) in enumerate(makes):
        other = path.with_name(f"{number}")
        make(lock_of(other))
        with pytest.raises(problem), lock(other, timeout=0):
            raise AssertionError
        assert os.path.lexists(lock_of(other))


def test_problems_of_the_body_stay_what_they_are(path: Path) -> None:
    with pytest.raises(FileNotFoundError), lock(path):
        (path.parent / "gone").read_bytes()
    with pytest.raises(FileMissing), lock(path.parent / "gone" / "x"):
        raise AssertionError
    (path.parent / "link").symlink_to(path.parent)
    with pytest.raises(FileOutside), lock(path.parent / "link" / "x", within=path.parent):
        raise AssertionError


def test_an_error_at_any_call_leaves_no_lock_behind(path: Path) -> None:
    with watched(lambda number, name: None) as log, lock(path):
        pass
    for at in range(1, len(log) + 1):
        with watched(failing(at, 5)) as log:
            try:
                with lock(path, timeout=0):
                    pass
            except FileProblem:
                pass
        # Whatever is left, the next one gets the lock.
        with lock(path, timeout=0):
            pass
        assert not lock_of(path).exists(), log[at - 1]


def test_works_where_the_file_system_has_no_locks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = errno.ENOLCK

    def flock(fd: int, operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", flock)
    with lock(path, timeout=0):
        pass
    code = errno.EIO
    with pytest.raises(FileProblem), lock(path, timeout=0):
        raise AssertionError


def test_a_lock_that_was_removed_while_it_was_opened_is_not_taken_for_ours(path: Path) -> None:
    removed = 0
    for at in range(1, 20):

        def before(number: int, name: str, at: int = at) -> None:
            nonlocal removed
            if number == at:
                removed += _sweeps(lock_of(path))

        with (
            watched(before),
            lock(path, timeout=5),
            lock_of(path).open("rb") as file,
            pytest.raises(BlockingIOError),
        ):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert names(path.parent) == []
    assert removed > 0


def _sweeps(lock: Path) -> bool:
    """Do what another process does that sweeps lock files."""
    if not lock.exists():
        return False
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        lock.unlink()
    return True


_COUNT = """
import sys
from pathlib import Path
from memtui.ground.files import lock
path = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    with lock(path, timeout=60):
        path.write_text(str(int(path.read_text()) + 1))
"""


def test_processes_take_turns(path: Path) -> None:
    path.write_text("0")
    start_together([[_COUNT, str(path), "40"]] * 8, lambda: lock_of(path).write_text(f"{DEAD_PID}\n"))
    assert path.read_text() == "320"
    assert names(path.parent) == ["index.db"]
