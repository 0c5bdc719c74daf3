"""The store of ``memtui memory``, and the lookup of ids by their beginning."""

from __future__ import annotations

from pathlib import Path

from memtui.cli.changes import changes_in
from memtui.cli.output import say
from memtui.cli.project import project_of
from memtui.clock import system_clock
from memtui.flows import recall
from memtui.project import memtui_home
from memtui.store.base import MemoryBackend
from memtui.store.changes import Changes
from memtui.store.memory_files import FilesBackend


def opened() -> MemoryBackend:
    """The user's store, for reading."""
    return FilesBackend(memtui_home(), system_clock)


def opened_here(root: Path | None) -> MemoryBackend:
    """The user's store, for reading, with the memories of the project's own folder.

    Standard error says what of them could not be taken in.
    """
    from memtui.flows.taking_in import take_in

    for note in take_in(project_of(root), memtui_home(), system_clock).new:
        say(note, err=True)
    return opened()


def opened_to_change(root: Path | None, changes: Changes | None = None) -> MemoryBackend:
    """The user's store, for changes, which are recorded.

    Args:
        root: a folder of the project in which the command runs; the current one when None.
        changes: records it; made for the project when None.
    """
    changes = changes or changes_in(project_of(root).root)
    return FilesBackend(memtui_home(), system_clock, changes.wrote)


def project_path(root: Path | None) -> str:
    """The project as memories name it."""
    return str(project_of(root).root)


def resolved(backend: MemoryBackend, beginning: str, root: Path | None) -> str:
    """The full id for the beginning of one: among this project's memories first, then among all.

    Raises:
        MemoryMissing: none begins so, or several do.
    """
    return recall.resolved(backend, beginning, project_path(root))
