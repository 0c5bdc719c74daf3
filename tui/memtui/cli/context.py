"""``memtui context``: prints the text that the PreCompact hook gives to the summariser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from memtui.cli.output import print_json, say
from memtui.cli.project import project_of, root_option
from memtui.ground.project import memtui_home
from memtui.hooks.context import context_block

if TYPE_CHECKING:
    from memtui.hooks.context import Profile


@click.command("context")
@click.option(
    "--profile",
    type=click.Choice(["agileflow", "plain"]),
    help="The naming to use; by default, AgileFlow's if the project has its folders.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: project, text.")
@root_option
def command(profile: str | None, as_json: bool, root: Path | None) -> None:
    """Print what a compaction has to keep of this project, as the PreCompact hook does.

    That is the project's status, the pins, the rules of its active commands (the compact summaries in their
    files), the key files and conventions, and what to do after the compaction; below 40,000 characters.
    """
    project = project_of(root)
    text = context_block(project, memtui_home(), cast("Profile | None", profile))
    if as_json:
        print_json({"project": str(project.root), "text": text})
    else:
        say(text.removesuffix("\n"))
