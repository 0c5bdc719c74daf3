"""Changes that a sync must neither pass over nor take for others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.flows.syncing import Synced
from memtui.formats.stored_memory import StoredMemory
from memtui.ground.files import FileProblem
from memtui.ground.project import Project
from memtui.lost.pins import Pins
from memtui.share import replica_database
from tests.flows.machines import Machine, exchange


@pytest.fixture
def sync() -> str:
    return "all"


def change_before(monkeypatch: pytest.MonkeyPatch, machine: Machine, change: Callable[[], object]) -> None:
    """Make a change once, when the next sync has collected changes and is about to apply what came in."""
    inward = machine.sharing._inward
    real = inward.apply

    def apply(*arguments: object) -> object:
        monkeypatch.setattr(inward, "apply", real)
        change()
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(inward, "apply", apply)


def test_a_text_that_is_changed_amid_a_sync_is_sent_by_the_next(
    laptop: Machine, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = laptop.new()
    exchange(laptop, desk)
    desk.store.rewrite(f"{made}@laptop", b"by the desk")
    desk.sync()
    change_before(monkeypatch, laptop, lambda: laptop.store.rewrite(made, b"by the laptop"))
    assert "its text stays" in laptop.sync().notes[0]
    assert laptop.sync().sent == 1
    desk.sync()
    assert laptop.texts() == desk.texts() == {f"{made}@laptop": b"by the laptop"}


def test_marks_that_are_changed_amid_a_sync_are_sent_by_the_next(
    laptop: Machine, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = laptop.new()
    exchange(laptop, desk)
    desk.store.rewrite(f"{made}@laptop", b"by the desk")
    desk.sync()
    change_before(monkeypatch, laptop, lambda: laptop.store.update(made, tags=("new",)))
    laptop.sync()
    assert laptop.sync().sent == 1
    desk.sync()
    assert laptop.everything() == desk.everything() == {f"{made}@laptop": (b"by the desk", ("new",), False)}


def test_a_change_while_a_memory_is_looked_at_is_sent_by_the_next_sync(
    laptop: Machine, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = laptop.new()
    exchange(laptop, desk)
    laptop.store.rewrite(made, b"by both")
    desk.store.rewrite(f"{made}@laptop", b"by both")
    desk.sync()
    backend = laptop.sharing._backend
    real = backend.get

    def looked_at() -> None:
        def get(memory_id: str) -> StoredMemory:
            stored = real(memory_id)
            laptop.store.rewrite(memory_id, b"and more by the laptop")
            return stored

        monkeypatch.setattr(backend, "get", get)

    change_before(monkeypatch, laptop, looked_at)
    laptop.sync()
    monkeypatch.setattr(backend, "get", real)
    exchange(laptop, desk)
    assert laptop.texts() == desk.texts() == {f"{made}@laptop": b"and more by the laptop"}


def forget_replica(machine: Machine) -> None:
    for path in (machine.home.data / "sharing").glob("*.db*"):
        path.unlink()


def test_without_a_replica_nothing_is_sent_twice(laptop: Machine) -> None:
    laptop.new()
    laptop.sync()
    forget_replica(laptop)
    assert laptop.sync().sent == 0
    assert laptop.sync() == Synced()


def test_without_a_replica_an_older_text_is_not_sent_over_a_newer_one(laptop: Machine, desk: Machine) -> None:
    made = laptop.new(b"older", tags=("kept",))
    exchange(laptop, desk)
    desk.store.rewrite(f"{made}@laptop", b"newer")
    desk.store.update(f"{made}@laptop", tags=("kept", "desk"))
    desk.sync()
    forget_replica(laptop)
    laptop.now = desk.now + timedelta(hours=1)
    exchange(laptop, desk)
    wanted = {f"{made}@laptop": (b"newer", ("desk", "kept"), False)}
    assert laptop.everything() == desk.everything() == wanted


def test_without_a_replica_what_was_changed_here_is_sent(laptop: Machine, desk: Machine) -> None:
    made = laptop.new(b"older", tags=("kept",))
    exchange(laptop, desk)
    forget_replica(laptop)
    laptop.store.rewrite(made, b"newer")
    laptop.store.update(made, tags=("kept", "laptop"))
    laptop.now = desk.now + timedelta(hours=1)
    exchange(laptop, desk)
    wanted = {f"{made}@laptop": (b"newer", ("kept", "laptop"), False)}
    assert laptop.everything() == desk.everything() == wanted


@pytest.mark.parametrize("gone", ["it", "a link's end"])
def test_a_store_that_is_away_is_not_taken_for_deleted_memories(
    laptop: Machine, desk: Machine, tmp_path: Path, gone: str
) -> None:
    made = laptop.new()
    exchange(laptop, desk)
    memories, away = laptop.home.memories, tmp_path / "away"
    memories.rename(away)
    if gone != "it":
        memories.symlink_to(tmp_path / "not mounted")
    with pytest.raises(FileProblem, match="is missing, so nothing is synced"):
        laptop.sync()
    memories.unlink(missing_ok=True)
    away.rename(memories)
    exchange(laptop, desk)
    assert list(desk.texts()) == list(laptop.texts()) == [f"{made}@laptop"]


def test_files_that_are_away_are_not_taken_for_deleted_memories(
    laptop: Machine, desk: Machine, tmp_path: Path
) -> None:
    made = laptop.new()
    exchange(laptop, desk)
    month = laptop.home.memories / "2026-01"
    month.rename(tmp_path / "away")
    assert laptop.sync().sent == 0
    (tmp_path / "away").rename(month)
    laptop.store.update(made, tags=("new",))
    exchange(laptop, desk)
    assert (
        desk.everything()
        == laptop.everything()
        == {f"{made}@laptop": (laptop.store.get(made).body, ("new",), False)}
    )


def test_only_a_broken_replica_is_to_be_deleted(
    laptop: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = laptop.share()
    (path,) = (laptop.home.data / "sharing").glob("*.db")
    monkeypatch.setattr(replica_database, "_WAIT_SECONDS", 0.0)
    with closing(sqlite3.connect(path)) as other:
        other.execute("begin exclusive")
        with pytest.raises(FileProblem, match="cannot be used: database is locked; try again") as busy:
            laptop.sharing.share(made)
    assert "delete" not in str(busy.value)
    path.write_bytes(b"no database" * 100)
    with pytest.raises(FileProblem, match="delete it"):
        laptop.sharing.share(made)


def test_a_record_that_nobody_could_read_is_not_sent(laptop: Machine, desk: Machine) -> None:
    tags = [f"{number:03} {'x' * 60}" for number in range(600)]
    made = laptop.new(tags=tags[:300])
    exchange(laptop, desk)
    laptop.store.update(made, tags=tags[300:])
    done = laptop.sync()
    assert (done.sent, done.notes) == (
        0,
        [f"{made}@laptop is not sent: its description and tags are too long"],
    )
    assert desk.sync() == Synced()
    laptop.store.update(made, tags=())
    exchange(laptop, desk)
    assert laptop.everything() == desk.everything()


def test_pins_that_nobody_could_read_are_not_sent(laptop: Machine) -> None:
    path = Pins(Project(laptop.root), laptop.home).path(everywhere=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"- {number:03} {'x' * 60}\n" for number in range(600)))
    laptop.new()
    done = laptop.sync()
    assert (done.sent, done.notes) == (1, ["PINS@all is not sent: its description and tags are too long"])
