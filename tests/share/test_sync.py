"""The one rule: what is taken, what is written, what becomes a memory of its own, and what stays here."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest

from memtui.ground.files import FileLocked, FileProblem
from memtui.share.contract import RemoteProblemError
from memtui.share.sync import keep_syncing
from tests.share.machines import SECRET, Machine, documents, held
from tests.share.test_contract import document

Opener = Callable[..., Machine]


@pytest.fixture
def machine(hub: Path, tmp_path: Path) -> Opener:
    return lambda name, **named: Machine(tmp_path, name, str(hub), **named)


@pytest.fixture
def laptop(machine: Opener) -> Machine:
    laptop = machine("laptop")
    laptop.remote.set_up()
    return laptop


@pytest.fixture
def desk(laptop: Machine, machine: Opener) -> Machine:
    return machine("desk")


@pytest.fixture
def shared(laptop: Machine, desk: Machine) -> str:
    """A memory of the laptop that both have, by its id on the desk."""
    memory_id = laptop.share(description="Fix", tags=("cart",))
    laptop.sync()
    desk.sync()
    return f"{memory_id}@laptop"


def body(machine: Machine, memory_id: str) -> bytes:
    return machine.store.get(memory_id).body


def hidden(shared: str) -> str:
    return shared.removesuffix("@laptop")


def test_a_memory_arrives_with_all_that_belongs_to_it(laptop: Machine, desk: Machine, shared: str) -> None:
    mine, theirs = laptop.store.get(hidden(shared)), desk.store.get(shared)
    assert theirs.body == mine.body
    assert (theirs.meta.description, theirs.meta.tags, theirs.meta.source) == ("Fix", ("cart",), "import")
    assert (theirs.meta.created, theirs.meta.project) == (mine.meta.created, "shop")
    assert theirs.meta.author.endswith(" (team)")
    assert laptop.sync().summary == desk.sync().summary == "sent 0, fetched 0"


def test_only_what_was_shared_leaves(laptop: Machine, desk: Machine) -> None:
    laptop.new(b"mine alone")
    laptop.share(b"ours")
    assert laptop.sync().sent == 1
    desk.sync()
    assert [body(desk, each) for each in desk.ids()] == [b"ours"]


def test_an_edit_goes_either_way(laptop: Machine, desk: Machine, shared: str) -> None:
    desk.edit(shared, b"from the desk")
    desk.store.update(shared, tags=["other"])
    assert desk.sync().sent == 1
    assert laptop.sync().fetched == 1
    stored = laptop.store.get(hidden(shared))
    assert (stored.body, stored.meta.tags) == (b"from the desk", ("other",))
    laptop.edit(hidden(shared), b"and back")
    laptop.sync()
    desk.sync()
    assert body(desk, shared) == b"and back"
    assert [each.body for each in desk.sharing.versions(shared)][1:] == [b"from the desk", b"and back"]


def test_two_edits_become_two_memories(laptop: Machine, desk: Machine, shared: str) -> None:
    laptop.edit(hidden(shared), b"of the laptop")
    desk.edit(shared, b"of the desk")
    laptop.sync()
    (note,) = desk.sync().notes
    kept = note.rpartition(" ")[2]
    assert note.startswith(f"{shared} was changed here and by ")
    assert (body(desk, shared), body(desk, kept)) == (b"of the laptop", b"of the desk")
    assert desk.store.get(kept).meta.description == "From desk, 2 Jan: Fix"
    laptop.sync()
    assert {body(laptop, each) for each in laptop.ids()} == {b"of the laptop", b"of the desk"}
    assert laptop.texts() == desk.texts() == held(desk.remote)


def test_a_deletion_and_an_undeletion_go_everywhere(laptop: Machine, desk: Machine, shared: str) -> None:
    laptop.store.delete(hidden(shared))
    laptop.sync()
    (note,) = desk.sync().notes
    assert note.startswith(f"{shared} was deleted by ") and note.endswith(": it is in the trash here")
    assert desk.ids() == []
    desk.store.restore(shared)
    desk.sync()
    laptop.sync()
    assert laptop.ids() == [hidden(shared)]


@pytest.mark.parametrize("deletes_first", [True, False])
def test_a_change_survives_a_deletion(
    laptop: Machine, desk: Machine, shared: str, deletes_first: bool
) -> None:
    laptop.store.delete(hidden(shared))
    desk.edit(shared, b"still wanted")
    order = (laptop, desk) if deletes_first else (desk, laptop)
    notes = [note for each in (*order, *order) for note in each.sync().notes]
    assert [("deleted" in note, "changed" in note) for note in notes] == [(True, True)]
    assert body(laptop, hidden(shared)) == body(desk, shared) == b"still wanted"


def test_a_file_that_is_just_gone_is_fetched_again(desk: Machine, shared: str) -> None:
    next(desk.home.memories.rglob(f"{shared}.md")).unlink()
    assert desk.sync().sent == 0
    assert desk.ids() == [shared]


def test_a_hub_that_was_rolled_back_is_caught_up(
    laptop: Machine, desk: Machine, shared: str, hub: Path
) -> None:
    backup = hub.with_name("backup")
    shutil.copytree(hub, backup)
    laptop.edit(hidden(shared), b"since the backup")
    laptop.store.delete(laptop.share(b"deleted since"))
    new = laptop.share(b"new since")
    laptop.sync()
    desk.sync()
    shutil.rmtree(hub)
    backup.rename(hub)
    for each in (laptop, desk, laptop, desk):
        assert each.sync().notes == []
    assert body(desk, shared) == body(laptop, hidden(shared)) == b"since the backup"
    assert body(desk, f"{new}@laptop") == b"new since"
    assert laptop.texts() == desk.texts() == held(desk.remote)


def test_a_text_that_only_a_lost_version_had_becomes_a_memory_of_its_own(
    laptop: Machine, desk: Machine, shared: str, hub: Path
) -> None:
    shutil.copytree(hub, hub.with_name("backup"))
    laptop.edit(hidden(shared), b"since the backup")
    laptop.sync()
    shutil.rmtree(hub)
    hub.with_name("backup").rename(hub)
    desk.edit(shared, b"another second version")
    desk.sync()
    (note,) = laptop.sync().notes
    assert body(laptop, hidden(shared)) == b"another second version"
    assert body(laptop, note.rpartition(" ")[2]) == b"since the backup"


def test_a_lost_state_is_found_again(laptop: Machine, desk: Machine, shared: str) -> None:
    for each in (laptop, desk):
        shutil.rmtree(each.home.data / "sharing")
        each.restart()
        done = each.sync()
        assert (done.sent, done.notes, len(each.ids())) == (0, [], 1)
    desk.edit(shared, b"later")
    desk.sync()
    laptop.sync()
    assert body(laptop, hidden(shared)) == b"later"


def test_who_claims_a_memory_of_this_machine_is_not_believed(
    laptop: Machine, desk: Machine, shared: str
) -> None:
    mine = laptop.new(b"mine alone")
    desk.remote.heads()
    desk.remote.write({f"{mine}@laptop": document(1, b"false")})
    (note,) = laptop.sync().notes
    assert "never shared: it is not taken" in note
    assert laptop.sync().notes == []
    assert body(laptop, mine) == b"mine alone"
    laptop.sharing.share(mine)
    laptop.sync()
    assert {body(laptop, each) for each in laptop.ids()} >= {b"mine alone", b"false"}


def test_broken_documents_are_named_once_and_skipped(laptop: Machine, desk: Machine, shared: str) -> None:
    desk.remote.heads()
    good, bad, last = (f"CMEM-20260102-00000{number}@x" for number in (7, 8, 9))
    desk.remote.write({bad: (1, b"nothing"), good: document(1, b"good"), last: document((1 << 62) - 1)})
    done = laptop.sync()
    assert [note.partition(":")[0] for note in done.notes] == [f"{bad} in team is not read"]
    assert body(laptop, good) == b"good"
    assert laptop.sync().notes == []
    laptop.edit(last, b"a version that nobody would read")
    assert laptop.sync().notes == [f"{last} is not sent: team has its last possible version"]


def test_a_version_from_the_far_future_hides_nothing(laptop: Machine, desk: Machine, shared: str) -> None:
    late = document(7, b"dated 9999", at="9999-12-31T23:59:59+00:00", created="9999-12-31T23:59:59+00:00")
    desk.remote.heads()
    desk.remote.write({shared: late})
    laptop.sync()
    laptop.edit(hidden(shared), b"the author's later edit")
    laptop.sync()
    desk.sync()
    assert body(desk, shared) == b"the author's later edit"


def test_between_ones_own_machines_everything_goes(laptop: Machine, machine: Opener) -> None:
    attic, boat = machine("attic", sync="all"), machine("boat", sync="all")
    attic.new(b"one")
    boat.new(b"two")
    for each in (attic, boat, attic):
        each.sync()
    assert sorted(body(attic, each) for each in attic.ids()) == [b"one", b"two"]
    assert attic.texts() == boat.texts()


def test_folders_of_this_machine_do_not_leave(
    laptop: Machine, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    laptop.share(f"{laptop.root}/a.py and /home/ann/x and {laptop.root}2".encode())
    laptop.sync()
    (text,) = [each.body for each in documents(desk.remote).values()]
    assert text == f"/project/shop/a.py and ~/x and {laptop.root}2".encode()
    assert laptop.sync().sent == 0


def test_a_secret_stays_here_whenever_it_appears(laptop: Machine, desk: Machine, shared: str) -> None:
    secret = laptop.new(f"one\n{SECRET}\n".encode())
    with pytest.raises(FileProblem, match=r"is not shared.*line 2") as raised:
        laptop.sharing.share(secret)
    assert "ghp_" not in str(raised.value)
    laptop.edit(hidden(shared), SECRET.encode())
    (note,) = laptop.sync().notes
    assert note.startswith(f"{hidden(shared)} is not shared.")
    laptop.store.update(hidden(shared), description=SECRET)
    laptop.edit(hidden(shared), b"clean")
    assert len(laptop.sync().notes) == 1
    laptop.store.update(hidden(shared), description="clean")
    assert b"ghp_" not in b"".join(data for _, data in desk.remote.read(desk.remote.heads()))


def test_a_private_project_stays_here(laptop: Machine, machine: Opener) -> None:
    laptop.home.config.mkdir(exist_ok=True)
    (laptop.home.config / "config.toml").write_text(f'[archive]\nprivate = ["{laptop.root}"]\n')
    with pytest.raises(FileProblem, match="never leaves this machine"):
        laptop.share()
    attic = machine("attic", sync="all")
    attic.new()
    attic.home.config.mkdir(exist_ok=True)
    (attic.home.config / "config.toml").write_text(f'[archive]\nprivate = ["{attic.root}"]\n')
    assert attic.sync().sent == 0


def test_a_memory_of_another_or_a_large_one_is_not_shared(
    laptop: Machine, desk: Machine, shared: str
) -> None:
    with pytest.raises(FileProblem, match="not yours to share"):
        desk.sharing.share(shared)
    with pytest.raises(FileProblem, match="too large"):
        laptop.share(b"x" * (4 << 20))
    assert not laptop.sharing.share(hidden(shared))
    laptop.edit(hidden(shared), b"changed")
    assert laptop.sharing.share(hidden(shared))


def test_a_forgotten_memory_goes_everywhere_and_does_not_come_back(
    laptop: Machine, desk: Machine, machine: Opener, shared: str
) -> None:
    attic = machine("attic")
    attic.sync()
    attic.edit(shared, b"changed before it was forgotten")
    assert "history keeps it" in laptop.sharing.forget(hidden(shared))
    assert laptop.ids() == []
    desk.sync()
    assert desk.ids() == []
    attic.sync()
    assert [body(attic, each) for each in attic.ids()] == [b"changed before it was forgotten"]
    assert held(desk.remote) == {}
    for each, memory_id in ((laptop, hidden(shared)), (desk, shared)):
        each.store.restore(memory_id)
        assert each.sync().sent == 0
    laptop.sharing.share(hidden(shared))
    assert laptop.sync().sent == 1


def test_what_is_to_be_forgotten_is_not_sent_even_if_that_failed(
    laptop: Machine, shared: str, hub: Path
) -> None:
    hub.rename(hub.with_name("away"))
    with pytest.raises(RemoteProblemError):
        laptop.sharing.forget(hidden(shared))
    hub.with_name("away").rename(hub)
    laptop.edit(hidden(shared), b"more")
    assert laptop.sync().sent == 0
    with pytest.raises(FileProblem, match="was not shared with team"):
        laptop.sharing.forget(laptop.new())


def test_a_failure_is_kept_for_the_status_line(laptop: Machine, hub: Path) -> None:
    hub.rename(hub.with_name("away"))
    with pytest.raises(RemoteProblemError):
        laptop.sync()
    state = laptop.sharing.state()
    assert (state.trouble, state.synced) == ("unreachable", "")
    assert str(hub) in state.problem
    hub.with_name("away").rename(hub)
    laptop.sync()
    assert laptop.sharing.state().problem == ""
    assert laptop.sharing.state().synced


def test_what_is_typed_while_a_newer_text_is_taken_is_not_lost(
    laptop: Machine, desk: Machine, shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop.edit(hidden(shared), b"newer")
    laptop.sync()
    real = type(desk.store).update
    typed = [b"typed meanwhile"]

    def update(store: object, memory_id: str, **named: object) -> object:
        while typed:
            desk.edit(shared, typed.pop())
        return real(store, memory_id, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(type(desk.sharing.store), "update", update)
    monkeypatch.setattr(desk, "edit", lambda memory_id, text: real(desk.store, memory_id, body=text))
    desk.sync()
    assert {body(desk, each) for each in desk.ids()} == {b"newer", b"typed meanwhile"}


def test_others_who_always_come_first_end_the_sync(laptop: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(remote: object, documents: Mapping[str, object]) -> Collection[str]:
        return ()

    monkeypatch.setattr(type(laptop.remote), "write", write)
    monkeypatch.setattr("time.sleep", lambda _: None)
    laptop.share()
    with pytest.raises(RemoteProblemError, match="is changed by others all the time"):
        laptop.sync()


def test_one_sync_at_a_time_and_none_without_the_store(laptop: Machine, shared: str) -> None:
    with laptop.sharing._alone(), pytest.raises(FileLocked):
        laptop.sync()
    laptop.home.memories.rename(laptop.home.data / "away")
    with pytest.raises(FileProblem, match="is missing, so nothing is synced"):
        laptop.sync()
    (laptop.home.data / "away").rename(laptop.home.memories)
    (path,) = (laptop.home.data / "sharing").glob("*.json")
    path.write_text("{")
    with pytest.raises(FileProblem, match="delete it"):
        laptop.sync()


def test_a_file_that_cannot_be_read_keeps_none_of_the_others_waiting(laptop: Machine, shared: str) -> None:
    path = next(laptop.home.memories.rglob(f"{hidden(shared)}.md"))
    path.write_bytes(b"---\nid: [\n---\n")
    laptop.share(b"another")
    done = laptop.sync()
    assert done.sent == 1
    assert str(path) in done.notes[0]


def test_syncing_goes_on_after_failures_and_at_most_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped, waits, failures = threading.Event(), list[float](), list[FileProblem]()
    outcomes = [None, FileProblem("team", "is away"), FileProblem("team", "is away"), None]

    def sync() -> None:
        if (outcome := outcomes.pop(0)) is not None:
            raise outcome

    def pause(seconds: float) -> bool:
        waits.append(seconds)
        if not outcomes:
            stopped.set()
        return False

    monkeypatch.setattr(stopped, "wait", pause)
    keep_syncing(sync, lambda seconds, _: waits.append(seconds), 60, failures.append, stopped)
    assert waits == [1.0, 60, 1.0, 2.0, 1.0, 60]
    assert len(failures) == 2
