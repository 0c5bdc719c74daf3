"""A project with memories in its own folder, and machines that open it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memtui.flows.shared_folder_import import import_shared_folder
from memtui.formats.shared_record import SharedRecord, render_record
from memtui.ground.project import Home, Project
from memtui.store.base import Filter, New
from memtui.store.memory_files import FilesBackend
from tests.store.memories import home_in

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
THEIRS = "CMEM-20260102-000000@laptop-1a2b"


def clock() -> datetime:
    return NOW


def machine(tmp_path: Path, name: str) -> Home:
    """memtui's folders of a machine of this name."""
    home = home_in(tmp_path / name)
    home.data.mkdir(parents=True)
    (home.data / "machine").write_text(f"{name}\n")
    return home


def project_in(tmp_path: Path, name: str = "shop") -> Project:
    """An empty project."""
    root = tmp_path / name
    root.mkdir()
    return Project(root)


def put(project: Project, made: SharedRecord, name: str = "") -> Path:
    """Write a record into the project's own folder."""
    path = project.shared / (name or f"{made.memory}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(render_record(made))
    return path


def texts(home: Home) -> dict[str, bytes]:
    """The texts of all memories."""
    store = FilesBackend(home, clock)
    listed = store.list(Filter()).items
    return {each.meta.id: store.get(each.meta.id).body for each in listed}


def new(home: Home, project: Project, body: bytes, **values: object) -> str:
    """Make a memory of one's own."""
    made = New(body, project=str(project.root), **values)  # type: ignore[arg-type]
    return FilesBackend(home, clock).create(made).id


def notes(project: Project, home: Home) -> list[str]:
    """New notes of taking in the project's memories."""
    return list(import_shared_folder(project, home, clock).new)
