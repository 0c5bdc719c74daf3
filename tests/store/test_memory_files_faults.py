"""Stored memories through errors and kills at every call into the system, and through other programs."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memtui.documents.memory import StoredMemory
from memtui.ground.files import FileProblem
from memtui.ground.project import Home
from memtui.store.memories import MemoryStore
from tests import faults
from tests.disk import DEAD_PID, age
from tests.processes import start_together
from tests.store.memories import FIRST, Watch, home_in

OLD, TRASHED = FIRST, "CMEM-20260102-101501"
NEW: dict[str, Any] = {"body": b"new\r\n", "description": "new", "tags": ("t",)}


def prepare(base: Path) -> MemoryStore:
    """A store with one memory and another one in the trash, and its month's folder swept already."""
    store = MemoryStore(home_in(base), Watch())
    for body in (b"old\r\n", b"trashed\r\n"):
        store.create(body, description=body.decode().strip())
    store.delete(TRASHED)
    return store


def create(store: MemoryStore) -> None:
    assert store.create(**NEW).id == "CMEM-20260102-101502"


def update(store: MemoryStore) -> None:
    store.update(OLD, description="changed")


def delete(store: MemoryStore) -> None:
    store.delete(OLD)


def restore(store: MemoryStore) -> None:
    store.restore(TRASHED)


ACTIONS: Mapping[str, Callable[[MemoryStore], None]] = {
    act.__name__: act for act in (create, update, delete, restore)
}
Seen = tuple[dict[str, StoredMemory], dict[str, str]]


def seen(store: MemoryStore) -> Seen:
    """The memories of a store, and its trash. Nothing may be broken."""
    page, trash = store.list(), store.deleted()
    assert not any(listed.problem for listed in (*page.items, *trash.items))
    ids = [listed.meta.id for listed in page.items]
    return {each: store.get(each) for each in ids}, {each.meta.id: each.title for each in trash.items}


def files(base: Path) -> dict[str, bytes]:
    """All files but those that hide nothing from git."""
    found: dict[str, bytes] = {}
    for folder, _, names in os.walk(base / "data"):  # several times faster than `rglob`
        inside = folder.removeprefix(f"{base}/")
        found |= {
            f"{inside}/{name}": Path(folder, name).read_bytes() for name in names if name != ".gitignore"
        }
    return found


@pytest.mark.parametrize("name", ACTIONS)
def test_an_error_anywhere_changes_nothing_or_is_overcome(tmp_path: Path, name: str) -> None:
    at, failed = 0, 0
    prepared = tmp_path / "prepared"
    prepare(prepared)
    before, whole = files(prepared), seen(MemoryStore(home_in(prepared), Watch()))
    after = _after(tmp_path / "after", name)
    base, fresh = tmp_path, False
    while True:
        at += 1
        if not fresh:
            base = Path(shutil.copytree(prepared, tmp_path / f"{at}"))
        store = MemoryStore(home_in(base), Watch())
        with faults.watched(faults.failing(at, errno.ENOSPC)) as log:
            try:
                ACTIONS[name](store)
            except FileProblem as problem:
                assert str(problem).startswith(str(base))
                failed += 1
                done = False
            else:
                done = True
        if at > len(log):
            break
        if done:
            fresh = False
            assert seen(store) == after
        else:
            assert _only_locks(files(base), before)
            store.tidy()
            assert seen(store) == whole
            left = files(base)
            fresh = left == before
            assert {key: value for key, value in left.items() if ".lock" not in key} == before
    assert failed > 5


def _only_locks(after: Mapping[str, bytes], before: Mapping[str, bytes]) -> bool:
    # A lock file that cannot be removed is free.
    return all(".lock" in key for key in after.keys() - before.keys())


def _after(base: Path, name: str) -> Seen:
    store = prepare(base)
    ACTIONS[name](store)
    return seen(store)


@pytest.mark.parametrize("name", ACTIONS)
def test_killed_anywhere_leaves_all_or_nothing(tmp_path: Path, name: str) -> None:
    assert faults.run_sweep(_kill_sweep, tmp_path, name) > 2


def _kill_sweep(base: Path, name: str) -> int:
    prepared = base / "prepared"
    before, after = seen(prepare(prepared)), _after(base / "after", name)
    outcomes = []

    def make(number: int) -> Path:
        return Path(shutil.copytree(prepared, base / str(number)))

    def act(place: Path) -> None:
        ACTIONS[name](MemoryStore(home_in(place), Watch()))

    def check(place: Path) -> None:
        age(place)
        store = MemoryStore(home_in(place), Watch())
        found = seen(store)
        assert found in (before, after), place
        outcomes.append(found == after)
        # The next command has removed what the dead one left, and goes on as if nothing had been.
        again = MemoryStore(home_in(place), Watch())
        assert again.create(b"next").id > TRASHED
        again.tidy()
        left = [key for key in files(place) if not key.endswith(".md")]
        assert left == [], left

    number = faults.kill_sweep(make, act, check)
    assert outcomes == sorted(outcomes), "once done, always done"
    assert {False, True} == set(outcomes)
    return number


_HAMMER = """
import sys
from pathlib import Path
from memtui.store.memories import MemoryStore
from tests.disk import without_flushing
from tests.store.memories import Watch
from tests.store.memories import home_in
without_flushing()
store = MemoryStore(home_in(Path(sys.argv[1])), Watch())
print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    text = f"{sys.argv[2]} {number}"
    store.create(text.encode(), description=text)
"""


def test_processes_never_get_one_id_twice(tmp_path: Path) -> None:
    start_together([_HAMMER, str(tmp_path), str(number)] for number in range(8))
    memories, _ = seen(MemoryStore(home_in(tmp_path), Watch()))
    assert sorted(memory.body for memory in memories.values()) == sorted(
        f"{process} {number}".encode() for process in range(8) for number in range(25)
    )
    assert all(memory.meta.description.encode() == memory.body for memory in memories.values())


_CHANGES = """
import sys
from pathlib import Path
from memtui.store.memories import MemoryStore
from tests.disk import without_flushing
from tests.store.memories import FIRST, Watch
from tests.store.memories import home_in
without_flushing()
store = MemoryStore(home_in(Path(sys.argv[1])), Watch())
field = sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for number in range(10):
    value = {"description": f"d {number}", "tags": [f"t {number}"]}.get(field, number % 2 == 1)
    store.update(FIRST, **{field: value})
"""


def test_changes_at_the_same_time_are_all_made(tmp_path: Path) -> None:
    store = prepare(tmp_path)
    start_together([_CHANGES, str(tmp_path), field] for field in ("description", "tags"))
    memory = store.get(OLD)
    assert memory.body == b"old\r\n"
    meta = memory.meta
    assert (meta.description, meta.tags) == ("d 9", ("t 9",))


def _leave(folder: Path) -> Path:
    path = folder / f".memtui-{os.getpid()}-0123456789ab.tmp"
    path.touch()
    os.utime(path, (1, 1))
    return path


@pytest.mark.parametrize("place", ["month", "trash"])
def test_what_the_killed_left_is_tidied_and_nothing_else(tmp_path: Path, place: str) -> None:
    prepare(tmp_path)
    home: Home = home_in(tmp_path)
    folder = home.memories / "2026-01" if place == "month" else home.trash
    living = folder / f".memtui-{DEAD_PID}-0123456789ab.tmp"  # in another container
    living.touch()
    dead = _leave(folder)
    MemoryStore(home, Watch()).tidy()
    assert not dead.exists()
    assert living.exists()
