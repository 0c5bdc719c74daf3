"""``memtui state elsewhere``: the states sent by the user's other machines."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.output import print_document, print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.ground.clock import local_minute
from memtui.ground.files import FileMissing
from memtui.ground.project import memtui_home
from memtui.store.states import StateStore, StoredState, elsewhere, machines_elsewhere


@click.command("elsewhere", short_help="List or print the states of your other machines.")
@click.argument("machine", default="")
@click.option("--session", default="", help="The session with this id, or beginning of one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of the states, with their texts.")
@root_option
def command(machine: str, session: str, as_json: bool, root: Path | None) -> None:
    """List the states that your other machines have of this project, or print the newest of MACHINE.

    `memtui sync` brings them from a remote that was added with --all. They stay apart from those here;
    `memtui state import FILE` makes one of them the next version of a session's state here.
    """
    found = {
        name: [each for each in _newest(name, root) if each.session_id.startswith(session)]
        for name in machines_elsewhere(memtui_home())
        if machine in ("", name)
    }
    if as_json:
        print_json([_fields(name, each) for name, states in found.items() for each in states])
    elif machine:
        if not found.get(machine):
            raise FileMissing(elsewhere(memtui_home()) / machine, "has no such state of this project")
        print_document(found[machine][0].text)
    elif any(found.values()):
        rows = [_row(name, each) for name, states in found.items() for each in states]
        print_table(("Machine", "Session", "Version", "Time", "Goal"), rows, flexible=4)
    else:
        say("No other machine has sent a state of this project: memtui remote add NAME URL --all.")


def _newest(machine: str, root: Path | None) -> list[StoredState]:
    store = StateStore(project_of(root), memtui_home(), machine)
    return [store.load(each.newest) for each in store.sessions()]


def _row(machine: str, stored: StoredState) -> tuple[str, str, str, str, str]:
    goal = stored.state.identity.goal if stored.state else stored.problem
    return machine, stored.session_id[:8], f"v{stored.version}", local_minute(stored.written), goal or "-"


def _fields(machine: str, stored: StoredState) -> dict[str, object]:
    return {
        "machine": machine,
        "session": stored.session_id,
        "version": stored.version,
        "path": str(stored.path),
        "text": stored.text,
    }
