"""Superseded memories that come in: the newer memory has to name the older ones that it replaces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memtui.flows.shared_names import Names
from memtui.share.merging import Marks
from memtui.share.replica import Replica
from memtui.store.base import MemoryMissing
from memtui.store.memory_files import FilesBackend, Revised


@dataclass
class Successors:
    """Memories that came in and are superseded, or supersede others, by their keys."""

    _replaced: dict[str, set[str]] = field(default_factory=dict)
    """Memories whose successor is new or another than before, by its key."""
    _new: set[str] = field(default_factory=set)
    """Memories that may replace some that came earlier."""

    def note(self, memory: str, *marks: Marks) -> None:
        """Note a memory whose successor these marks name: before, now, or both."""
        for each in marks:
            if each.superseded_by:
                self._replaced.setdefault(each.superseded_by, set()).add(memory)

    def note_new(self, memory: str, marks: Marks) -> None:
        """Note a memory that was never applied before."""
        self.note(memory, marks)
        self._new.add(memory)

    def take(self, replica: Replica) -> dict[str, set[str]]:
        """What was noted since the last call: memories that replace others, with those that say so or did."""
        found, new = self._replaced, self._new
        self._replaced, self._new = {}, set()
        for successor, known in replica.successors().items() if new else ():
            if successor in new:
                found.setdefault(successor, set()).update(known)
        return found


def name_replaced(
    backend: FilesBackend, names: Names, successor: str, replaced: Iterable[str]
) -> Revised | None:
    """Update the list of memories replaced by a newer one from the replaced memories' own marks.

    Returns its file if it was rewritten; the caller has to close the old one.

    Args:
        backend: the store.
        names: maps ids between machines.
        successor: key of the newer memory; it need not be here.
        replaced: keys of memories that it may replace, besides those in its list.

    Raises:
        FileProblem: a memory cannot be read or written.
    """
    local = names.here(successor)
    try:
        stored = backend.get(local)
    except MemoryMissing:
        return None
    named = stored.meta.supersedes
    candidates = dict.fromkeys((*named, *map(names.here, replaced)))
    kept = tuple(each for each in candidates if _is_replaced(backend, each, local, each in named))
    return backend.revise(local, stored, stored.body, supersedes=kept) if kept != named else None


def _is_replaced(backend: FilesBackend, memory_id: str, by: str, otherwise: bool) -> bool:
    """Whether a memory is marked as replaced by another; `otherwise` if it is not here."""
    try:
        return backend.get(memory_id).meta.superseded_by == by
    except MemoryMissing:
        return otherwise
