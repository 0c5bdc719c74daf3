"""The texts that a shared memory has had, on all machines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memtui.flows.shared_names import Names, shared_text
from memtui.flows.syncing import open_sharing
from memtui.ground.clock import Clock
from memtui.ground.project import Home
from memtui.share.remotes import Remotes, this_machine
from memtui.store.base import MemoryBackend


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """One text of a memory."""

    number: int
    """1 for the oldest."""
    at: datetime
    """Time of writing, by the clock of its machine."""
    author: str
    """The author; "" for this machine's user."""
    machine: str
    """The machine it was written on."""
    text: str
    shown: bool
    """Whether it is the current text in this machine's store."""
    sent: bool
    """Whether it has been sent to other machines."""


def memory_versions(
    home: Home, clock: Clock, backend: MemoryBackend, memory_id: str
) -> tuple[MemoryVersion, ...]:
    """The versions of a memory, newest first; a memory that was never shared has only its own text.

    Raises:
        MemoryMissing: there is no such memory.
        FileProblem: it, or the local copy of a remote, cannot be read.
    """
    names = Names(this_machine(home))
    everywhere = names.everywhere(memory_id)
    stored = backend.get(memory_id)
    own = shared_text(names, everywhere, stored)
    known: dict[bytes, tuple[datetime, int, str, str]] = {}
    for name in sorted(Remotes(home).all()):
        with open_sharing(home, clock, name).replica() as replica:
            merged = replica.merged(everywhere)
        for rank, record in enumerate(reversed(merged.versions if merged else ())):
            written = (record.at, rank, record.author, record.machine)
            known[record.body] = max(written, known.get(record.body, written))
    texts = {body: (*written, True) for body, written in known.items()}
    if own not in texts:
        texts[own] = (stored.meta.updated, len(known), "", names.machine, False)
    ordered = sorted(texts.items(), key=lambda each: each[1])
    return tuple(
        MemoryVersion(number, at, author, machine, body.decode("utf-8", "replace"), body == own, sent)
        for number, (body, (at, _, author, machine, sent)) in reversed(list(enumerate(ordered, 1)))
    )
