"""``memtui context``: what the PreCompact hook hands to the summariser, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from memtui.cli.output import say
from memtui.cli.project import project_of, root_option
from memtui.hooks.context import context_block

if TYPE_CHECKING:
    from memtui.hooks.context import Profile


@click.command("context")
@click.option(
    "--profile",
    type=click.Choice(["agileflow", "plain"]),
    help="Whose names to use; without it, memtui looks for AgileFlow's folders.",
)
@root_option
def command(profile: str | None, root: Path | None) -> None:
    """Print what a compaction has to keep of this project, as the PreCompact hook does.

    That is the project's status, the rules of its active commands (the compact summaries in their files), the
    key files and conventions, and what to do after the compaction; below 9,000 characters.
    """
    say(context_block(project_of(root), cast("Profile | None", profile)).removesuffix("\n"))
