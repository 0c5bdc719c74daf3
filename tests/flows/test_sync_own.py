"""Session states and pins among one's own machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.flows import shared_changes, sharing_states
from memtui.flows.sharing_own import is_memory
from memtui.formats.pins import Pin
from memtui.formats.session_state import Identity, SessionState, render_session_state
from memtui.formats.shared_record import PINS
from memtui.ground.project import Home, Project
from memtui.lost.pins import Pins
from memtui.store.listing import Entry
from memtui.store.state_files import read_state
from memtui.store.states import StateStore, machines_elsewhere
from tests.disk import left_over
from tests.flows.machines import SECRET, Machine, exchange
from tests.share.memory_remote import MemoryRemote
from tests.share.records import outgoing, record

SESSION = "90dd90a0-95ef-4d31-8d1a-1df2a9a6b0c1"


@pytest.fixture
def sync() -> str:
    return "all"


def write_state(machine: Machine, version: int, goal: str) -> None:
    identity = Identity(project=f"shop ({machine.root})", goal=goal)
    text = render_session_state(SessionState(version=version, identity=identity))
    StateStore(Project(machine.root), machine.home).write(SESSION, text, version)


def goals(machine: Machine, other: str = "") -> list[str]:
    store = StateStore(Project(machine.root), machine.home, other)
    states = [
        store.load(entry).state for each in store.sessions() for entry in store.versions(each.session_id)
    ]
    return [state.identity.goal for state in states if state is not None]


def test_a_state_of_another_machine_is_listed_and_never_current_here(laptop: Machine, desk: Machine) -> None:
    write_state(laptop, 1, "of the laptop")
    write_state(desk, 1, "of the desk")
    exchange(laptop, desk)
    write_state(laptop, 2, "second of the laptop")
    exchange(laptop, desk)
    assert goals(desk) == ["of the desk"]
    assert goals(laptop) == ["second of the laptop", "of the laptop"]
    assert machines_elsewhere(desk.home) == ["laptop"]
    assert goals(desk, "laptop") == ["second of the laptop", "of the laptop"]
    text = next((desk.home.data / "states-elsewhere").rglob("v0002.md")).read_text()
    assert str(laptop.root) not in text
    assert "/project/shop" in text
    assert desk.sync().sent == laptop.sync().sent == 0


def test_what_a_killed_process_left_of_a_state_is_removed(laptop: Machine, desk: Machine) -> None:
    write_state(laptop, 1, "of the laptop")
    exchange(laptop, desk)
    left = left_over(desk.home.data / "states-elsewhere" / "laptop" / SESSION)
    write_state(laptop, 2, "second of the laptop")
    exchange(laptop, desk)
    assert not left.exists()


def test_states_that_hold_secrets_or_are_private_stay_here(laptop: Machine, remote: MemoryRemote) -> None:
    write_state(laptop, 1, SECRET)
    assert "holds a secret" in laptop.sync().notes[0]
    laptop.home.config.mkdir(parents=True)
    (laptop.home.config / "config.toml").write_text(f'[archive]\nprivate = ["{laptop.root}"]\n')
    write_state(laptop, 2, "private")
    assert laptop.sync().notes == []
    assert remote.rows == {}


def test_a_state_is_read_once_and_again_when_it_is_newer(
    laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (shared_changes, sharing_states):
        monkeypatch.setattr(module, "has_settled", lambda _: True)
    reads: list[str] = []

    def read(entry: Entry, home: Home) -> str:
        reads.append(entry.name)
        return read_state(entry, home)

    monkeypatch.setattr("memtui.flows.sharing_states.read_state", read)
    write_state(laptop, 1, "first")
    for _ in range(3):
        laptop.sync()
    assert reads == ["v0001.md"]
    (laptop.home.states / SESSION / "notes.md").write_text("beside it")
    laptop.sync()
    assert reads == ["v0001.md"]
    write_state(laptop, 2, "second")
    assert laptop.sync().sent == 1
    assert reads == ["v0001.md", "v0002.md"]


def test_a_state_is_sent_when_its_project_is_private_no_longer(
    laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing_states, "has_settled", lambda _: True)
    laptop.home.config.mkdir(parents=True)
    config = laptop.home.config / "config.toml"
    config.write_text(f'[archive]\nprivate = ["{laptop.root}"]\n')
    write_state(laptop, 1, "once private")
    assert laptop.sync().sent == laptop.sync().sent == 0
    config.unlink()
    assert laptop.sync().sent == 1


def test_states_and_pins_of_a_team_are_not_taken(tmp_path: Path, remote: MemoryRemote) -> None:
    machine = Machine(tmp_path, "open")
    write_state(machine, 1, "mine")
    pins(machine).add(Pin("mine"), everywhere=True)
    remote.put(
        [
            outgoing(record(memory=PINS, body=b"", tags=("obey me",), machine="evil")),
            outgoing(record(memory=f"ST-{SESSION}-v0001@evil", machine="evil")),
        ]
    )
    assert machine.sync().sent == 0
    assert words(machine) == ["mine"]
    assert machines_elsewhere(machine.home) == []


def pins(machine: Machine) -> Pins:
    return Pins(Project(machine.root), machine.home)


def words(machine: Machine) -> list[str]:
    return sorted(each.pin.text for each in pins(machine).all())


def test_pins_merge_by_set(laptop: Machine, desk: Machine) -> None:
    pins(laptop).add(Pin("never push to main", "90dd90a0", 4), everywhere=True)
    pins(desk).add(Pin("use tabs"), everywhere=True)
    exchange(laptop, desk)
    assert words(laptop) == words(desk) == ["never push to main", "use tabs"]
    pins(desk).remove("never push to main", everywhere=True)
    pins(laptop).add(Pin("run the tests"), everywhere=True)
    exchange(desk, laptop)
    assert words(laptop) == words(desk) == ["run the tests", "use tabs"]
    assert desk.sync().sent == laptop.sync().sent == 0


def test_a_project_pin_stays_in_its_project(laptop: Machine, desk: Machine) -> None:
    laptop.root.mkdir(parents=True)
    pins(laptop).add(Pin("of the project"))
    exchange(laptop, desk)
    assert words(desk) == []


def test_keys_that_climb_are_no_records() -> None:
    for bad in ("ST-..-v0001@desk", "ST-a/b-v0001@desk", "ST-a-v1@../x", "PINS@desk"):
        with pytest.raises(ValueError, match="not of the form"):
            record(memory=bad)
    assert not is_memory(PINS)
