"""``memtui memory import-ccw``: imports memories from ccw's database."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from memtui.cli.memory_reading import json_option
from memtui.cli.memory_shapes import Brought, Renamed
from memtui.cli.memory_store import opened_to_change, project_path
from memtui.cli.options import changes_in, root_option
from memtui.cli.output import print_groups, print_json, say
from memtui.ground.project import expanded

_DATABASE = "core-memory/core_memory.db"
_NAMED = 3
"""The most databases listed in the message when none belongs to this project."""


@click.command("import-ccw", short_help="Import memories from ccw's database.")
@click.argument("database", required=False, metavar="[DB]", type=click.Path(path_type=Path))
@json_option
@root_option
def import_ccw(database: Path | None, as_json: bool, root: Path | None) -> None:
    """Import memories from ccw's database; they keep their ids, and become this project's.

    DB is a core_memory.db; by default the one that ccw keeps for this project in ~/.ccw/projects (in
    CCW_DATA_DIR where that is set). A memory that is here already stays as it is, so running this twice does
    no harm.
    """
    # Imported here: the other commands need no SQLite.
    from memtui.store.ccw import import_all

    project = project_path(root)
    path = expanded(database) if database else _database_of(project)
    changes = changes_in(Path(project))
    with changes.together(f"imported memories from {path.name}"):
        done = import_all(opened_to_change(root, changes), path, project=project)
    brought = Brought(
        database=str(path),
        imported=done.imported,
        renamed=tuple(Renamed(old, new) for old, new in done.renamed),
        present=done.present,
        clashes=done.clashes,
    )
    if as_json:
        print_json(asdict(brought))
    else:
        _tell(brought)


def _tell(brought: Brought) -> None:
    new = len(brought.imported) + len(brought.renamed)
    say(f"{new} imported, {len(brought.present)} here already, {len(brought.clashes)} left out.")
    groups = (
        ("Under a new id", [f"{each.old} is now {each.new}" for each in brought.renamed]),
        ("Left out", [f"{clash.id}: {clash.reason}" for clash in brought.clashes]),
    )
    print_groups([(title, items) for title, items in groups if items])


def _database_of(project: str) -> Path:
    """The database of ccw for a project, in a folder named after the project's path.

    Raises:
        click.ClickException: there is no such database.
    """
    projects = _ccw_home() / "projects"
    found = sorted(projects.glob(f"**/{_DATABASE}"))
    wanted = _folder_name(project)
    for path in found:
        if _folder_name(str(path.parent.parent.relative_to(projects))) == wanted:
            return path
    if not found:
        raise click.ClickException(f"there is no database of ccw's in {projects}; name one.")
    named = ", ".join(map(str, found[:_NAMED])) + (" ..." if len(found) > _NAMED else "")
    raise click.ClickException(f"none of ccw's databases is this project's; name one of {named}")


def _ccw_home(env: Mapping[str, str] = os.environ) -> Path:
    return expanded(env.get("CCW_DATA_DIR") or Path.home() / ".ccw")


def _folder_name(path: str) -> str:
    """A path as ccw's folder name: ``/home/ann/shop`` is ``home-ann-shop``."""
    path = re.sub(r"^/mnt/([a-z])/", r"\1:/", path.casefold())
    return re.sub(r"[^\w]+", "-", path).strip("-")
