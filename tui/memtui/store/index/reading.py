"""Everything read into the index, by as many processes as there are processors to spare."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext

from memtui.project import Places
from memtui.store.index.project_files import project_documents
from memtui.store.index.search import SearchIndex
from memtui.store.index.sessions import SessionIndex

_READERS = 2
"""Processes that read and mask; the one that writes waits for them most of the time."""
_ALONE = 32 << 20
"""Bytes up to which one process does it alone."""


def update_index(places: Places, *, budget: float | None = None) -> bool:
    """Bring the index up to date with all files; whether it is complete then.

    Documents come first: they are few. Transcripts make projects known, whose documents come last.

    Args:
        places: the current project, which is known in any case, and the folders.
        budget: seconds after which to stop reading memories, and transcripts; what is done is kept.

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
    """Processes to read so many bytes; None for few."""
    if size <= _ALONE or (os.cpu_count() or 1) == 1:
        return nullcontext()
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(_READERS, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this process when the one that started it is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
