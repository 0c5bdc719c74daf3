"""A memory that was forgotten everywhere while another of one's machines was offline and changed it."""

from __future__ import annotations

import pytest

from memtui.share.remote import RemoteProblemError
from tests.flows.machines import Machine, exchange
from tests.share.memory_remote import MemoryRemote


@pytest.fixture
def sync() -> str:
    return "all"


def forget(machine: Machine, memory_id: str) -> None:
    machine.sharing.erase(memory_id)
    machine.store.delete(memory_id)


def sent(remote: MemoryRemote) -> bytes:
    """All that the remote has."""
    return b"".join(each.data for each in remote.rows.values())


@pytest.mark.parametrize("tried", [False, True])
def test_its_text_is_not_sent_again(
    laptop: Machine, desk: Machine, remote: MemoryRemote, tried: bool
) -> None:
    made, kept = laptop.new(b"words to forget"), laptop.new(b"kept")
    exchange(laptop, desk)
    there = f"{made}@laptop"
    desk.store.rewrite(there, b"more words to forget")
    desk.store.update(f"{kept}@laptop", tags=("new",))
    if tried:
        remote.away = True
        with pytest.raises(RemoteProblemError):
            desk.sync()
        remote.away = False
    forget(laptop, made)
    assert desk.sync().sent == 1
    assert b"words to forget" not in sent(remote)
    assert desk.store.is_deleted(there)
    assert desk.sync().sent == 0
    laptop.sync()
    assert laptop.everything() == desk.everything() == {f"{kept}@laptop": (b"kept", ("new",), False)}


def test_what_is_taken_out_of_the_trash_stays_on_its_machine(
    laptop: Machine, desk: Machine, remote: MemoryRemote
) -> None:
    made = laptop.new(b"words to forget")
    exchange(laptop, desk)
    forget(laptop, made)
    exchange(laptop, desk)
    desk.store.restore(f"{made}@laptop")
    exchange(desk, laptop)
    desk.store.rewrite(f"{made}@laptop", b"more words to forget")
    exchange(desk, laptop)
    assert b"words to forget" not in sent(remote)
    assert laptop.texts() == {}
    assert desk.texts() == {f"{made}@laptop": b"more words to forget"}


def test_its_owner_can_share_it_again(laptop: Machine, desk: Machine) -> None:
    made = laptop.new(b"words to forget")
    exchange(laptop, desk)
    laptop.sharing.erase(made)
    desk.sync()
    laptop.store.rewrite(made, b"other words")
    laptop.sharing.share(made)
    exchange(laptop, desk)
    assert laptop.texts() == desk.texts() == {f"{made}@laptop": b"other words"}
    desk.store.rewrite(f"{made}@laptop", b"by the desk")
    exchange(desk, laptop)
    assert laptop.texts() == desk.texts() == {f"{made}@laptop": b"by the desk"}
