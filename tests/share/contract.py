"""The contract of all remotes, git's and PostgreSQL's alike."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from memtui.share.remote import Outgoing, Remote, RemoteProblemError
from tests.share.records import outgoing, record

Opener = Callable[[str], Remote]
"""Opens the remote as a machine of this name."""


def everything(remote: Remote, place: str = "", projects: tuple[str, ...] = ()) -> dict[str, bytes]:
    return {name: data for batch in remote.since(place, projects) for name, data in batch.records}


def place_of(remote: Remote, place: str = "") -> str:
    return [place, *(batch.place for batch in remote.since(place))][-1]


class RemoteContract:
    batching: ModuleType
    """The module that makes batches."""

    @pytest.fixture
    def machines(self) -> Opener:
        raise NotImplementedError

    @pytest.fixture
    def laptop(self, machines: Opener) -> Remote:
        remote = machines("laptop-1a2b")
        remote.set_up()
        return remote

    @pytest.fixture
    def desk(self, machines: Opener) -> Remote:
        return machines("desk-3c4d")

    def test_one_that_is_not_set_up_says_so(self, desk: Remote) -> None:
        for use in (desk.check, lambda: desk.put([outgoing(record())]), lambda: everything(desk)):
            with pytest.raises(RemoteProblemError, match="memtui remote init"):
                use()

    def test_setting_up_again_changes_nothing(self, laptop: Remote, desk: Remote) -> None:
        laptop.put([outgoing(record())])
        desk.set_up()
        assert desk.check().partition(",")[0] == "1 record"

    def test_what_one_machine_adds_another_reads_byte_for_byte(self, laptop: Remote, desk: Remote) -> None:
        sent = [
            outgoing(record(number, body))
            for number, body in enumerate((b"", b"a\r\n\xff\0", "購物車".encode()))
        ]
        laptop.put(sent)
        assert everything(desk) == {each.name: each.data for each in sent}

    def test_states_and_pins_are_carried_as_memories_are(self, laptop: Remote, desk: Remote) -> None:
        session = "90dd90a0-95ef-4d31-8d1a-1df2a9a6b0c1"
        longest = f"ST-{session}-v0012@{'m' * 35}"
        sent = [outgoing(record(memory=longest)), outgoing(record(memory="PINS@all", body=b""))]
        laptop.put(sent)
        assert everything(desk) == {each.name: each.data for each in sent}

    def test_an_erased_memory_leaves_its_tombstone_alone(self, laptop: Remote, desk: Remote) -> None:
        texts = [outgoing(record(1)), outgoing(record(1, b"second")), outgoing(record(2))]
        laptop.put(texts)
        place = place_of(desk)
        tombstone = outgoing(record(1, b"", kind="marks", deleted=True))
        remains = laptop.erase(record(1).memory, tombstone)
        assert everything(desk, place) == {tombstone.name: tombstone.data}
        assert everything(desk) == {each.name: each.data for each in (texts[2], tombstone)}
        assert "removed" in remains

    def test_reading_goes_on_behind_a_place(self, laptop: Remote, desk: Remote) -> None:
        laptop.put([outgoing(record(1))])
        place = place_of(desk)
        assert everything(desk, place) == {}
        later = outgoing(record(2))
        laptop.put([later])
        assert everything(desk, place) == {later.name: later.data}

    def test_an_existing_item_is_not_doubled(self, laptop: Remote, desk: Remote) -> None:
        same = outgoing(record())
        laptop.put([same])
        place = place_of(desk)
        desk.put([same])
        assert everything(laptop, place) == {}
        assert list(everything(laptop)) == [same.name]

    def test_a_reading_that_was_cut_short_goes_on(
        self, laptop: Remote, desk: Remote, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(self.batching, "_BATCH", 2)
        laptop.put([outgoing(record(number)) for number in range(5)])
        first = next(iter(desk.since("")))
        laptop.put([outgoing(record(7))])
        assert len(first.records) == 2
        rest = everything(desk, first.place)
        assert len(rest) == 4
        assert not rest.keys() & dict(first.records).keys()

    def test_only_wanted_projects_are_read(self, laptop: Remote, desk: Remote) -> None:
        laptop.put(
            [outgoing(record(1)), outgoing(record(2, project="bank")), outgoing(record(3, project=""))]
        )
        assert [name[14:20] for name in everything(desk, projects=("bank",))] == ["000002"]

    def test_machines_that_add_at_the_same_time_lose_nothing(self, laptop: Remote, machines: Opener) -> None:
        others = [machines(f"m{number}") for number in range(3)]
        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(self._add, other, number) for number, other in enumerate(others)]:
                done.result(120)
        assert len(everything(laptop)) == 6

    @staticmethod
    def _add(remote: Remote, number: int) -> None:
        for step in range(2):
            remote.put([outgoing(record(10 * number + step))])

    def test_nothing_to_add_is_nothing(self, laptop: Remote) -> None:
        laptop.put(list[Outgoing]())
        assert everything(laptop) == {}
