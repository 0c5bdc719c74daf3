"""Graph of memories and entities, rendered as Graphviz DOT or Mermaid.

Labels are untrusted. Nodes have generated names, and labels are escaped so that no text in them can end their
quotes, start a directive or be read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memtui.documents.entities import DECISION, FILE, PACKAGE, PROJECT, SESSION, Entity, Key, counted
from memtui.ground.clean import clean_line
from memtui.transcript.short_text import shortened

MEMORY = "memory"

_WIDTH = 80
"""Characters of a label in a drawing."""
_PARTS = 3
"""Maximum parts of a file's path in a drawing, counted from its end."""
_DOT_SHAPES = {
    MEMORY: "box",
    FILE: "note",
    DECISION: "diamond",
    PACKAGE: "component",
    SESSION: "oval",
    PROJECT: "folder",
}
_MERMAID_SHAPES = {
    MEMORY: ("[", "]"),
    FILE: ("(", ")"),
    DECISION: ("{{", "}}"),
    PACKAGE: ("[[", "]]"),
    SESSION: ("([", "])"),
    PROJECT: ("[(", ")]"),
}
# A number and a dot, or a dash, at the start would be a Markdown list.
_MERMAID_UNSAFE = re.compile(r"[^\w ,/._:()+-]|^\W|(?<=\d)\.(?=\s)", re.ASCII)


class Node(NamedTuple):
    """A memory or an entity."""

    id: str
    """Unique within the graph: ``m1`` for memories, ``e1`` for entities."""
    kind: str
    """``memory``, ``file``, ``decision``, ``package``, ``session`` or ``project``."""
    name: str
    """The Recovery ID, or the entity as the newest memory writes it."""
    title: str = ""
    """Of a memory."""
    memories: int = 0
    """Number of the graph's memories that name an entity; 0 for a memory."""


class Edge(NamedTuple):
    """A memory names an entity."""

    memory: str
    """A node's id."""
    entity: str
    """A node's id."""


class Graph(NamedTuple):
    """Memories and their entities."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def graph_of(memories: Iterable[tuple[str, str, Sequence[Entity]]], *, least: int = 1) -> Graph:
    """The graph of some memories.

    Args:
        memories: id, title and entities of each, newest first.
        least: the minimum number of memories that an entity must be named by.
    """
    given = list(memories)
    named_by = counted(named for _, _, named in given)
    nodes: list[Node] = []
    edges: list[Edge] = []
    known: dict[Key, Node] = {}
    for number, (memory_id, title, named) in enumerate(given, 1):
        memory = Node(f"m{number}", MEMORY, memory_id, title)
        nodes.append(memory)
        for entity in named:
            count = named_by[entity.key]
            if count < least:
                continue
            node = known.get(entity.key)
            if node is None:
                node = Node(f"e{len(known) + 1}", entity.kind, entity.name, memories=count)
                known[entity.key] = node
            edges.append(Edge(memory.id, node.id))
    return Graph((*nodes, *known.values()), tuple(edges))


def dot(graph: Graph) -> str:
    """The graph in Graphviz's DOT language."""
    lines = ["graph memories {", "  layout=sfdp; overlap=false; splines=true;", "  node [fontsize=10];"]
    lines += [
        f'  {node.id} [shape={_DOT_SHAPES[node.kind]}, label="{_dot_text(_label(node))}"];'
        for node in graph.nodes
    ]
    lines += [f"  {edge.memory} -- {edge.entity};" for edge in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flowchart, for a fenced block in Markdown."""
    lines = ["flowchart LR"]
    for node in graph.nodes:
        opening, closing = _MERMAID_SHAPES[node.kind]
        lines.append(f'  {node.id}{opening}"{_mermaid_text(_label(node))}"{closing}')
    lines += [f"  {edge.memory} --- {edge.entity}" for edge in graph.edges]
    return "\n".join(lines) + "\n"


def _label(node: Node) -> str:
    """One clean line for a drawing."""
    name, title = clean_line(node.name), clean_line(node.title)
    if node.kind == FILE:
        parts = [part for part in re.split(r"[\\/]", name) if part]
        name = "/".join(parts[-_PARTS:]) if parts else name
    return shortened(f"{name} {title}" if title and title != name else name, _WIDTH)


def _dot_text(text: str) -> str:
    # Graphviz interprets \N and the like, and HTML entities, in quotes, too.
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _mermaid_text(text: str) -> str:
    """A text with every character that Mermaid may interpret as a numeric entity: ``#34;`` for a quote."""
    return _MERMAID_UNSAFE.sub(lambda found: f"#{ord(found[0])};" if found[0].isascii() else found[0], text)
