"""``memtui restore``: hands an earlier session's knowledge to a new one."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.complete_id import complete_id
from memtui.cli.memory_store import take_in_here
from memtui.cli.output import is_terminal, print_json, say
from memtui.cli.project import project_of, root_option
from memtui.flows.restore import Restored, restore_memory, restore_session
from memtui.ground.clipboard import copy, osc52
from memtui.ground.clock import system_clock
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.secrets.secrets import holds_secrets


@click.command("restore")
@click.option(
    "--id", "memory_id", metavar="CMEM-...", default="", shell_complete=complete_id,
    help="The memory with this Recovery ID.",
)  # fmt: skip
@click.option("--session", default="", help="The session with this id, or beginning of one.")
@click.option("--full", is_flag=True, help="Leave nothing out, regardless of length.")
@click.option("--print", "printed", is_flag=True, help="Print it even on a terminal, instead of copying it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: name, text.")
@root_option
def command(
    memory_id: str, session: str, full: bool, printed: bool, as_json: bool, root: Path | None
) -> None:
    """Hand an earlier session's knowledge over to a new one.

    Makes the text that a new session gets after /clear: quoted notes of less than 9,000 characters on where
    the project's newest session stands, or on another session (--session), or from a stored memory (--id). On
    a terminal it is copied, ready to be pasted into Claude Code; anywhere else it is printed.
    """
    if memory_id and session:
        raise click.UsageError("--id and --session are two different things; name one.")
    places = Places(project_of(root), memtui_home(), claude_config())
    if memory_id:
        take_in_here(root)
        restored = restore_memory(places, system_clock, memory_id, full=full)
    else:
        restored = restore_session(places, system_clock, session=session, full=full)
    if not restored.text:
        raise click.ClickException(f"there is nothing in {restored.name}.")
    if restored.secrets:
        say(f"{holds_secrets(restored.secrets)}; masked.", err=True)
    if as_json:
        print_json({"name": restored.name, "text": restored.text})
    elif printed or not is_terminal():
        say(restored.text)
    else:
        _copy(restored)


def _copy(restored: Restored) -> None:
    copied = copy(restored.text, lambda text: click.echo(osc52(text), nl=False), name=restored.name)
    if not copied.sure:  # a terminal may truncate a text of this length without notice
        say(restored.text)
    say(f"{copied.message}.", err=True)
