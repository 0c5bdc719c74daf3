"""Records of others that are false or broken."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memtui.flows.syncing import Synced
from memtui.formats.shared_record import record_name, render_record
from memtui.share import applied_records
from memtui.share.remote import Outgoing
from tests.flows.machines import Machine
from tests.share.memory_remote import MemoryRemote
from tests.share.records import outgoing, record


def test_records_of_others_in_this_machines_name_are_refused(laptop: Machine, remote: MemoryRemote) -> None:
    shared = laptop.share(b"mine")
    laptop.sync()
    forged = record(body=b"forged", memory=f"{shared}@laptop", machine="evil")
    remote.put([outgoing(forged)])
    done = laptop.sync()
    assert done.notes == ["Records that claim to be of this machine were passed over: 1."]
    assert laptop.store.get(shared).body == b"mine"


def test_invalid_records_are_named_and_skipped(laptop: Machine, remote: MemoryRemote) -> None:
    good = outgoing(record(machine="desk"))
    remote.put([good])
    bad = outgoing(record(1, machine="desk"))
    remote.rows["bad"] = type(bad)(bad.name, bad.project, bad.data + b"more")
    done = laptop.sync()
    assert (done.memories, len(done.notes)) == (1, 1)
    assert "not what its name says" in done.notes[0]


def test_a_record_with_an_unknown_text_is_named_and_stops_nothing(
    laptop: Machine, remote: MemoryRemote
) -> None:
    good = record(machine="desk")
    data = render_record(good).replace(b"kind: text", b"kind: song")
    remote.put([Outgoing(record_name(good.memory, data), "shop", data), outgoing(good)])
    done = laptop.sync()
    assert (done.memories, len(done.notes)) == (1, 1)
    assert "its kind is wrong" in done.notes[0]
    assert laptop.sync() == Synced()
    later = record(machine="desk", tags=("later",), at=good.at + timedelta(1))
    remote.put([outgoing(later)])
    assert laptop.sync().memories == 1
    assert laptop.store.get(good.memory).meta.tags == ("cart", "later")


def test_of_many_false_records_the_first_are_named_and_the_others_counted(
    laptop: Machine, remote: MemoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applied_records, "_NAMED", 2)
    for number in range(5):
        false = outgoing(record(number, machine="desk"))
        remote.rows[str(number)] = Outgoing(false.name, false.project, false.data + b"more")
    done = laptop.sync()
    assert len(done.notes) == 3
    assert done.notes[-1] == "And 3 more records were passed over."


def test_of_many_records_with_false_values_the_first_are_named_and_the_others_counted(
    laptop: Machine, remote: MemoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applied_records, "_NAMED", 2)
    for number in range(5):
        data = render_record(record(number, machine="desk")).replace(b"kind: text", b"kind: song")
        remote.put([Outgoing(record_name(record(number, machine="desk").memory, data), "shop", data)])
    done = laptop.sync()
    assert len(done.notes) == 3
    assert done.notes[-1] == "And 3 more records were passed over."
