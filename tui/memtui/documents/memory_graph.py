"""The entities that recovery texts name, and the graph of memories that they make.

Labels are untrusted: nodes have generated names, and labels are escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from memtui.documents.memory import MemoryMeta
from memtui.documents.recovery import Recovery, is_unknown
from memtui.ground.clean import clean_line
from memtui.ground.text import without_backticks
from memtui.transcript.paths import absolute, is_absolute
from memtui.transcript.short_text import one_line, shortened

FILE, DECISION, PACKAGE, SESSION, PROJECT = "file", "decision", "package", "session", "project"

Key = tuple[str, str]  # kind and normalized name; equal for two spellings of one entity

_NAME_WIDTH = 120  # characters of a decision's name

_PLACE = re.compile(r"(?::\d+(?:[:-]\d+)*|#L\d+(?:-L?\d+)?)$")
_WSL = re.compile(r"^/mnt/([a-z])/")
_NAMED_FILE = re.compile(
    r"(?<![\w:/\\.~@-])(?:[A-Za-z]:[\\/]|/)(?:[\w.@+~-]+[\\/]){1,64}[\w.@+~-]{0,200}\.[A-Za-z]\w{0,7}(?![\w/\\])"
)
_DECISION_END = re.compile(r"(?<=.)(?::\s|：|\s[-–—]\s|(?<=[.!?])\s+(?=[^\Wa-z])|\n)")
_TICKED = re.compile(r"`([^`\n]+)`")
_BEFORE_PACKAGES = re.compile(r"^(?:(?:tried to )?(?:added?|removed?) |[\w ]{1,40}: )")
_PACKAGE = r"(@?[A-Za-z][\w.-]*(?:/[\w.-]+)?)(?:\[[\w,-]+\])?(?:(?:\s*[=<>~^!@]+\s*|\s+)v?\d[\w.*-]*)*"
_LETTERS = re.compile(r"\W+")


class Entity(NamedTuple):
    """A file, decision, package, session or project named by a memory."""

    kind: str
    """``file``, ``decision``, ``package``, ``session`` or ``project``."""
    name: str
    """For display: a file's path is absolute if its memory gives the root."""

    @property
    def key(self) -> Key:
        return (self.kind, _NORMAL[self.kind](self.name))


def entities(recovery: Recovery, said: MemoryMeta | None = None) -> tuple[Entity, ...]:
    """Entities of a memory, each once: files, decisions, packages, sessions, the project.

    Files are those it lists, the modified ones first, then those named elsewhere by an absolute path.
    A relative path is taken from the project's root. `said` is the metadata of a stored one.
    """
    root = without_backticks(one_line(recovery.project_root.strip() or (said.project if said else "")))
    listed = [file.path for file in (*recovery.working_files, *recovery.reference_files)]
    lists = (recovery.changes, recovery.pending, recovery.known_issues, recovery.decisions)
    texts = [recovery.objective, recovery.plan.content, recovery.last_action, *chain(*lists), recovery.notes]
    listed += [match[0] for text in texts for match in _NAMED_FILE.finditer(text)]
    bare = (_PLACE.sub("", without_backticks(one_line(path))) for path in listed if not is_unknown(path))
    decided = (  # without the reasons
        shortened(one_line(_DECISION_END.split(text.strip(), maxsplit=1)[0]), _NAME_WIDTH)
        for text in recovery.decisions
        if not is_unknown(text)
    )
    made = [
        *(Entity(FILE, absolute(path, root)) for path in bare),
        *(Entity(DECISION, text) for text in decided),
        *(Entity(PACKAGE, name) for text in recovery.dependencies for name in packages(text)),
        Entity(SESSION, one_line(recovery.session_id)),
        Entity(SESSION, said.session_id if said else ""),
        Entity(PROJECT, root),
    ]
    found: dict[Key, Entity] = {}
    for entity in made:
        if entity.name:
            found.setdefault(entity.key, entity)
    return tuple(found.values())


