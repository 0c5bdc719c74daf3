"""Late writes of other programs into memories' files that a sync replaces."""

from __future__ import annotations

from contextlib import suppress

from memtui.ground.files import FileProblem
from memtui.store.memory_files import FilesBackend, Revised

_MOST = 100
"""Replaced files that are held open at a time."""
_SECONDS = 0.02
"""How long after the last replacement the old files are looked at: a program that has one open has written by
then."""


class LateWrites:
    """Replaced files of memories, held open until they are looked at together."""

    def __init__(self, backend: FilesBackend) -> None:
        self._backend = backend
        self._held: list[tuple[str, Revised]] = []

    def hold(self, memory: str, revised: Revised) -> None:
        """Hold the old file of the memory with this key."""
        self._held.append((memory, revised))

    @property
    def is_full(self) -> bool:
        """Whether as many are held as should be."""
        return len(self._held) >= _MOST

    def keep(self) -> list[str]:
        """Put what was written into old files into the memories, and close them.

        Returns the keys of these memories: what their records say has to be applied to that once more.
        """
        found, pause = [], _SECONDS
        for memory, revised in self._held:
            with revised.old, suppress(FileProblem):
                late = revised.old.settled([pause])
                if late is not None:
                    found.append(memory)
                    self._backend.put(revised.path, revised.data, late)
            pause = 0.0
        self._held.clear()
        return found

    def close(self) -> None:
        """Close all without a look."""
        for _, revised in self._held:
            revised.old.close()
        self._held.clear()
