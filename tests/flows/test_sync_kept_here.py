"""Memories that never leave the machine, and texts that a sync does not replace."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memtui.flows.sharing_out import SecretsFoundError
from memtui.flows.syncing import Sharing, Synced
from memtui.ground.files import FileProblem
from memtui.share.remotes import NamedRemote
from tests.flows.machines import SECRET, Machine, Maker, exchange
from tests.share.memory_remote import MemoryRemote


def test_only_what_was_chosen_leaves_the_machine(laptop: Machine, desk: Machine) -> None:
    laptop.new(b"my own")
    shared = laptop.share(b"for all", tags=("cart",), description="Cart")
    assert laptop.sync().sent == 1
    done = desk.sync()
    assert (done.received, done.memories, done.notes) == (1, 1, [])
    memory = desk.store.get(f"{shared}@laptop")
    assert memory.body == b"for all"
    assert (memory.meta.description, memory.meta.tags, memory.meta.project) == ("Cart", ("cart",), "shop")
    assert memory.meta.author.endswith("(team)")
    assert memory.meta.session_id == ""
    assert laptop.sync() == desk.sync() == Synced()


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
    memory_id = laptop.new(f"one\n{SECRET}\n".encode())
    with pytest.raises(SecretsFoundError, match=r"is not shared\. It holds a secret: .*\(line 2\)"):
        laptop.sharing.share(memory_id)
    assert laptop.sync().sent == 0
    laptop.sharing.share(memory_id, allowed=[2])
    assert laptop.sync().sent == 1


def test_a_secret_that_was_written_later_is_held_back(laptop: Machine, desk: Machine) -> None:
    shared = laptop.share()
    laptop.sync()
    laptop.store.rewrite(shared, SECRET.encode())
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


def test_another_address_under_the_same_name_gets_nothing_unchosen(
    laptop: Machine, remote: MemoryRemote
) -> None:
    laptop.share()
    other = Sharing(laptop.home, laptop.clock, "team", NamedRemote(url="/other"))
    assert other.sync() == Synced()
    assert remote.rows == {}
