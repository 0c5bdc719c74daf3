"""``memtui memory``: the stored memories."""

from __future__ import annotations

import click

from memtui.cli import memory_ccw as ccw
from memtui.cli import memory_changing as changing
from memtui.cli import memory_graph as graph
from memtui.cli import memory_reading as reading


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


for _command in (
    changing.import_,
    reading.export,
    reading.list_,
    reading.search,
    reading.show,
    graph.related,
    changing.tag,
    *changing.marks,
    changing.supersede,
    changing.delete,
    changing.undelete,
    reading.trash,
    ccw.import_ccw,
    graph.graph,
):
    command.add_command(_command)
