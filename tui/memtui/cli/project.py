"""The project of a command, and whether it has anything to show."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.ground.project import Home, Project, find_root

root_option = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of the project, instead of the current one.",
)
"""The option that names the project."""


def project_of(folder: Path | None) -> Project:
    """The project of a folder; None: the current one.

    Raises:
        click.ClickException: the current folder has been deleted.
    """
    try:
        return Project(find_root(folder or Path()))
    except FileNotFoundError:
        reason = "the current folder no longer exists; go to another one, or name one with --root."
        raise click.ClickException(reason) from None


def is_empty(project: Project, home: Home, claude: Path) -> bool:
    """Whether the app would be empty: no capture, command, memory, session state or transcript.

    A folder that cannot be listed counts as content: the app reports the problem.
    """
    # Imported here: `memtui --help` does not need it.
    from memtui.ground.files import FileProblem
    from memtui.store.captures import CaptureStore
    from memtui.store.memories import MemoryStore
    from memtui.store.states import StateStore
    from memtui.store.transcripts import TranscriptStore

    try:
        return not (
            project.session_state_json.exists()
            or CaptureStore(project).entries()
            or MemoryStore(project, home).entries()
            or TranscriptStore(project, claude).entries()
            or StateStore(project, home).newest()
        )
    except (FileProblem, OSError):
        return False
