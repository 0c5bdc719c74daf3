"""``memtui core-memory``: the exact calls of seed 000.

::

    echo "$structuredText" | memtui core-memory import
    memtui core-memory import --file /path/to/session-memory.md
    memtui core-memory export --id CMEM-20260102-101500
"""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.memory_changing import report, stored
from memtui.cli.memory_reading import export, json_option, list_
from memtui.cli.options import root_option
from memtui.cli.output import is_terminal


@click.group("core-memory", hidden=True)
def command() -> None:
    """Import and export memories with the calls of the compact command.

    `memtui memory` does the same and more.
    """


@command.command("import", short_help="Store a text under a new Recovery ID.")
@click.option("--file", metavar="F", help="A file, instead of what is piped in.")
@click.option("--description", default="", help="The title in lists, instead of the objective.")
@click.option("--tags", multiple=True, metavar="A,B", help="Tags, separated by commas; may be repeated.")
@json_option
@root_option
def import_(
    file: str | None, description: str, tags: tuple[str, ...], as_json: bool, root: Path | None
) -> None:
    """Store what is piped in, or a file, and print the response.

    The response is {"operation": "import", "id": ..., "message": ...}; on a terminal it is the Recovery ID in
    a box.
    """
    report(stored(None, file, description, tags, root), as_json=as_json or not is_terminal())


command.add_command(export)
command.add_command(list_)
