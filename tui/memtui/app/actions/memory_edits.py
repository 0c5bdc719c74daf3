"""Edits of stored memories by keys, with their messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui.flows import superseding
from memtui.store.base import MemoryBackend

_BACK = "u brings it back."


@dataclass(frozen=True, slots=True)
class Edited:
    """A change that was made."""

    message: str
    """The result, in one line."""
    changed: bool = True
    """False when there was nothing to change."""
    what: str = ""
    """The change's name in the log; "" for the store's own."""
    back: str = ""
    """A sentence on how to undo it; "" if that is obvious."""


def archive(backend: MemoryBackend, memory_id: str, *, archived: bool | None = None) -> Edited:
    """Archive or unarchive a memory; without `archived`, toggle.

    Raises:
        FileProblem: it is gone, or cannot be written; nothing was changed.
    """
    before = backend.get(memory_id).meta.archived
    if before is archived:
        return Edited(f"{memory_id} is unchanged.", changed=False)
    backend.update(memory_id, archived=not before)
    if before:
        return Edited(f"{memory_id} is unarchived.")
    return Edited(f"Archived {memory_id}: A shows archived ones, too.", back=_BACK)


def pin(backend: MemoryBackend, memory_id: str, *, pinned: bool | None = None) -> Edited:
    """Pin a memory on top of the list, or unpin it; without `pinned`, toggle.

    Raises:
        FileProblem: it is gone, or cannot be written; nothing was changed.
    """
    before = backend.get(memory_id).meta.pinned
    if before is pinned:
        return Edited(f"{memory_id} is unchanged.", changed=False)
    backend.update(memory_id, pinned=not before)
    return Edited(f"Unpinned {memory_id}." if before else f"Pinned {memory_id}: it stays on top.")


def retag(backend: MemoryBackend, memory_id: str, tags: Iterable[str]) -> Edited:
    """Replace the tags of a memory.

    Raises:
        FileProblem: it is gone, or cannot be written; nothing was changed.
    """
    before, wanted = backend.get(memory_id).meta.tags, tuple(tags)
    if before == wanted:
        return Edited("The tags are unchanged.", changed=False)
    backend.update(memory_id, tags=wanted)
    shown = " ".join(f"#{tag}" for tag in wanted) or "none"
    return Edited(f"Tags of {memory_id}: {shown}.", back="u brings the old ones back.")


def supersede(backend: MemoryBackend, old: str, new: str) -> Edited:
    """Mark a memory as superseded by a newer one.

    Raises:
        FileProblem: they would form a circle, or one is deleted or cannot be written.
    """
    done = superseding.supersede(backend, old, new)
    return Edited(done.message, done.changed, done.what, "u takes it back." if done.changed else "")


def reinstate(backend: MemoryBackend, old: str) -> Edited:
    """Undo the superseding of a memory.

    Raises:
        FileProblem: it is not superseded, or one of the two is deleted or cannot be written.
    """
    done = superseding.reinstate(backend, old)
    return Edited(done.message, what=done.what)


def delete(backend: MemoryBackend, memory_id: str) -> Edited:
    """Move a memory to the trash.

    Raises:
        FileProblem: it is already deleted, or cannot be moved; nothing was changed.
    """
    backend.delete(memory_id)
    return Edited(f"{memory_id} is in the trash.", back=_BACK)
