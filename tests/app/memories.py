"""Stored memories: their rows in the app, and their files."""

from __future__ import annotations

from pathlib import Path

from memtui.app.panes.pane import PaneId
from memtui.documents.memory import MemoryMeta, parse_stored
from tests.app.harness import Driver
from tests.app.world import World


def rows(driver: Driver) -> list[str]:
    """Recovery IDs in the Memories pane."""
    return [key.removesuffix(".md") for key in driver.pane(PaneId.MEMORIES).rows]


def path_of(world: World, name: str) -> Path:
    """The file of a memory."""
    return world.home.memories / f"{name[5:9]}-{name[9:11]}" / f"{name}.md"


def meta(world: World, name: str) -> MemoryMeta:
    """The front matter of a memory."""
    return parse_stored(path_of(world, name).read_bytes()).meta
