"""Memories on two machines: what goes out, what comes in, and what stays as a person left it."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.files import FileProblem, Replaced, replace_expected
from memtui.flows import shared_changes, syncing
from memtui.flows.shared_names import Names
from memtui.flows.sharing_out import SecretsFoundError
from memtui.flows.syncing import Sharing, Synced
from memtui.formats.shared_record import SharedRecord, record_name, render_record
from memtui.formats.stored_memory import StoredMemory, render_stored
from memtui.project import Home
from memtui.sharing.remote import Outgoing, RemoteProblemError
from memtui.sharing.remotes import NamedRemote
from memtui.store import memory_files
from memtui.store.base import MemoryMissing, New
from memtui.store.change_log import ChangeLog
from memtui.store.changes import CLI, Changes
from memtui.store.history import History
from memtui.store.listing import Entry
from memtui.store.memory_files import FilesBackend
from memtui.store.stored_files import id_of, stored_entries
from tests.sharing.memory_remote import MemoryRemote
from tests.sharing.records import outgoing, record
from tests.store.memories import home_in


class Machine:
    """One machine: its store, and one remote."""

    def __init__(
        self,
        base: Path,
        name: str,
        *,
        sync: str = "shared",
        skew: timedelta = timedelta(),
        known: bool = False,
    ) -> None:
        self.name = name
        self.home: Home = home_in(base / name)
        if not known:
            self.home.data.mkdir(parents=True)
            (self.home.data / "machine").write_text(f"{name}\n")
        self.root = base / name / "code" / "shop"
        self.now = datetime(2026, 1, 2, 12, tzinfo=UTC) + skew
        self.store = FilesBackend(self.home, self.clock)
        named = NamedRemote.model_validate({"url": "/x", "sync": sync})
        self.sharing = Sharing(self.home, self.clock, "team", named)

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def new(self, body: bytes = b"## Objective\nFix the cart\n", **values: object) -> str:
        return self.store.create(New(body=body, project=str(self.root), **values)).id  # type: ignore[arg-type]

    def share(self, body: bytes = b"## Objective\nFix the cart\n", **values: object) -> str:
        memory_id = self.new(body, **values)
        self.sharing.share(memory_id)
        return memory_id

    def sync(self) -> Synced:
        return self.sharing.sync()

    def ids(self) -> list[str]:
        """The ids of all memories here, newest first."""
        return [id_of(entry) for entry in stored_entries(self.home.memories)]

    def texts(self) -> dict[str, bytes]:
        """The text of every memory by its id among all machines."""
        return {memory: body for memory, (body, _, _) in self.everything().items()}

    def successors(self) -> dict[str, str]:
        """Superseded memories with those that replace them, by their ids among all machines."""
        names = Names(self.name)
        found = {each: self.store.get(each).meta.superseded_by for each in self.ids()}
        return {names.everywhere(each): names.everywhere(by) for each, by in found.items() if by}

    def everything(self) -> dict[str, tuple[bytes, tuple[str, ...], bool]]:
        """Text and marks of every memory by its id among all machines."""
        machine = (self.home.data / "machine").read_text().strip()
        return {
            (each if "@" in each else f"{each}@{machine}"): (
                found.body,
                tuple(sorted(found.meta.tags)),
                found.meta.archived,
            )
            for each in self.ids()
            for found in [self.store.get(each)]
        }


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> MemoryRemote:
    remote = MemoryRemote()
    monkeypatch.setattr(syncing, "open_remote", lambda *_: remote)
    return remote


Maker = Callable[..., Machine]


@pytest.fixture
def machine(tmp_path: Path, remote: MemoryRemote) -> Maker:
    return lambda name, **values: Machine(tmp_path, name, **values)


@pytest.fixture
def laptop(machine: Maker) -> Machine:
    return machine("laptop")


@pytest.fixture
def desk(machine: Maker) -> Machine:
    return machine("desk")


def exchange(*machines: Machine) -> None:
    """Let everybody know everything."""
    for _ in range(2):
        for each in machines:
            each.sync()


def test_only_what_was_chosen_leaves_the_machine(laptop: Machine, desk: Machine) -> None:
    laptop.new(b"my own")
    shared = laptop.share(b"for all", tags=("cart",), description="Cart")
    assert laptop.sync().sent == 1
    done = desk.sync()
    assert (done.came, done.memories, done.notes) == (1, 1, [])
    memory = desk.store.get(f"{shared}@laptop")
    assert memory.body == b"for all"
    assert (memory.meta.description, memory.meta.tags, memory.meta.project) == ("Cart", ("cart",), "shop")
    assert memory.meta.author.endswith("(team)")
    assert memory.meta.session_id == ""
    assert laptop.sync() == desk.sync() == Synced()


def test_equal_ids_of_two_machines_stay_two_memories(laptop: Machine, desk: Machine) -> None:
    one, other = laptop.share(b"of the laptop"), desk.share(b"of the desk")
    assert one == other
    exchange(laptop, desk)
    assert desk.store.find(one) == one
    assert desk.store.get(one).body == b"of the desk"
    assert desk.store.get(desk.store.find(f"{one}@lap")).body == b"of the laptop"
    assert desk.store.find(f"{one}@LAPTOP".lower()) == f"{one}@laptop"


def test_paths_leave_without_the_folders_of_this_machine(
    laptop: Machine, desk: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = laptop.root
    body = f"{root}/src/a.py, `{root}`: {root}2/b {tmp_path}/notes.md {root}/src\n".encode()
    shared = laptop.share(body)
    exchange(laptop, desk)
    assert desk.store.get(f"{shared}@laptop").body == (
        b"/project/shop/src/a.py, `/project/shop`: ~/laptop/code/shop2/b ~/notes.md /project/shop/src\n"
    )
    assert laptop.store.get(shared).body == body


def test_a_secret_keeps_a_memory_here_until_a_person_lets_its_line_pass(laptop: Machine) -> None:
    memory_id = laptop.new(b"one\nGITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n")
    with pytest.raises(SecretsFoundError, match=r"is not shared\. It holds a secret: .*\(line 2\)"):
        laptop.sharing.share(memory_id)
    assert laptop.sync().sent == 0
    laptop.sharing.share(memory_id, allowed=[2])
    assert laptop.sync().sent == 1


def test_a_secret_that_was_written_later_is_held_back(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    laptop.sync()
    laptop.store.rewrite(shared, b"GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n")
    done = laptop.sync()
    assert done.sent == 0
    assert "line 1" in done.notes[0]
    desk.sync()
    assert desk.store.get(f"{shared}@laptop").body == b"## Objective\nFix the cart\n"


def test_private_projects_never_leave(laptop: Machine) -> None:
    laptop.home.config.mkdir(parents=True)
    (laptop.home.config / "config.toml").write_text(f'[archive]\nprivate = ["{laptop.root.parent}"]\n')
    with pytest.raises(FileProblem, match="never leaves this machine"):
        laptop.share()


def test_a_new_text_and_new_marks_follow(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share(tags=("old", "kept"))
    exchange(laptop, desk)
    there = f"{shared}@laptop"
    desk.store.update(there, tags=("old", "kept", "mine"), pinned=True)
    laptop.store.rewrite(shared, b"second")
    exchange(laptop, desk)
    laptop.store.update(shared, tags=("kept", "new"), archived=True)
    exchange(laptop, desk)
    memory = desk.store.get(there)
    assert memory.body == b"second"
    assert memory.meta.tags == ("kept", "mine", "new")
    assert (memory.meta.archived, memory.meta.pinned) == (True, True)
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
    desk.store.update(f"{shared}@laptop", tags=("old", "desk"), archived=True)
    exchange(desk, laptop)
    laptop.store.rewrite(shared, b"by the laptop, which has seen that")
    laptop.store.update(shared, tags=("old",), archived=False)
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


def test_nobody_else_speaks_for_this_machine(laptop: Machine, remote: MemoryRemote) -> None:
    shared = laptop.share(b"mine")
    laptop.sync()
    forged = record(body=b"forged", memory=f"{shared}@laptop", machine="evil")
    remote.put([outgoing(forged)])
    done = laptop.sync()
    assert done.notes == ["Records that claim to be of this machine were passed over: 1."]
    assert laptop.store.get(shared).body == b"mine"


def test_what_is_no_record_is_named_and_passed_over(laptop: Machine, remote: MemoryRemote) -> None:
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


SECRET = "GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345"


def test_a_secret_in_a_description_stays_here(laptop: Machine, remote: MemoryRemote) -> None:
    shared = laptop.share()
    laptop.sync()
    laptop.store.update(shared, description=SECRET)
    assert "holds a secret" in laptop.sync().notes[0]
    assert len(remote.rows) == 1


def test_marks_of_a_project_that_became_private_stay_here(laptop: Machine, remote: MemoryRemote) -> None:
    shared = laptop.share()
    laptop.sync()
    laptop.home.config.mkdir(parents=True)
    (laptop.home.config / "config.toml").write_text(f'[archive]\nprivate = ["{laptop.root}"]\n')
    laptop.store.update(shared, tags=("new",))
    assert "never leaves this machine" in laptop.sync().notes[0]
    assert len(remote.rows) == 1


def test_a_text_that_was_held_back_is_not_overwritten(machine: Maker) -> None:
    laptop, desk = machine("laptop", sync="all"), machine("desk", sync="all")
    shared = laptop.new()
    exchange(laptop, desk)
    desk.store.rewrite(f"{shared}@laptop", b"by the desk")
    desk.sync()
    laptop.store.rewrite(shared, SECRET.encode())
    assert "its text stays" in laptop.sync().notes[-1]
    assert laptop.store.get(shared).body == SECRET.encode()
    laptop.store.rewrite(shared, b"without it")
    laptop.now = desk.now + timedelta(minutes=1)
    exchange(laptop, desk)
    assert desk.store.get(f"{shared}@laptop").body == b"without it"


def test_a_change_of_another_persons_memory_stays_here(
    laptop: Machine, desk: Machine, remote: MemoryRemote
) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    desk.store.rewrite(f"{shared}@laptop", b"my own words")
    assert desk.sync() == Synced()
    laptop.store.rewrite(shared, b"second")
    laptop.sync()
    assert "its text stays" in desk.sync().notes[0]
    assert desk.store.get(f"{shared}@laptop").body == b"my own words"


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


def test_what_a_sync_brought_is_in_the_log_and_can_be_taken_back(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    exchange(laptop, desk)
    laptop.store.rewrite(shared, b"second")
    exchange(laptop, desk)
    history = History(desk.home, desk.clock, Changes(desk.home, desk.clock, CLI))
    newer, made = history.all()
    assert [(each.change.what, each.by) for each in (newer, made)] == [
        (f"new text of {shared}@laptop", "a sync"),
        (f"stored {shared}@laptop", "a sync"),
    ]
    assert history.last() is None  # a person's undo takes back what a person did
    history.revert(newer.change.id)
    assert desk.store.get(f"{shared}@laptop").body == b"## Objective\nFix the cart\n"
    history.revert(made.change.id)
    assert desk.sync() == Synced()
    assert desk.texts() == {}


def test_many_memories_are_one_line_of_the_log(
    desk: Machine, remote: MemoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sync", lambda: None)
    for number in range(51):
        made = outgoing(record(number))
        remote.rows[made.name] = made
    desk.sync()
    (change,) = ChangeLog(desk.home).changes()
    assert change.what == "fetched 51 memories from team"
    assert "memtui memory delete" in change.final


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


def test_another_address_under_the_same_name_gets_nothing_unchosen(
    laptop: Machine, remote: MemoryRemote
) -> None:
    laptop.share()
    other = Sharing(laptop.home, laptop.clock, "team", NamedRemote(url="/other"))
    assert other.sync() == Synced()
    assert remote.rows == {}
