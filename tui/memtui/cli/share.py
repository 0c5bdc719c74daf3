"""``memtui share``: marks a memory to be shared."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.memory_store import complete_id, full_id, opened
from memtui.cli.options import project_of, root_option
from memtui.cli.output import is_terminal, say
from memtui.flows.shared_folder_export import share_here
from memtui.flows.sharing_out import SecretsFoundError
from memtui.flows.syncing import open_sharing
from memtui.ground.clock import system_clock
from memtui.ground.git import git_ignores
from memtui.ground.project import memtui_home


@click.command("share")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@click.option("--to", "name", default="", metavar="NAME", help="The remote; not needed if there is only one.")
@click.option(
    "--here",
    is_flag=True,
    help="Write it into the project, .memtui/shared/, to be reviewed and committed with the code.",
)
@click.option(
    "--allow",
    "allowed",
    multiple=True,
    type=click.IntRange(1),
    metavar="LINE",
    help="Share this line although it looks like a secret; at a terminal only.",
)
@root_option
def command(memory_id: str, name: str, here: bool, allowed: tuple[int, ...], root: Path | None) -> None:
    """Share a memory with others at the next `memtui sync`, or (--here) with the code.

    Paths below the project's root go as /project/NAME. A memory that holds a secret stays here, and so does
    one of a private project ([archive] private in config.toml).
    """
    if allowed and not is_terminal():
        raise click.UsageError("--allow is for a person at a terminal: look at the line first.")
    if here and name:
        raise click.UsageError("--here and --to are two different ways; take one.")
    whole = full_id(opened(), memory_id, root)
    try:
        say(_share_here(whole, allowed, root) if here else _share(whole, name, allowed))
    except SecretsFoundError as found:
        hint = "Take them out; or, after a look, --allow LINE lets a line pass."
        raise click.ClickException(f"{found}. {hint}") from found


def _share(memory_id: str, name: str, allowed: tuple[int, ...]) -> str:
    sharing = open_sharing(memtui_home(), system_clock, name)
    if not sharing.share(memory_id, allowed):
        return f"{memory_id} is shared with {sharing.name} already, as it is."
    return f"{memory_id} goes to {sharing.name} with the next memtui sync."


def _share_here(memory_id: str, allowed: tuple[int, ...], root: Path | None) -> str:
    project = project_of(root)
    path = share_here(project, memtui_home(), system_clock, memory_id, allowed)
    shown = path.relative_to(project.root)
    if git_ignores(project.root, path):
        return f"Wrote {shown}, but git ignores it: others will not see it."
    return f"Wrote {shown}: read it, then commit it with the code."
