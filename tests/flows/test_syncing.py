"""Memories on two machines: how texts, marks and deletions follow."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.flows import shared_changes
from memtui.flows.syncing import Synced
from memtui.formats.shared_record import SharedRecord
from memtui.formats.stored_memory import StoredMemory, render_stored
from memtui.ground.files import FileProblem, Replaced, replace_expected
from memtui.share.remote import RemoteProblemError
from memtui.store import memory_files
from memtui.store.base import MemoryMissing
from memtui.store.listing import Entry
from tests.flows.machines import Machine, Maker, exchange
from tests.share.memory_remote import MemoryRemote
from tests.share.records import outgoing, record


def test_equal_ids_of_two_machines_stay_two_memories(laptop: Machine, desk: Machine) -> None:
    one, other = laptop.share(b"of the laptop"), desk.share(b"of the desk")
    assert one == other
    exchange(laptop, desk)
    assert desk.store.find(one) == one
    assert desk.store.get(one).body == b"of the desk"
    assert desk.store.get(desk.store.find(f"{one}@lap")).body == b"of the laptop"
    assert desk.store.find(f"{one}@LAPTOP".lower()) == f"{one}@laptop"


def test_a_new_text_and_new_marks_follow(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share(tags=("old", "kept"))
    exchange(laptop, desk)
    there = f"{shared}@laptop"
    desk.store.update(there, tags=("old", "kept", "mine"))
    laptop.store.rewrite(shared, b"second")
    exchange(laptop, desk)
    laptop.store.update(shared, tags=("kept", "new"))
    exchange(laptop, desk)
    memory = desk.store.get(there)
    assert memory.body == b"second"
    assert memory.meta.tags == ("kept", "mine", "new")
    assert laptop.store.get(shared).meta.tags == ("kept", "new")  # the desk's own tag stays there
    with desk.sharing.replica() as replica:
        merged = replica.merged(there)
    assert merged is not None
    assert [version.body for version in merged.versions] == [b"second", b"## Objective\nFix the cart\n"]


def test_texts_that_two_machines_changed_are_both_kept(machine: Maker) -> None:
    laptop, desk = machine("laptop", sync="all"), machine("desk", sync="all")
    shared = laptop.new()
    exchange(laptop, desk)
    there = f"{shared}@laptop"
    laptop.store.rewrite(shared, b"by the laptop")
    desk.now = laptop.now + timedelta(minutes=1)
    desk.store.rewrite(there, b"by the desk")
    exchange(laptop, desk)
    assert laptop.store.get(shared).body == desk.store.get(there).body == b"by the desk"
    with laptop.sharing.replica() as replica:
        merged = replica.merged(there)
    assert merged is not None
    assert [version.body for version in merged.versions][:2] == [b"by the desk", b"by the laptop"]


def test_a_change_by_a_clock_that_is_late_counts_all_the_same(machine: Maker) -> None:
    laptop, desk = machine("laptop", sync="all"), machine("desk", sync="all", skew=timedelta(hours=1))
    shared = laptop.new(tags=("old",))
    exchange(laptop, desk)
    desk.store.rewrite(f"{shared}@laptop", b"by the desk")
    desk.store.update(f"{shared}@laptop", tags=("old", "desk"))
    exchange(desk, laptop)
    laptop.store.rewrite(shared, b"by the laptop, which has seen that")
    laptop.store.update(shared, tags=("old",))
    exchange(laptop, desk)
    wanted = {f"{shared}@laptop": (b"by the laptop, which has seen that", ("old",), False)}
    assert laptop.everything() == desk.everything() == wanted


def test_a_deletion_follows_and_can_be_taken_back(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    laptop.store.delete(shared)
    exchange(laptop, desk)
    with pytest.raises(MemoryMissing):
        desk.store.get(f"{shared}@laptop")
    laptop.store.restore(shared)
    exchange(laptop, desk)
    assert desk.store.get(f"{shared}@laptop").body == b"## Objective\nFix the cart\n"


def test_what_changed_before_a_deletion_was_taken_back_follows(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    laptop.store.delete(shared)
    exchange(laptop, desk)
    laptop.store.restore(shared)
    laptop.store.rewrite(shared, b"second", tags=("new",))
    exchange(laptop, desk)
    assert laptop.everything() == desk.everything() == {f"{shared}@laptop": (b"second", ("new",), False)}


def test_what_was_deleted_here_stays_deleted_here(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    desk.store.delete(f"{shared}@laptop")
    laptop.store.rewrite(shared, b"second")
    exchange(laptop, desk)
    assert desk.texts() == {}
    assert laptop.texts() == {f"{shared}@laptop": b"second"}


def test_out_of_reach_it_waits(laptop: Machine, desk: Machine, remote: MemoryRemote) -> None:
    remote.away = True
    shared = laptop.share()
    with pytest.raises(RemoteProblemError):
        laptop.sync()
    remote.away = False
    exchange(laptop, desk)
    assert list(desk.texts()) == [f"{shared}@laptop"]


def test_each_record_is_parsed_once(
    laptop: Machine, remote: MemoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.put([outgoing(record(number, machine="desk")) for number in range(3)])
    parsed: list[object] = []
    real = SharedRecord.model_validate

    def validate(values: dict[str, object]) -> SharedRecord:
        parsed.append(values["memory"])
        return real(values)

    monkeypatch.setattr(SharedRecord, "model_validate", validate)
    assert laptop.sync().memories == 3
    assert len(parsed) == 3


def test_an_edit_amid_a_sync_is_not_overwritten(
    laptop: Machine, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    laptop.store.rewrite(shared, b"second")
    laptop.sync()
    backend = desk.sharing._backend
    real = backend.get

    def edited_after(memory_id: str) -> StoredMemory:
        stored = real(memory_id)
        desk.store.rewrite(memory_id, b"by an editor")
        return stored

    monkeypatch.setattr(backend, "get", edited_after)
    assert "has changed meanwhile" in desk.sync().notes[0]
    assert desk.store.get(f"{shared}@laptop").body == b"by an editor"


def test_what_a_program_writes_into_the_replaced_file_is_kept(
    laptop: Machine, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    laptop.store.update(shared, tags=("new",))
    laptop.store.rewrite(shared, b"second")
    laptop.sync()
    late = [render_stored(desk.store.get(f"{shared}@laptop").replace(body=b"late"))]

    def written_after(path: Path, *arguments: Any, **options: Any) -> Replaced:
        with path.open("r+b") as editor:
            replaced = replace_expected(path, *arguments, **options)
            if late:
                editor.truncate()
                editor.write(late.pop())
        return replaced

    monkeypatch.setattr(memory_files, "replace_expected", written_after)
    desk.sync()
    assert desk.store.get(f"{shared}@laptop").body == b"late"
    assert "its text stays" in desk.sync().notes[0]
    memory = desk.store.get(f"{shared}@laptop")
    assert (memory.body, memory.meta.tags) == (b"late", ("new",))


def test_a_replica_that_was_deleted_is_made_again(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    for path in (laptop.home.data / "sharing").glob("*.db*"):
        path.unlink()
    assert laptop.sync().notes == []
    laptop.store.rewrite(shared, b"second")
    exchange(laptop, desk)
    assert desk.store.get(f"{shared}@laptop").body == b"second"


def test_an_older_text_is_replaced_although_the_replica_is_gone(machine: Maker) -> None:
    laptop, desk = machine("laptop", sync="all"), machine("desk", sync="all")
    shared = laptop.new()
    exchange(laptop, desk)
    for path in (desk.home.data / "sharing").glob("*.db*"):
        path.unlink()
    laptop.store.rewrite(shared, b"second")
    laptop.sync()
    assert desk.sync().notes == []
    assert desk.store.get(f"{shared}@laptop").body == b"second"


def test_a_memory_that_was_moved_to_another_month_is_not_sent_again(
    machine: Maker, remote: MemoryRemote
) -> None:
    laptop = machine("laptop", sync="all")
    shared = laptop.new()
    laptop.sync()
    month = laptop.home.memories / "2026-01"
    month.rename(month.with_name("2026-02"))
    laptop.new()
    assert laptop.sync().sent == 1
    assert sorted(remote.rows)[0].startswith(shared)


def test_months_without_a_change_are_not_looked_through(
    machine: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = machine("laptop", sync="all")
    laptop.new()
    monkeypatch.setattr(shared_changes, "has_settled", lambda _: True)
    laptop.sync()
    scanned: list[str] = []

    def scan(folder: str) -> dict[str, Entry]:
        scanned.append(folder)
        return {}

    monkeypatch.setattr(shared_changes, "scan_month", scan)
    assert laptop.sync() == Synced()
    assert scanned == []
    laptop.now += timedelta(hours=2)
    laptop.store.signature = lambda memory_id: ""  # type: ignore[method-assign]
    laptop.sync()
    assert len(scanned) == 1


@pytest.mark.parametrize("sync", ["shared", "all"])
def test_a_text_that_was_written_over_in_place_is_sent_at_once(
    machine: Maker, monkeypatch: pytest.MonkeyPatch, sync: str
) -> None:
    monkeypatch.setattr(shared_changes, "has_settled", lambda _: True)
    laptop = machine("laptop", sync=sync)
    path = laptop.home.memories / "2026-01" / f"{laptop.share()}.md"
    laptop.sync()
    before = path.stat()
    with path.open("r+b") as file:  # as some editors do: the folder's time stays
        file.write(path.read_bytes().replace(b"cart", b"card"))
    os.utime(path, ns=(0, before.st_mtime_ns + 1))
    assert laptop.sync().sent == 1
    assert laptop.sync() == Synced()


def test_a_memory_that_is_forgotten_goes_to_the_trash_of_the_others(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    laptop.sharing.erase(shared)
    exchange(laptop, desk)
    assert desk.texts() == {}
    assert desk.store.is_deleted(f"{shared}@laptop")
    with pytest.raises(FileProblem, match="not yours"):
        desk.sharing.erase(f"{shared}@laptop")


def test_sharing_again_sends_nothing(laptop: Machine) -> None:
    shared = laptop.share()
    laptop.sync()
    laptop.sharing.share(shared)
    assert laptop.sync().sent == 0
