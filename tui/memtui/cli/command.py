"""``memtui command``: the commands whose rules outlive a compaction; registered, listed, cleared."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any

import click

from memtui.cli.options import common_options
from memtui.cli.output import print_list, print_result
from memtui.ground.clock import local_minute, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.hooks.in_force import CommandStatus, command_statuses
from memtui.store.commands_file import CommandsFile, NoCommandFile, normalised

_PATIENCE = 5.0
"""Longer than in the app: this runs as a command's first step, and the command must not be lost."""


@click.group("command")
def command() -> None:
    """Activate, list or clear commands whose rules outlive a compaction.

    They are listed in docs/09-agents/session-state.json. At a compaction the PreCompact hook passes on what
    each command's file has between the lines <!-- COMPACT_SUMMARY_START --> and <!-- COMPACT_SUMMARY_END -->;
    a new session starts with no active commands.
    """


@command.command("activate", short_help="Register a command as active: its STEP 0.")
@click.argument("name")
@click.option("--state", metavar="JSON", help="An object for the command to remember.")
@common_options
def activate(name: str, state: str | None, as_json: bool, places: Places) -> None:
    """Register a command as active: what the command's STEP 0 calls.

    NAME is the name of its file without .md: babysit, research/ask. Activating it again changes nothing;
    a name without a file is refused.
    """
    commands, remembered = CommandsFile(places.project, _PATIENCE), _object(state)
    try:
        commands.summary(name)
    except NoCommandFile as problem:
        files = [(path, each) for each in commands.folders for path in each.rglob("*.md")]
        there = {path.relative_to(folder).with_suffix("").as_posix() for path, folder in files}
        near = get_close_matches(normalised(name), there, n=1)
        hint = f" Did you mean /{near[0]}?" if near else ""
        raise click.ClickException(f"there is no command /{normalised(name)}: {problem}.{hint}") from problem
    except FileProblem:
        pass  # a note says it
    added = commands.activate(name, system_clock(), remembered)
    statuses = command_statuses(commands, commands.read().commands)
    status = next((each for each in statuses if each.name == normalised(name)), None)
    note = str(status.problem or status.shortage) if status else ""
    done = {"operation": "activate", "name": normalised(name), "added": added, "note": note}
    said = f"/{normalised(name)} is active{'' if added else ' already'}."
    print_result(done, f"{said}\nNote: {note}." if note else said, as_json)


@command.command("list", short_help="List the active commands.")
@common_options
def list_(as_json: bool, places: Places) -> None:
    """List the active commands, and where their compact summaries come from."""
    commands = CommandsFile(places.project)
    statuses = command_statuses(commands, commands.read().commands)
    values = [
        {
            "name": each.entry.name,
            "activated_at": each.entry.activated_at.isoformat() if each.entry.activated_at else "",
            "state": each.entry.state,
            "summary": each.path,
            "note": each.shortage,
            "problem": each.problem.reason if each.problem else "",
        }
        for each in statuses
    ]
    nothing = f"No command is active in {commands.project.name}."
    rows = [_row(each) for each in statuses]
    print_list(values, ("Command", "Since", "Summary"), rows, nothing, as_json, flexible=2)


def _row(status: CommandStatus) -> tuple[str, str, str]:
    at, shortage = status.entry.activated_at, f" ({status.shortage})" if status.shortage else ""
    rules = status.problem.reason if status.problem else status.path + shortage
    return status.entry.name, local_minute(at) if at else "-", rules


@command.command("clear", short_help="Deactivate one command, or all.")
@click.argument("name", required=False)
@common_options
def clear(name: str | None, as_json: bool, places: Places) -> None:
    """Deactivate one command, or all; the rest of the file stays as it is."""
    commands = CommandsFile(places.project, _PATIENCE)
    nothing = name is None and not commands.read().commands
    names = None if name is None else frozenset((name, normalised(name)))
    gone = () if nothing else commands.remove(names)
    cleared = ", ".join("/" + entry.name.removeprefix("/") for entry in gone)
    said = f"No command is active in {commands.project.name}." if nothing else f"Cleared {cleared}."
    print_result({"operation": "clear", "cleared": [entry.name for entry in gone]}, said, as_json)


def _object(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text) if text is not None else {}
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"this is not JSON: {error}", param_hint="--state") from error
    if not isinstance(value, dict):
        raise click.BadParameter('an object is wanted, such as {"step": 1}', param_hint="--state")
    return value
