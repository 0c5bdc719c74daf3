"""What a sync supersedes: the newer memory has to name the older ones, too."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.flows.shared_names import Names
from memtui.store.base import MemoryMissing
from memtui.store.memory_files import FilesBackend, Revised


def name_replaced(
    backend: FilesBackend, names: Names, successor: str, replaced: Iterable[str]
) -> Revised | None:
    """Bring the list of the memories that a newer one replaces to what these say themselves.

    Returns its file, if it was written anew; the old one is to be closed.

    Args:
        backend: the store.
        names: how memories are called here and elsewhere.
        successor: key of the newer memory; it need not be here.
        replaced: keys of memories that it may replace, beside those that it names already.

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
    """Whether a memory says so; `otherwise` where it is not here."""
    try:
        return backend.get(memory_id).meta.superseded_by == by
    except MemoryMissing:
        return otherwise
