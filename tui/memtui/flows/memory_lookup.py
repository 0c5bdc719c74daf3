"""Finding a memory by the beginning of its id."""

from __future__ import annotations

from memtui.store.base import Filter, MemoryBackend, MemoryMissing


def full_id(backend: MemoryBackend, beginning: str, project: str) -> str:
    """The full id for the beginning of one: among this project's memories first, then among all.

    A beginning may be ambiguous among all projects but unique in this one.

    Args:
        backend: the store.
        beginning: an id or the beginning of one.
        project: path of the project's root.

    Raises:
        MemoryMissing: no id begins like this, or several do.
    """
    try:
        return backend.find(beginning)
    except MemoryMissing:
        wanted = _digits(beginning)
        here = backend.list(Filter(project=project)).items if wanted else ()
        fitting = [listed.meta.id for listed in here if _digits(listed.meta.id).startswith(wanted)]
        if len(fitting) == 1:
            return fitting[0]
        raise


def _digits(text: str) -> str:
    return text.strip().upper().removeprefix("CMEM-")
