"""``memtui undo`` and ``redo``."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import changes_in, project_of, root_option
from memtui.cli.output import print_json, say
from memtui.ground.clock import system_clock
from memtui.ground.project import memtui_home
from memtui.store.history import History


def history_in(root: Path) -> History:
    """The recorded changes, for undoing them in this project."""
    return History(memtui_home(), system_clock, changes_in(root))


_CHANGE = click.argument("change", default="", metavar="[ID]")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.command("undo")
@_CHANGE
@_JSON
@root_option
def command(change: str, as_json: bool, root: Path | None) -> None:
    """Undo the last change that you made in this project, or the change with this ID.

    `memtui log` lists the changes. Files that were changed again since are left as they are, and the message
    says by what; `memtui redo` repeats an undone change.
    """
    _revert(change, as_json, root, undone=False)


@click.command("redo")
@_CHANGE
@_JSON
@root_option
def redo(change: str, as_json: bool, root: Path | None) -> None:
    """Redo the last undone change in this project, or the undone change with this ID."""
    _revert(change, as_json, root, undone=True)


def _revert(beginning: str, as_json: bool, root: Path | None, *, undone: bool) -> None:
    name = "redo" if undone else "undo"
    history = history_in(project_of(root).root)
    found = history.find(beginning) if beginning else history.last(undone=undone)
    if found is not None:
        found = history.revert(found.change.id, undone=undone)
    if as_json:
        print_json(
            {
                "operation": name,
                "id": found.change.id if found else "",
                "what": found.change.what if found else "",
                "files": [file.path for file in found.change.files] if found else [],
            }
        )
    else:
        done = "Redone" if undone else "Undone"
        before = "; `memtui log` lists what was undone before" if undone and history.has_undone() else ""
        say(f"{done}: {found.change.what}." if found else f"Nothing to {name} in this project{before}.")
