"""``memtui memory related`` and ``graph``: files, decisions and packages that memories share."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.complete_id import complete_id
from memtui.cli.memory_reading import all_option, json_option
from memtui.cli.memory_shapes import (
    DrawnEdge,
    DrawnGraph,
    DrawnNode,
    RelatedMemory,
    SharedEntity,
    listed_memory,
)
from memtui.cli.memory_store import full_id, opened_here, project_path
from memtui.cli.options import root_option
from memtui.cli.output import print_json, print_table, say
from memtui.store.base import Filter

if TYPE_CHECKING:
    from memtui.flows.relations import Related

_NEAREST = 10
_DRAWN = 2
"""Default for the minimum number of memories that name a drawn entity."""


@click.command("related", short_help="List the memories that name the same files, decisions or packages.")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@click.option(
    "--limit", type=click.IntRange(1), default=_NEAREST, show_default=True, help="Show at most this many."
)
@json_option
@root_option
def related(memory_id: str, limit: int, as_json: bool, root: Path | None) -> None:
    """List the memories that name the same files, decisions, packages or sessions, the nearest first.

    Names that few memories share count more than common ones.
    """
    # Imported here: lists do not need it.
    from memtui.flows.relations import related_memories

    backend = opened_here(root)
    memory_id = full_id(backend, memory_id, root)
    found = related_memories(backend, memory_id, limit=limit)
    if as_json:
        print_json([asdict(_shape(relation)) for relation in found])
    elif found:
        rows = [
            (each.listed.meta.id, each.listed.title, ", ".join(entity.name for entity in each.shared))
            for each in found
        ]
        print_table(("ID", "Title", "Shared"), rows, flexible=2)
    else:
        say(f"No other memory names what {memory_id} names.")


def _shape(relation: Related) -> RelatedMemory:
    shared = tuple(SharedEntity(entity.kind, entity.name) for entity in relation.shared)
    return RelatedMemory(listed_memory(relation.listed), shared, relation.score)


@click.command("graph", short_help="Print the graph of memories and what they name.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "dot", "mermaid"]),
    default="json",
    show_default=True,
    help="JSON for programs, DOT for Graphviz, Mermaid for Markdown.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@all_option
@click.option(
    "--least",
    type=click.IntRange(1),
    metavar="N",
    help=f"Leave out names in fewer than N memories; the default is 1 for json, {_DRAWN} for drawings.",
)
@root_option
def graph(form: str, as_json: bool, everywhere: bool, least: int | None, root: Path | None) -> None:
    """Print the graph of memories and the files, decisions, packages, sessions and projects they name.

    To draw it: memtui memory graph --format dot | dot -Tsvg > memories.svg
    """
    # Imported here: lists do not need it.
    from memtui.flows.relations import memory_graph
    from memtui.relations.graph import dot, mermaid

    where = Filter(project="" if everywhere else project_path(root))
    if as_json or form == "json":
        made = memory_graph(opened_here(root), where, least=least or 1)
        nodes = (DrawnNode(*node) for node in made.nodes)
        print_json(asdict(DrawnGraph(tuple(nodes), tuple(DrawnEdge(*edge) for edge in made.edges))))
    else:
        made = memory_graph(opened_here(root), where, least=least or _DRAWN)
        say((dot if form == "dot" else mermaid)(made).removesuffix("\n"))
