"""Which project a command is about, and whether there is anything to show in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from memtui.project import Home, Project, find_root, transcript_slug

root_option = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of the project, instead of the current one.",
)
"""The option that names the project."""


def project_of(folder: Path | None) -> Project:
    """The project of a folder, of the current one when None."""
    return Project(find_root(folder or Path()))


def is_empty(project: Project, home: Home, claude: Path) -> bool:
    """Whether the app would have nothing to show: no capture, command, memory or transcript."""
    return next(_things(project, home, claude), None) is None


def _things(project: Project, home: Home, claude: Path) -> Iterator[Path]:
    # A folder that may not be read is as good as empty here; the app says why it shows nothing.
    with suppress(OSError):
        yield from project.compacts.glob("*.md")
    with suppress(OSError):
        yield from project.session_state_json.parent.glob(project.session_state_json.name)
    with suppress(OSError):
        yield from home.memories.glob("*/CMEM-*.md")
    with suppress(OSError):
        yield from (claude / "projects" / transcript_slug(project.root)).glob("*.jsonl")
