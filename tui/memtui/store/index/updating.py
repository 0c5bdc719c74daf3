"""Updating the whole index, with as many processes as there are spare processors."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext

from memtui.ground.project import Places
from memtui.store.index.memories import SearchIndex
from memtui.store.index.project_files import project_documents
from memtui.store.index.sessions import SessionIndex

_READERS = 2
"""Number of processes that read and mask; the writing one mostly waits for them."""
_ALONE = 32 << 20
"""Size in bytes up to which one process does everything."""


def update_index(places: Places, *, budget: float | None = None) -> bool:
    """Update the index from all files; returns whether it is complete.

    Documents come first, as they are few. Transcripts reveal projects, whose documents come last.

    Args:
        places: the current project, which is always included, and the folders.
        budget: seconds after which to stop reading memories, and transcripts; finished parts are kept.

    Raises:
        FileProblem: the memories, or Claude Code's folder, cannot be listed.
    """
    documents = project_documents(places.home, places.project.root)
    complete = SearchIndex(places.home).refresh(budget=budget)
    documents.refresh(budget=budget)
    sessions = SessionIndex(places.home, places.claude)
    with _readers(sessions.waiting()) as readers:
        complete &= sessions.refresh(budget=budget, readers=readers)
    return documents.refresh(budget=budget) and complete


def _readers(size: int) -> AbstractContextManager[ProcessPoolExecutor | None]:
    """Processes to read this many bytes; None if one is enough."""
    if size <= _ALONE or (os.cpu_count() or 1) == 1:
        return nullcontext()
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(_READERS, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this process when its parent is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
