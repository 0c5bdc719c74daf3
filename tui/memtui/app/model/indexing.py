"""Updates the search index in a separate process, so that it does not delay the keys."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from contextlib import suppress

from memtui.ground.files import FileProblem
from memtui.ground.patterns import deferred
from memtui.ground.project import Places
from memtui.store.listing import scan

MANY = 200
"""Number of memories from which indexing is left to a process; fewer are indexed in a moment."""
MANY_BYTES = 4 << 20
"""The same for transcripts, in bytes."""
_ANY = deferred(r"[^.].*", re.DOTALL)
_TRANSCRIPT = deferred(r"[^.].*\.jsonl")

_CODE = """
import os, sys
from pathlib import Path
from memtui.ground.project import Home, Places, Project
from memtui.store.index.updating import update_index
if hasattr(os, "SCHED_IDLE"):  # lowest priority
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
elif hasattr(os, "nice"):
    os.nice(19)
root, claude, *home = map(Path, sys.argv[1:])
update_index(Places(Project(root), Home(*home), claude))
"""


class Indexer:
    """At most one process, which ends when the index is complete; it may be killed at any moment."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._process: subprocess.Popen[bytes] | None = None
        self._started = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Update the index, once per run of the app: later changes are few at a time."""
        with self._lock, suppress(OSError):  # if no process can be started, searching updates it
            if self._started:
                return
            self._started = True
            project, home, claude = self._places
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _CODE, *map(str, (project.root, claude, *home))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def start_for_transcripts(self) -> None:
        """Update the index if there are many unread transcripts."""
        size = 0
        with suppress(FileProblem):
            for folder in scan(self._places.claude / "projects", _ANY):
                with suppress(FileProblem):
                    size += sum(entry.size for entry in scan(folder.path, _TRANSCRIPT))
        if size >= MANY_BYTES:
            self.start()

    @property
    def is_running(self) -> bool:
        """Whether the index is being built."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End the process, and start no more; finished work is kept."""
        with self._lock:
            self._started = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
                self._process.wait()
