"""The JSON of ``memtui memory`` and ``memtui core-memory``: every key and its meaning."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.ground.files import FileProblem, read_within
from memtui.store.stored_files import MOST

if TYPE_CHECKING:
    from memtui.flows.freshness import Freshness
    from memtui.formats.stored_memory import MemoryMeta
    from memtui.store.base import Listed


@dataclass(frozen=True, slots=True)
class Files:
    """The changes since a memory was stored of the files it names."""

    named: int
    """Number of named files within the project."""
    changed: tuple[str, ...]
    """Those written since, relative to the project's root."""
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory in ``list``, ``trash`` and ``search``. Missing values of a broken one are empty."""

    id: str
    """The Recovery ID: ``CMEM-YYYYMMDD-HHMMSS``."""
    path: str
    title: str
    """The description, else the objective's first line, else the id."""
    project: str
    """Path of the project's root."""
    created: str
    """ISO 8601 with its offset, as is `updated`."""
    updated: str
    description: str
    tags: tuple[str, ...]
    session_id: str
    """Claude Code's session."""
    source: str
    """The program or command that created it: ``import``, ``compact``, ``review``, ``mcp``, ``ccw``."""
    author: str
    """The person who shared it, and the remote it came from; "" for one's own."""
    problem: str
    """Why it cannot be used; "" if it can."""
    secrets: tuple[str, ...]
    """Kinds of secrets in its file, each once: ``github token``. Stored texts are never masked."""
    files: Files | None = None
    """Only in ``list`` and ``show``."""


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """The output of ``list``: newest first."""

    total: int
    """The number of all that pass the filters, regardless of the limit."""
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory found by a search."""

    memory: Memory
    snippet: str
    """One line of the text around the first match."""
    marks: tuple[tuple[int, int], ...]
    """The matches in `snippet`, as character offsets (start, end)."""
    score: float
    """Higher is better; comparable only within one search."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """The output of ``search``, best first."""

    total: int
    """Number of matches, regardless of the limit; from 500 on it may be an estimate."""
    complete: bool
    """False if memories were left out because the search index is not complete yet."""
    hits: tuple[FoundMemory, ...]


@dataclass(frozen=True, slots=True)
class CheckedPoint:
    """A point of the quality checklist (seed 000, section 6)."""

    name: str
    verdict: str
    """``pass``, ``warn`` or ``fail``."""
    message: str
    line: int | None
    """The line of the text, from 1."""


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """The output of ``show``."""

    memory: Memory
    text: str
    """Invalid UTF-8 is replaced by U+FFFD here; ``export`` prints the original bytes."""
    size: int
    """Bytes of the text."""
    checklist: tuple[CheckedPoint, ...]
    """Empty if the text is not a recovery text."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an operation on one memory: seed 000's response format."""

    operation: str
    """``import``, ``tag``, ``delete``, ``undelete``"""
    id: str
    message: str


@dataclass(frozen=True, slots=True)
class Exported:
    """The output of ``export``: the keys of the MCP server's answer."""

    operation: str
    """``export``."""
    id: str
    content: str
    """The text."""
    exact: bool
    """False for invalid UTF-8, which JSON cannot carry; without ``--json`` the bytes are printed."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node of ``graph``: a memory or a named entity."""

    id: str
    """Within this graph."""
    kind: str
    """``memory``, ``file``, ``decision``, ``package``, ``session`` or ``project``."""
    name: str
    """The Recovery ID, or the entity as the newest memory writes it."""
    title: str
    """Of a memory."""
    memories: int
    """Number of memories in the graph that name the entity; 0 for a memory."""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """A memory names an entity; both are nodes' ids."""

    memory: str
    entity: str


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """The output of ``graph --format json``."""

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]


def memory_of(
    meta: MemoryMeta,
    *,
    title: str,
    path: str,
    problem: str = "",
    secrets: tuple[str, ...] = (),
    state: Freshness | None = None,
) -> Memory:
    """A memory in its JSON form."""
    return Memory(
        id=meta.id,
        path=path,
        title=title,
        project=meta.project,
        created=meta.created.isoformat(),
        updated=meta.updated.isoformat(),
        description=meta.description,
        tags=tuple(meta.tags),
        session_id=meta.session_id,
        source=meta.source,
        author=meta.author,
        problem=problem,
        secrets=secrets,
        files=files_of(state) if state is not None else None,
    )


def files_of(state: Freshness) -> Files:
    """A memory's files in their JSON form."""
    return Files(*state)


def listed_memory(listed: Listed, state: Freshness | None = None) -> Memory:
    """A listed memory in its JSON form, with its files if `state` is given."""
    secrets = kinds_of_secrets(listed.path)
    path = str(listed.path)
    return memory_of(
        listed.meta, title=listed.title, path=path, problem=listed.problem, secrets=secrets, state=state
    )


def kinds_of_secrets(path: Path) -> tuple[str, ...]:
    """Kinds of secrets in a memory's file; none if it cannot be read."""
    from memtui.secrets.secrets import find  # slow to import, and only lists need it

    try:
        data = read_within(path, path.parent, limit=MOST, follow=False)
    except FileProblem:
        return ()
    return tuple(dict.fromkeys(hit.kind for hit in find(data.decode("utf-8", "replace"))))
