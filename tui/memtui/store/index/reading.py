"""All transcripts read into the index, by as many processes as there are processors to spare."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from memtui.project import Home
from memtui.store.index.sessions import SessionIndex

_READERS = 2
"""Processes that read and mask; the one that writes waits for them most of the time."""
_ALONE = 32 << 20
"""Bytes up to which one process does it alone."""


def index_transcripts(home: Home, config: Path) -> bool:
    """Bring the index of transcripts up to date; whether it is complete then.

    Raises:
        FileProblem: Claude Code's folder cannot be listed.
    """
    index = SessionIndex(home, config)
    if index.waiting() <= _ALONE or (os.cpu_count() or 1) == 1:
        return index.refresh()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(_READERS, mp_context=context, initializer=_end_with_parent) as readers:
        return index.refresh(readers=readers)


def _end_with_parent() -> None:
    """End this process when the one that started it is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
