"""Forgetting a shared memory on every remote: its texts are removed, a tombstone stays."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.flows.syncing import Sharing, open_sharing
from memtui.ground.clock import Clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Home
from memtui.share.remotes import Remotes
from memtui.store.base import MemoryMissing
from memtui.store.memory_files import FilesBackend


class Forgotten(NamedTuple):
    """The outcome, in sentences."""

    done: tuple[str, ...]
    """What was removed, and what cannot be removed."""
    failed: tuple[str, ...] = ()
    """The remotes that still have the texts, and why; if any, the memory was not deleted here."""


def forget_everywhere(home: Home, clock: Clock, memory_id: str) -> Forgotten:
    """Remove a memory's texts from all remotes that have it, then delete it here.

    Each remote is tried; if one fails, repeating the call completes the rest. Meanwhile nothing of the memory
    is sent.

    Args:
        home: memtui's own folders.
        clock: gives the current time.
        memory_id: the full Recovery ID; the memory may be deleted here already.

    Raises:
        FileProblem: no remote has it.
    """
    holding = [sharing for sharing in _sharings(home, clock) if sharing.knows(memory_id)]
    if not holding:
        raise FileProblem(Path(memory_id), "was not shared: `memtui memory delete` deletes it")
    done, failed = dict[str, str](), list[str]()
    for sharing in holding:
        try:
            done[sharing.name] = sharing.erase(memory_id)
        except FileProblem as problem:
            failed.append(f"{sharing.name}: {problem}; nothing was removed there")
    if not failed:
        with suppress(MemoryMissing):
            FilesBackend(home, clock).delete(memory_id)
    said = [f"{name}: {remains}" for name, remains in done.items()]
    if not failed:
        said.append("Here it is in the trash, and so it will be on machines that have fetched it.")
    return Forgotten(tuple(said), tuple(failed))


def _sharings(home: Home, clock: Clock) -> list[Sharing]:
    return [open_sharing(home, clock, name) for name in sorted(Remotes(home).all())]
