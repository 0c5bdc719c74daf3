"""What keys change about a stored memory: each change says what it did, and can be taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from memtui.store.base import MemoryBackend
from memtui.store.undo import Undo, UndoProblem


@dataclass(frozen=True, slots=True)
class Edited:
    """A change that was made."""

    message: str
    """What happened, in one line."""
    undo: Undo | None
    """Takes it back; None when there was nothing to change."""
    memory_id: str = ""
    """The memory, where that is news."""


class _Said(TypedDict, total=False):
    """What is said about a memory, as `MemoryBackend.update` takes it."""

    tags: tuple[str, ...]
    archived: bool
    pinned: bool


def archive(backend: MemoryBackend, memory_id: str, *, archived: bool | None = None) -> Edited:
    """Archive a memory, or take it out of the archive; the other way round without `archived`.

    Raises:
        FileProblem: it is gone, or cannot be written; nothing was changed.
    """
    before = backend.get(memory_id).meta.archived
    if before is archived:
        return Edited(f"{memory_id} is as it was.", None)
    undo = _update(
        backend,
        memory_id,
        {"archived": before},
        {"archived": not before},
        f"{'unarchiving' if before else 'archiving'} of {memory_id}",
    )
    if before:
        return Edited(f"{memory_id} is out of the archive.", undo)
    return Edited(f"Archived {memory_id}: A shows archived ones, too; u brings it back.", undo)


def pin(backend: MemoryBackend, memory_id: str, *, pinned: bool | None = None) -> Edited:
    """Pin a memory on top of the list, or unpin it; the other way round without `pinned`.

    Raises:
        FileProblem: it is gone, or cannot be written; nothing was changed.
    """
    before = backend.get(memory_id).meta.pinned
    if before is pinned:
        return Edited(f"{memory_id} is as it was.", None)
    label = f"{'unpinning' if before else 'pinning'} of {memory_id}"
    undo = _update(backend, memory_id, {"pinned": before}, {"pinned": not before}, label)
    return Edited(f"Unpinned {memory_id}." if before else f"Pinned {memory_id}: it stays on top.", undo)


def retag(backend: MemoryBackend, memory_id: str, tags: Iterable[str]) -> Edited:
    """Give a memory these tags instead of those it has.

    Raises:
        FileProblem: it is gone, or cannot be written; nothing was changed.
    """
    before, wanted = backend.get(memory_id).meta.tags, tuple(tags)
    if before == wanted:
        return Edited("The tags are as they were.", None)
    undo = _update(backend, memory_id, {"tags": before}, {"tags": wanted}, f"tags of {memory_id}")
    told = " ".join(f"#{tag}" for tag in wanted) or "none"
    return Edited(f"Tags of {memory_id}: {told}. u brings the old ones back.", undo)


def delete(backend: MemoryBackend, memory_id: str) -> Edited:
    """Move a memory to the trash.

    Raises:
        FileProblem: it is gone already, or cannot be moved; nothing was changed.
    """
    backend.delete(memory_id)
    undo = Undo(f"deletion of {memory_id}", lambda: backend.restore(memory_id))
    return Edited(f"{memory_id} is in the trash. u brings it back.", undo)


def stored(backend: MemoryBackend, memory_id: str) -> Edited:
    """What to say of a memory that was just stored, and how to take that back."""
    undo = Undo(f"storing of {memory_id}", lambda: backend.delete(memory_id))
    return Edited(f"Stored {memory_id}. u takes it back.", undo, memory_id)


def _update(backend: MemoryBackend, memory_id: str, before: _Said, after: _Said, label: str) -> Undo:
    backend.update(memory_id, **after)

    def run() -> None:
        meta = backend.get(memory_id).meta
        if any(getattr(meta, name) != value for name, value in after.items()):
            raise UndoProblem(Path(memory_id), "has changed since; it is kept as it is")
        backend.update(memory_id, **before)

    return Undo(label, run)
