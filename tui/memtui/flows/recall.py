"""Which memory a person or a model means."""

from __future__ import annotations

from memtui.store.base import Filter, MemoryBackend, MemoryMissing, Which


def resolved(backend: MemoryBackend, beginning: str, project: str) -> str:
    """The id that is meant: of this project's memories first, then of all.

    An id is unique anyway; but of the beginning of one there may be several in all projects and one in this.

    Args:
        backend: where to look.
        beginning: an id or the beginning of one.
        project: path of the project's root.

    Raises:
        MemoryMissing: none begins so, or several do.
    """
    try:
        return backend.find(beginning)
    except MemoryMissing:
        wanted = _bare(beginning)
        here = backend.list(Filter(project=project, which=Which.ALL)).items if wanted else ()
        fitting = [listed.meta.id for listed in here if _bare(listed.meta.id).startswith(wanted)]
        if len(fitting) == 1:
            return fitting[0]
        raise


def _bare(text: str) -> str:
    return text.strip().upper().removeprefix("CMEM-")
