"""``memtui memory``: the stored memories."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli import memory_changing as changing
from memtui.cli import memory_reading as reading
from memtui.cli.compact import check_text
from memtui.cli.complete_id import complete_id
from memtui.cli.memory_store import full_id, opened_here
from memtui.cli.options import json_option, places_of, root_option


class _InOrder(click.Group):
    """Commands in the order in which they were added, the most used first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """See `click.Group.list_commands`."""
        return list(self.commands)


@click.group("memory", cls=_InOrder)
def command() -> None:
    """Store, find and get back memories: recovery texts under IDs.

    A memory belongs to the project in which it was made; lists and searches show those of this project and of
    folders below it unless --all is given. An ID may be given by its beginning, with or without CMEM-.
    """


@click.command("check", short_help="Check a memory's text: the points of `memtui compact --check`.")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@click.option("--cited", is_flag=True, help="Check the lines of the session's transcript it cites, too.")
@click.option("--session", metavar="ID", default="", help="The session that it cites; implies --cited.")
@json_option
@root_option
def check(memory_id: str, cited: bool, session: str, as_json: bool, root: Path | None) -> None:
    """Check a memory's text: thirteen points, each pass, warn or fail; the exit code is 1 when one fails."""
    backend = opened_here(root)
    memory_id = full_id(backend, memory_id, root)
    text = backend.get(memory_id).body.decode("utf-8", "replace")
    cites = session if cited or session else None
    check_text(memory_id, text, places_of(root), cites, as_json=as_json)


for _command in (
    changing.import_,
    reading.export,
    reading.list_,
    reading.search,
    reading.show,
    changing.tag,
    check,
    changing.delete,
    changing.undelete,
):
    command.add_command(_command)
