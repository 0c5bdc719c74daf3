"""Removing a shared memory from all remotes, and what a failure amid it leaves."""

from __future__ import annotations

import pytest

from memtui.flows import syncing
from memtui.flows.forgetting_memory import forget_everywhere
from memtui.share.remote import Outgoing, RemoteProblemError
from memtui.share.remotes import NamedRemote, Remotes
from memtui.store.base import MemoryMissing
from tests.flows.machines import Machine, exchange
from tests.share.memory_remote import MemoryRemote


def erase_in_vain(machine: Machine, remote: MemoryRemote, memory_id: str) -> None:
    remote.away = True
    with pytest.raises(RemoteProblemError):
        machine.sharing.erase(memory_id)
    remote.away = False


def test_a_failure_removes_nothing_and_a_second_call_all(
    laptop: Machine, desk: Machine, remote: MemoryRemote
) -> None:
    shared = laptop.share(b"words to forget")
    laptop.sync()
    desk.sync()
    erase_in_vain(laptop, remote, shared)
    assert laptop.sync().sent == 0
    assert len(remote.rows) == 1
    assert desk.sync().memories == 0
    laptop.sharing.erase(shared)
    assert laptop.sync().sent == 0
    desk.sync()
    assert desk.texts() == {}


def test_a_text_that_waits_is_not_sent_after_a_failure(laptop: Machine, remote: MemoryRemote) -> None:
    shared = laptop.share(b"words to forget")
    erase_in_vain(laptop, remote, shared)
    assert laptop.sync().sent == 0
    laptop.store.rewrite(shared, b"more words")
    assert laptop.sync().sent == 0
    assert remote.rows == {}


def test_what_was_forgotten_goes_out_again_only_when_it_is_shared_again(
    laptop: Machine, desk: Machine, remote: MemoryRemote
) -> None:
    shared = laptop.share(b"words to forget")
    laptop.sync()
    laptop.sharing.erase(shared)
    laptop.store.rewrite(shared, b"other words")
    laptop.store.update(shared, tags=("new",))
    assert laptop.sync().sent == 0
    assert laptop.sharing.share(shared)
    assert laptop.sync().sent == 1
    desk.sync()
    assert list(desk.texts().values()) == [b"other words"]


@pytest.mark.parametrize("was_sent", [False, True])
def test_a_memory_can_be_shared_again_after_a_failed_forget(
    laptop: Machine, desk: Machine, remote: MemoryRemote, was_sent: bool
) -> None:
    newer = laptop.share(b"newer")
    shared = laptop.share(b"words to keep", superseded_by=newer)
    if was_sent:
        laptop.sync()
        laptop.store.update(shared, tags=("new",), superseded_by="")
        laptop.sharing.share(shared)
    erase_in_vain(laptop, remote, shared)
    assert laptop.sharing.share(shared)
    assert not laptop.sharing.share(shared)
    assert laptop.sync().sent == (1 if was_sent else 2)
    desk.sync()
    meta = desk.store.get(f"{shared}@laptop").meta
    assert (meta.tags, meta.superseded_by) == ((("new",), "") if was_sent else ((), f"{newer}@laptop"))
    laptop.store.rewrite(shared, b"other words")
    assert laptop.sync().sent == 1


def test_sharing_again_counts_although_the_tombstone_has_arrived_unconfirmed(
    laptop: Machine, desk: Machine, remote: MemoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = laptop.share(b"words to keep")
    laptop.sync()
    real = remote.erase

    def cut_off(key: str, tombstone: Outgoing) -> str:
        real(key, tombstone)
        raise RemoteProblemError("memory", "did not answer")

    with monkeypatch.context() as patch:
        patch.setattr(remote, "erase", cut_off)
        with pytest.raises(RemoteProblemError):
            laptop.sharing.erase(shared)
    laptop.sharing.share(shared)
    exchange(laptop, desk)
    assert laptop.texts() == desk.texts() == {f"{shared}@laptop": b"words to keep"}


def test_one_remote_out_of_reach_is_named_and_the_others_are_done(
    laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    remotes = {name: MemoryRemote() for name in ("backup", "team")}
    monkeypatch.setattr(syncing, "open_remote", lambda name, *_: remotes[name])
    for name in remotes:
        Remotes(laptop.home).add(name, NamedRemote(url=f"/{name}"))
    shared = laptop.new(b"words to forget")
    for name in remotes:
        sharing = syncing.open_sharing(laptop.home, laptop.clock, name)
        sharing.share(shared)
        sharing.sync()
    remotes["backup"].away = True
    first = forget_everywhere(laptop.home, laptop.clock, shared)
    assert first.failed == ("backup: memory cannot be reached; nothing was removed there",)
    assert [each.partition(":")[0] for each in first.done] == ["team"]
    assert laptop.store.get(shared).body == b"words to forget"
    remotes["backup"].away = False
    second = forget_everywhere(laptop.home, laptop.clock, shared)
    assert not second.failed
    with pytest.raises(MemoryMissing):
        laptop.store.get(shared)
    for remote in remotes.values():
        assert b"words to forget" not in b"".join(each.data for each in remote.rows.values())
