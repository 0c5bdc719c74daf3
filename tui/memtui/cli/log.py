"""``memtui log``: the changes made by memtui, newest first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from memtui.cli.options import project_of, root_option
from memtui.cli.output import print_json, print_table, say
from memtui.cli.undo import history_in
from memtui.ground.clock import local_minute, parse_iso
from memtui.store.changes import SYNC
from memtui.store.history import Recorded

_SHOWN = 50


@click.command("log")
@click.option("--all", "everywhere", is_flag=True, help="The changes made in all projects.")
@click.option("--limit", type=click.IntRange(0), default=_SHOWN, help="Show at most this many; 0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@root_option
def command(everywhere: bool, limit: int, as_json: bool, root: Path | None) -> None:
    """List what memtui has changed in this project, newest first, and what a sync has brought.

    Each line shows the change's id, when it was made, what it was, by whom, and whether it was undone, or
    cannot be.
    `memtui undo ID` takes one back. The log has room for some thousand changes.
    """
    project = project_of(root)
    found = [
        each
        for each in history_in(project.root).all()
        if everywhere or each.change.project == str(project.root) or each.change.by == SYNC
    ][: limit or None]
    if as_json:
        print_json([_fields(each) for each in found])
    elif found:
        rows = [(each.change.id, _when(each), each.change.what, each.by, _state(each)) for each in found]
        print_table(("Change", "Time", "What", "By", ""), rows, flexible=2)
    else:
        say(f"memtui has changed nothing in {project.name} yet.")


def _state(each: Recorded) -> str:
    return "cannot be undone" if each.change.final else "undone" if each.undone else ""


def _when(each: Recorded) -> str:
    moment = parse_iso(each.change.at)
    return local_minute(moment) if moment else each.change.at


def _fields(each: Recorded) -> dict[str, Any]:
    change = each.change
    return {
        "id": change.id,
        "time": change.at,
        "what": change.what,
        "by": change.by,
        "project": change.project,
        "files": [file.path for file in change.files],
        "undone": each.undone,
        "cannot_be_undone": change.final,
    }
