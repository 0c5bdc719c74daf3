"""A memory that is superseded on one machine is so on the others, and both memories show it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.flows import late_writes, sharing_in
from memtui.flows.superseding import reinstate, supersede
from memtui.flows.syncing import Synced
from memtui.ground.files import FileProblem
from memtui.share.replica import Replica
from memtui.store.memory_files import Revised
from tests.flows.machines import Machine, Maker, exchange
from tests.share.records import record

Pair = Callable[[str], tuple[Machine, Machine]]


@pytest.fixture
def pair(machine: Maker) -> Pair:
    """A laptop, and a desk whose clock is an hour ahead."""
    return lambda sync: (machine("laptop", sync=sync), machine("desk", sync=sync, skew=timedelta(hours=1)))


def relation(machine: Machine, old: str, new: str) -> tuple[str, tuple[str, ...]]:
    """The successor of the older memory, and the predecessors of the newer one."""
    return machine.store.get(old).meta.superseded_by, machine.store.get(new).meta.supersedes


def test_both_memories_show_it_on_ones_other_machine(pair: Pair) -> None:
    laptop, desk = pair("all")
    old, new = laptop.new(b"old"), laptop.new(b"new")
    exchange(laptop, desk)
    there = f"{old}@laptop", f"{new}@laptop"
    supersede(laptop.store, old, new)
    exchange(laptop, desk)
    assert relation(desk, *there) == (there[1], (there[0],))
    reinstate(desk.store, there[0])
    exchange(desk, laptop)
    assert relation(laptop, old, new) == relation(desk, *there) == ("", ())
    supersede(desk.store, there[0], desk.new(b"newest"))
    exchange(desk, laptop)
    newest = laptop.store.get(old).meta.superseded_by
    assert newest.endswith("@desk")
    assert relation(laptop, old, newest) == (newest, (old,))
    assert laptop.sync().sent == desk.sync().sent == 0


def test_memories_that_arrive_superseded_show_it(pair: Pair) -> None:
    laptop, desk = pair("shared")
    old, new = laptop.share(b"old"), laptop.new(b"new")
    supersede(laptop.store, old, new)
    exchange(laptop, desk)
    there = f"{old}@laptop", f"{new}@laptop"
    assert desk.store.get(there[0]).meta.superseded_by == there[1]
    laptop.sharing.share(new)
    exchange(laptop, desk)
    assert relation(desk, *there) == (there[1], (there[0],))
    assert laptop.sync().sent == desk.sync().sent == 0


@pytest.mark.parametrize("known", ["neither", "the older", "the newer"])
def test_a_successor_that_cannot_be_written_is_named_by_the_next_sync(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, known: str
) -> None:
    laptop, desk = pair("shared")
    old, new = laptop.new(b"old"), laptop.new(b"new")
    if known == "the newer":
        laptop.sharing.share(new)
        exchange(laptop, desk)
    supersede(laptop.store, old, new)
    laptop.sharing.share(old)
    if known == "the older":
        exchange(laptop, desk)
    laptop.sharing.share(new)
    laptop.sync()
    with monkeypatch.context() as patch:
        patch.setattr(desk.sharing._backend, "revise", _refuse)
        assert desk.sync().notes == ["store is full"]
    there = f"{old}@laptop", f"{new}@laptop"
    assert relation(desk, *there) == (there[1], ())
    assert desk.sync().notes == []
    assert relation(desk, *there) == (there[1], (there[0],))
    assert desk.sync() == Synced()


def test_after_many_successors_that_cannot_be_written_the_rest_waits(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop, desk = pair("shared")
    pairs = [(laptop.new(b"old"), laptop.new(b"new")) for _ in range(5)]
    for old, new in pairs:
        supersede(laptop.store, old, new)
        laptop.sharing.share(old)
        laptop.sharing.share(new)
    laptop.sync()
    monkeypatch.setattr(sharing_in, "_PROBLEMS", 2)
    with monkeypatch.context() as patch:
        patch.setattr(desk.sharing._backend, "revise", _refuse)
        assert desk.sync().notes == [*["store is full"] * 2, "More was not tried; the next sync does."]
    assert desk.sync().notes == []
    for old, new in pairs:
        assert relation(desk, f"{old}@laptop", f"{new}@laptop")[1] == (f"{old}@laptop",)


def _refuse(*_: object, **__: object) -> Revised:
    raise FileProblem(Path("store"), "is full")


def test_few_replaced_files_are_held_open(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    laptop, desk = pair("shared")
    for _ in range(5):
        old, new = laptop.new(b"old"), laptop.new(b"new")
        supersede(laptop.store, old, new)
        laptop.sharing.share(old)
        laptop.sharing.share(new)
    laptop.sync()
    held: list[int] = []
    revised: list[Revised] = []
    real = desk.sharing._backend.revise

    def revise(*arguments: Any, **values: Any) -> Revised:
        revised.append(real(*arguments, **values))
        held.append(sum(each.old._fd is not None for each in revised))
        return revised[-1]

    monkeypatch.setattr(late_writes, "_MOST", 2)
    monkeypatch.setattr(desk.sharing._backend, "revise", revise)
    desk.sync()
    assert (len(held), max(held)) == (5, 2)


def test_ones_own_view_of_anothers_memory_stays(pair: Pair) -> None:
    laptop, desk = pair("shared")
    old = laptop.share(b"old")
    exchange(laptop, desk)
    mine = desk.new(b"mine")
    supersede(desk.store, f"{old}@laptop", mine)
    laptop.store.update(old, tags=("new",))
    exchange(laptop, desk)
    assert desk.store.get(f"{old}@laptop").meta.tags == ("new",)
    assert relation(desk, f"{old}@laptop", mine) == (mine, (f"{old}@laptop",))
    assert laptop.store.get(old).meta.superseded_by == ""


def test_a_successor_that_is_no_memory_is_not_sent_and_refused(pair: Pair) -> None:
    laptop, desk = pair("all")
    old = laptop.new(b"old")
    laptop.store.update(old, superseded_by="../../etc/passwd")
    exchange(laptop, desk)
    assert desk.store.get(f"{old}@laptop").meta.superseded_by == ""
    with pytest.raises(ValueError, match="not of the form"):
        record(superseded_by="../../etc/passwd")


def test_a_replica_that_an_older_memtui_made_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "team.db"
    with sqlite3.connect(path) as database:
        database.execute(
            "create table applied (memory text primary key, text text not null, description text not null,"
            " tags text not null, archived integer not null, deleted integer not null,"
            " signature text not null) without rowid"
        )
        database.execute("insert into applied values ('x', 'text', '', 'tag', 1, 0, 's')")
    replica = Replica(path)
    applied = replica.applied("x")
    assert applied is not None
    assert (applied.marks.tags, applied.marks.superseded_by, applied.signature) == (("tag",), "", "s")
    replica.store_applied("x", applied)
    assert replica.applied("x") == applied
    replica.close()
