"""``memtui share``: choose a memory that goes to others."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.complete_id import complete_id
from memtui.cli.memory_store import opened_to_change, resolved
from memtui.cli.output import is_terminal, say
from memtui.cli.project import root_option
from memtui.clock import system_clock
from memtui.flows.sharing_out import SecretsFoundError
from memtui.flows.syncing import opened
from memtui.project import memtui_home


@click.command("share")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@click.option(
    "--to", "name", default="", metavar="NAME", help="The remote; not needed where there is only one."
)
@click.option(
    "--allow",
    "allowed",
    multiple=True,
    type=click.IntRange(1),
    metavar="LINE",
    help="Let this line pass although it looks like a secret; at a terminal only.",
)
@root_option
def command(memory_id: str, name: str, allowed: tuple[int, ...], root: Path | None) -> None:
    """Choose a memory that goes to others with the next `memtui sync`.

    Paths below the project's root go as /project/NAME. A memory that holds a secret stays here, and so does
    one of a private project ([archive] private in config.toml).
    """
    if allowed and not is_terminal():
        raise click.UsageError("--allow is for a person at a terminal: look at the line first.")
    whole = resolved(opened_to_change(root), memory_id, root)
    sharing = opened(memtui_home(), system_clock, name)
    try:
        sharing.share(whole, allowed)
    except SecretsFoundError as found:
        hint = "Take them out; or, after a look, --allow LINE lets a line pass."
        raise click.ClickException(f"{found}. {hint}") from found
    say(f"{whole} goes to {sharing.name} with the next memtui sync.")