def packages(dependency: str) -> list[str]:
    """The packages in an item of Dependencies: ``added zod, ioredis (npm install)``, ``zod 3``.

    A sentence names packages only in back-ticks.
    """
    text = one_line(dependency)
    bare = _BEFORE_PACKAGES.sub("", text, count=1)
    parts = _TICKED.findall(text) or re.split(r" [(（–—-]|[(（:：→]", bare, maxsplit=1)[0].split(",")
    found = [re.fullmatch(_PACKAGE, part.strip()) for part in parts]
    names = [
        match[1].rstrip(".-") for match in found if match and match[1].casefold() not in ("none", "nothing")
    ]
    return names if all(found) and not is_absolute(text) else []


def path_key(path: str) -> str:
    """A normal form of a path: of case, slashes, and drives as WSL mounts them."""
    return _WSL.sub(r"\1:/", path.replace("\\", "/").casefold())


def _words(text: str) -> str:
    return _LETTERS.sub(" ", text.casefold()).strip()


_NORMAL: dict[str, Callable[[str], str]] = {
    FILE: path_key,
    DECISION: _words,
    # As package indexes do: `python-dateutil`, `python_dateutil` and `Python.Dateutil` are one.
    PACKAGE: lambda name: re.sub(r"[-_.]+", "-", name.casefold()),
    SESSION: _words,
    PROJECT: path_key,
}


MEMORY = "memory"

_WIDTH = 80  # characters of a label in a drawing
_PARTS = 3  # maximum parts of a file's path in a drawing, counted from its end
_SHAPES = {
    MEMORY: ("[", "]"),
    FILE: ("(", ")"),
    DECISION: ("{{", "}}"),
    PACKAGE: ("[[", "]]"),
    SESSION: ("([", "])"),
    PROJECT: ("[(", ")]"),
}
# A number and a dot, or a dash, at the start would be a Markdown list.
_UNSAFE = re.compile(r"[^\w ,/._:()+-]|^\W|(?<=\d)\.(?=\s)", re.ASCII)


class Node(NamedTuple):
    """A memory or an entity."""

    id: str
    """Unique within the graph: ``m1`` for memories, ``e1`` for entities."""
    kind: str
    """``memory``, ``file``, ``decision``, ``package``, ``session`` or ``project``."""
    name: str
    """The Recovery ID, or the entity as the newest memory writes it."""
    title: str = ""
    memories: int = 0
    """Number of the graph's memories that name an entity; 0 for a memory."""


class Edge(NamedTuple):
    """A memory names an entity; both are ids of nodes."""

    memory: str
    entity: str


class Graph(NamedTuple):
    """Memories and their entities."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def graph_of(memories: Iterable[tuple[str, str, Sequence[Entity]]], *, least: int = 1) -> Graph:
    """The graph of memories, newest first, with the entities that at least `least` of them name."""
    given = list(memories)
    named_by = Counter(entity.key for _, _, named in given for entity in named)
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


def mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flowchart, for a fenced block in Markdown."""
    lines = ["flowchart LR"]
    for node in graph.nodes:
        opening, closing = _SHAPES[node.kind]
        lines.append(f'  {node.id}{opening}"{_label(node)}"{closing}')
    lines += [f"  {edge.memory} --- {edge.entity}" for edge in graph.edges]
    return "\n".join(lines) + "\n"


def _label(node: Node) -> str:
    """One clean line, with every character that Mermaid may interpret as a numeric entity: ``#34;``."""
    name, title = clean_line(node.name), clean_line(node.title)
    if node.kind == FILE:
        parts = [part for part in re.split(r"[\\/]", name) if part]
        name = "/".join(parts[-_PARTS:]) if parts else name
    text = shortened(f"{name} {title}" if title and title != name else name, _WIDTH)
    return _UNSAFE.sub(lambda found: f"#{ord(found[0])};" if found[0].isascii() else found[0], text)
