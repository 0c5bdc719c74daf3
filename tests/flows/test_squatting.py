"""A file in a project cannot keep an id from the memory that a remote brings, or take one's own away."""

from __future__ import annotations

import pytest

from memtui.flows.shared_folder_import import import_shared_folder
from memtui.ground.project import Project
from tests.flows.here import put
from tests.flows.machines import Machine
from tests.share.records import record

MADE = "CMEM-20260102-120001"
FORGED = record(
    body=b"forged", memory=f"{MADE}@laptop", machine="laptop", tags=("evil",), description="Forged"
)


def notes(project: Project, machine: Machine) -> list[str]:
    return list(import_shared_folder(project, machine.home, machine.clock).new)


def share(laptop: Machine) -> str:
    memory_id = f"{laptop.share(b'real', description='Real')}@laptop"
    assert memory_id == FORGED.memory
    laptop.sync()
    return memory_id


@pytest.mark.parametrize("gone", ["", "deleted", "its file"])
def test_a_remotes_memory_replaces_one_from_a_project(
    laptop: Machine, desk: Machine, project: Project, gone: str
) -> None:
    path = put(project, FORGED)
    assert notes(project, desk) == []
    if gone == "deleted":
        desk.store.delete(FORGED.memory)
    elif gone:
        path.unlink()
        notes(project, desk)
    memory_id = share(laptop)
    assert desk.sync().notes == []
    put(project, FORGED.replace(body=b"forged again"))
    assert notes(project, desk) == []
    memory = desk.store.get(memory_id)
    assert memory.body == b"real"
    assert (memory.meta.description, memory.meta.tags) == ("Real", ())
    assert memory.meta.author.endswith(" (team)")
    (project.shared / f"{memory_id}.md").unlink()
    notes(project, desk)
    laptop.store.rewrite(MADE, b"newer")
    laptop.sync()
    assert desk.sync().notes == []
    assert desk.store.get(memory_id).body == b"newer"


def test_the_same_text_by_both_ways_stays_when_the_file_goes(
    laptop: Machine, desk: Machine, project: Project
) -> None:
    path = put(project, FORGED.replace(body=b"real"))
    notes(project, desk)
    memory_id = share(laptop)
    desk.sync()
    path.unlink()
    notes(project, desk)
    assert desk.store.get(memory_id).meta.author.endswith(" (team)")


def test_a_local_edit_wins_and_the_remote_text_becomes_a_version(
    laptop: Machine, desk: Machine, project: Project
) -> None:
    put(project, FORGED)
    notes(project, desk)
    desk.store.rewrite(FORGED.memory, b"by hand")
    share(laptop)
    (note,) = desk.sync().notes
    assert "was changed here, too" in note
    assert desk.store.get(FORGED.memory).body == b"by hand"


def test_ones_own_id_cannot_be_taken(laptop: Machine, project: Project) -> None:
    put(project, FORGED)
    assert notes(project, laptop) == []
    assert laptop.texts() == {}
    assert laptop.new(b"mine") == MADE
    notes(project, laptop)
    assert laptop.texts() == {FORGED.memory: b"mine"}


def test_a_memory_that_takes_its_place_names_its_successor(
    laptop: Machine, desk: Machine, project: Project
) -> None:
    put(project, FORGED)
    notes(project, desk)
    laptop.new(b"real")
    newer = laptop.share(b"newer")
    laptop.sync()
    desk.sync()
    laptop.store.update(MADE, superseded_by=newer)
    laptop.sharing.share(MADE)
    laptop.sync()
    desk.sync()
    assert desk.store.get(FORGED.memory).meta.superseded_by == f"{newer}@laptop"
    assert desk.store.get(f"{newer}@laptop").meta.supersedes == (FORGED.memory,)
