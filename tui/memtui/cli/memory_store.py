"""The stored memories for commands: the store, and ids by their beginning, also while they are typed."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, memtui_home
from memtui.store.memories import MemoryStore


def opened() -> MemoryStore:
    return MemoryStore(memtui_home(), system_clock)


def full_id(backend: MemoryStore, beginning: str, places: Places) -> str:
    """The full id for the beginning of one: among this project's memories first, then among all."""
    return backend.find(beginning, project=str(places.project.root))


def complete_id(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
    """The ids that begin or end with the typed text, newest first, with their titles; none on errors."""
    wanted = typed.upper()
    try:
        items = opened().list(limit=500).items
    except (FileProblem, OSError):
        return []
    return [
        CompletionItem(listed.id, help=clean_line(listed.title))
        for listed in items
        if listed.id.startswith((wanted, f"CMEM-{wanted}")) or listed.id.endswith(wanted)
    ]
