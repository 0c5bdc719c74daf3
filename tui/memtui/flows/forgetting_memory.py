"""Forgetting a shared memory on every remote: a tombstone stays, its texts go."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memtui.clock import Clock
from memtui.files import FileProblem
from memtui.flows.syncing import Sharing, opened
from memtui.project import Home
from memtui.sharing.remotes import Remotes
from memtui.store.base import MemoryMissing
from memtui.store.changes import CLI, Changes
from memtui.store.memory_files import FilesBackend


def forget_everywhere(home: Home, clock: Clock, memory_id: str) -> list[str]:
    """Remove a memory's texts from all remotes that have it, and delete it here.

    Returns what cannot be removed, in sentences.

    Args:
        home: memtui's own folders.
        clock: tells the time.
        memory_id: the whole Recovery ID; it may be deleted here already.

    Raises:
        FileProblem: no remote has it, it is another person's, or a remote cannot be written; what was done on
            other remotes stays done.
    """
    holding = [sharing for sharing in _sharings(home, clock) if sharing.knows(memory_id)]
    if not holding:
        raise FileProblem(Path(memory_id), "was not shared: `memtui memory delete` deletes it")
    remains = [f"{sharing.name}: {sharing.erase(memory_id)}" for sharing in holding]
    changes = Changes(home, clock, CLI)
    with suppress(MemoryMissing):
        FilesBackend(home, clock, changes.wrote).delete(memory_id)
    changes.for_good(f"forgot {memory_id} everywhere", "its texts were removed from the remotes")
    return [*remains, "Here it is in the trash, and so it will be on machines that have fetched it."]


def _sharings(home: Home, clock: Clock) -> list[Sharing]:
    return [opened(home, clock, name) for name in sorted(Remotes(home).all())]
