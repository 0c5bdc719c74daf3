"""Marking a memory as superseded by a newer one; both name the other in their front matter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memtui.formats.stored_memory import MemoryMeta
from memtui.ground.clean import clean_line
from memtui.ground.files import FileProblem
from memtui.store.base import MemoryBackend, MemoryMissing


class Superseded(NamedTuple):
    """The result of a change."""

    message: str
    """One sentence."""
    what: str
    """The change's name in the log."""
    changed: bool = True


class SupersedingProblem(FileProblem):
    """A memory cannot supersede another one."""


def note_on(meta: MemoryMeta) -> str:
    """A sentence saying that a memory is superseded; "" if it is not."""
    return f"{meta.id} is superseded by {clean_line(meta.superseded_by)}." if meta.superseded_by else ""


def supersede(backend: MemoryBackend, old: str, new: str) -> Superseded:
    """Mark `old` as superseded by `new`.

    Args:
        backend: the store.
        old: the Recovery ID of a memory.
        new: that of the memory that replaces it.

    Raises:
        SupersedingProblem: they are the same, `old` is superseded by another one, or `new` is itself
            superseded by `old`, directly or through others; nothing was changed.
        FileProblem: one of them is missing or cannot be written.
    """
    if old == new:
        raise SupersedingProblem(Path(old), "cannot supersede itself")
    before, after = backend.get(old).meta, backend.get(new).meta
    if before.superseded_by not in ("", new):
        how = f"`memtui memory supersede {old} --undo` takes that back"
        raise SupersedingProblem(
            Path(old), f"is superseded by {clean_line(before.superseded_by)} already; {how}"
        )
    if old in _successors(backend, new):
        raise SupersedingProblem(Path(new), f"is superseded by {old} itself, so it cannot replace that")
    said = f"{old} is superseded by {new}"
    if before.superseded_by == new and old in after.supersedes:
        return Superseded(f"{said} already.", said, changed=False)
    # The mark on the old one counts: a kill between the two leaves it, and the same command completes it.
    backend.update(old, superseded_by=new)
    backend.update(new, supersedes=(*(each for each in after.supersedes if each != old), old))
    return Superseded(f"{said}.", said)


def reinstate(backend: MemoryBackend, old: str) -> Superseded:
    """Undo the superseding of a memory.

    Raises:
        SupersedingProblem: it is not superseded.
        FileProblem: it is missing, or one of the two cannot be written.
    """
    new = backend.get(old).meta.superseded_by
    if not new:
        raise SupersedingProblem(Path(old), "is not superseded")
    backend.update(old, superseded_by="")
    try:
        others = backend.get(new).meta.supersedes
        backend.update(new, supersedes=tuple(each for each in others if each != old))
    except MemoryMissing:  # deleted since
        pass
    said = f"{old} is no longer superseded"
    return Superseded(f"{said}.", said)


def _successors(backend: MemoryBackend, memory_id: str) -> Iterator[str]:
    """The memories that supersede one, directly or through others; each once."""
    seen: set[str] = set()
    while memory_id and memory_id not in seen:
        seen.add(memory_id)
        try:
            memory_id = backend.get(memory_id).meta.superseded_by
        except FileProblem:
            return
        if memory_id:
            yield memory_id
