"""``memtui share``: marks a memory to be shared."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.memory_store import complete_id, full_id, opened
from memtui.cli.options import root_option
from memtui.cli.output import is_terminal, say
from memtui.ground.clock import system_clock
from memtui.ground.project import memtui_home
from memtui.share.sync import SecretsFoundError, open_sharing


@click.command("share")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@click.option("--to", "name", default="", metavar="NAME", help="The remote; not needed if there is only one.")
@click.option(
    "--allow",
    "allowed",
    multiple=True,
    type=click.IntRange(1),
    metavar="LINE",
    help="Share this line although it looks like a secret; at a terminal only.",
)
@root_option
def command(memory_id: str, name: str, allowed: tuple[int, ...], root: Path | None) -> None:
    """Share a memory with others at the next `memtui sync`.

    Paths below the project's root go as /project/NAME. A memory that holds a secret stays here, and so does
    one of a private project ([archive] private in config.toml).
    """
    if allowed and not is_terminal():
        raise click.UsageError("--allow is for a person at a terminal: look at the line first.")
    whole = full_id(opened(), memory_id, root)
    sharing = open_sharing(memtui_home(), system_clock, name)
    try:
        new = sharing.share(whole, allowed)
    except SecretsFoundError as found:
        hint = "Take them out; or, after a look, --allow LINE lets a line pass."
        raise click.ClickException(f"{found}. {hint}") from found
    if new:
        say(f"{whole} goes to {sharing.name} with the next memtui sync.")
    else:
        say(f"{whole} is shared with {sharing.name} already, as it is.")
