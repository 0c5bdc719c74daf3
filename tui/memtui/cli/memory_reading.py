"""The commands of ``memtui memory`` that change nothing: list, search, show, export."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.complete_id import complete_id
from memtui.cli.memory_shapes import (
    CheckedPoint,
    DrawnEdge,
    DrawnGraph,
    DrawnNode,
    Exported,
    FoundMemory,
    FoundPage,
    Memory,
    MemoryPage,
    ShownMemory,
    kinds_of_secrets,
    listed_memory,
    memory_of,
)
from memtui.cli.memory_store import full_id, opened, opened_here, project_path
from memtui.cli.options import project_of, root_option
from memtui.cli.output import (
    is_terminal,
    print_bytes,
    print_document,
    print_groups,
    print_json,
    print_marked,
    print_table,
    say,
)
from memtui.flows.freshness import Freshness, freshness
from memtui.ground.clock import local_minute
from memtui.ground.files import FileProblem, create_exclusive
from memtui.ground.project import expanded, memtui_home
from memtui.store.base import NOT_ALL_SEARCHED, Filter, Found, Listed, MemoryBackend, Page
from memtui.store.stored_files import file_name, month_of, objective

if TYPE_CHECKING:
    from memtui.formats.stored_memory import StoredMemory

_SCREEN = 50
"""Default length of a list: a screen or two, quick for any store."""
_HITS = 20
_DRAWN = 2
"""Minimum number of memories that name a drawn entity."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
all_option = click.option(
    "--all", "everywhere", is_flag=True, help="Memories of all projects, not only this one."
)
offset_option = click.option(
    "--offset", type=click.IntRange(0), default=0, help="Leave out this many at the beginning."
)


@click.command("list", short_help="List memories, newest first.")
@all_option
@click.option(
    "--stale", is_flag=True, help="Only memories that name files which have changed since, or are deleted."
)
@click.option("--trash", is_flag=True, help="The deleted memories of all projects, kept for 30 days.")
@click.option(
    "--graph",
    "drawn",
    type=click.Choice(["json", "dot", "mermaid"]),
    metavar="FORMAT",
    help="Print the graph of memories and what they name instead: json, dot (Graphviz) or mermaid.",
)
@click.option("--tag", "tags", multiple=True, metavar="T", help="Only those with this tag; may be repeated.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=_SCREEN,
    show_default=True,
    help="Show at most this many; 0 for all.",
)
@offset_option
@json_option
@root_option
def list_(
    everywhere: bool,
    stale: bool,
    trash: bool,
    drawn: str | None,
    tags: tuple[str, ...],
    limit: int,
    offset: int,
    as_json: bool,
    root: Path | None,
) -> None:
    """List this project's memories, newest first.

    Each line shows id, local time, state (stale: it names files that have changed since or are gone;
    broken; holds a secret), title, tags and project; when the output is not a terminal, tabs separate them.
    Standard error says how many --limit leaves out.
    """
    if trash:
        print_page(opened().deleted(), as_json=as_json, nothing="The trash is empty.")
        return
    where = Filter(project="" if everywhere else project_path(root), tags=tags)
    backend = opened_here(root)
    if drawn:
        _print_graph(backend, where, drawn)
        return
    states = States(backend, project_of(root).root)
    if stale:
        found = [each for each in backend.list(where).items if states.of(each).is_stale]
        page = Page(tuple(found[offset : offset + limit if limit else None]), len(found))
    else:
        page = backend.list(where, limit=limit or None, offset=offset)
    nothing = "No memory names a file that has changed since." if stale else _nothing(where)
    print_page(page, as_json=as_json, offset=offset, nothing=nothing, states=states)


def _print_graph(backend: MemoryBackend, where: Filter, form: str) -> None:
    """The memories and the files, decisions, packages, sessions and projects that they name."""
    # Imported here: lists do not need it.
    from memtui.flows.relations import memory_graph
    from memtui.relations.graph import dot, mermaid

    if form == "json":
        made = memory_graph(backend, where)
        nodes = (DrawnNode(*node) for node in made.nodes)
        print_json(asdict(DrawnGraph(tuple(nodes), tuple(DrawnEdge(*edge) for edge in made.edges))))
    else:
        made = memory_graph(backend, where, least=_DRAWN)
        say((dot if form == "dot" else mermaid)(made).removesuffix("\n"))


class States:
    """The freshness of memories, computed once for each memory."""

    def __init__(self, backend: MemoryBackend, root: Path) -> None:
        self._backend = backend
        self._root = root
        self._known: dict[str, Freshness] = {}

    def of(self, listed: Listed) -> Freshness:
        """The freshness of a memory; empty if it cannot be read."""
        name = listed.meta.id
        if name not in self._known:
            self._known[name] = Freshness()
            with suppress(FileProblem):
                self._known[name] = freshness(self._backend.get(name), self._root)
        return self._known[name]


def print_page(
    page: Page, *, as_json: bool, offset: int = 0, nothing: str, states: States | None = None
) -> None:
    """Print a part of a list, as a table or as JSON; with `states`, also the freshness of memories."""
    if as_json:
        memories = tuple(listed_memory(each, states.of(each) if states else None) for each in page.items)
        print_json(asdict(MemoryPage(page.total, memories)))
    elif page.items:
        rows = [_row(each, states is not None and states.of(each).is_stale) for each in page.items]
        print_table(_COLUMNS, rows, flexible=3)
        shown = offset + len(page.items)
        if shown < page.total:
            say(f"{page.total - shown} more; see them with --limit or --offset {shown}.", err=True)
    else:
        say(nothing if not page.total else f"There are only {page.total}.")


_COLUMNS = ("ID", "Time", "State", "Title", "Tags", "Project")


def _row(listed: Listed, stale: bool) -> tuple[str, ...]:
    meta = listed.meta
    title = f"{listed.title}: {listed.problem}" if listed.problem else listed.title
    when = local_minute(meta.created)
    return (meta.id, when, _state(listed, stale), title, ", ".join(meta.tags), _called(meta.project))


def _called(project: str) -> str:
    """A project's name: that of its folder; ``/`` has none."""
    return Path(project).name or project


def _state(listed: Listed, stale: bool) -> str:
    if listed.problem:
        return "broken"
    secret = "holds a secret" if kinds_of_secrets(listed.path) else ""
    return ", ".join(filter(None, ("stale" if stale else "", secret)))


def _nothing(where: Filter) -> str:
    with_tags = f" with the tag{'s' * (len(where.tags) > 1)} {', '.join(where.tags)}" if where.tags else ""
    if where.project:
        return f"No memories{with_tags} of {_called(where.project)}; --all looks in all projects."
    return f"No memories{with_tags} yet. `memtui memory import` and `memtui compact` make them."


@click.command("search", short_help="Find memories by what is in them.")
@click.argument("query", nargs=-1, required=True)
@all_option
@click.option(
    "--limit", type=click.IntRange(1), default=_HITS, show_default=True, help="Show at most this many."
)
@offset_option
@json_option
@root_option
def search(
    query: tuple[str, ...],
    everywhere: bool,
    limit: int,
    offset: int,
    as_json: bool,
    root: Path | None,
) -> None:
    """Find this project's memories that hold every word of QUERY, the best first.

    Words count as parts of words; "two words" in quotes are one phrase. When the output is not a terminal, a
    line has id, time, title and the place in the text, with tabs between. As with grep, the exit code is 1
    where nothing was found.
    """
    words = " ".join(map(_phrase, query))
    where = Filter(
        project="" if everywhere else project_path(root),
    )
    found = opened_here(root).search(words, where, limit=limit, offset=offset)
    if as_json:
        hits = (
            FoundMemory(listed_memory(hit.listed), hit.snippet, hit.marks, hit.score) for hit in found.hits
        )
        print_json(asdict(FoundPage(found.total, found.complete, tuple(hits))))
    elif found.hits:
        _print_hits(found)
    elif found.complete:
        within = f" in {_called(where.project)}; --all looks in all projects" if where.project else ""
        say(f"Nothing found for '{words}'{within}.", err=True)
    if not found.complete:
        say(NOT_ALL_SEARCHED, err=True)
    if not found.hits:
        click.get_current_context().exit(1)


def _phrase(word: str) -> str:
    """An argument as a term of the query; the shell has removed the quotes of one with spaces."""
    return f'"{word}"' if " " in word.strip() and '"' not in word else word


def _print_hits(found: Found) -> None:
    for hit in found.hits:
        meta = hit.listed.meta
        fields = (meta.id, local_minute(meta.created), hit.listed.title)
        if is_terminal():
            print_marked("  ".join(fields), ((0, len(meta.id)),))
            print_marked(hit.snippet, hit.marks, indent="    ")
        else:
            print_table((), [(*fields, hit.snippet)], flexible=2)
    if found.total > len(found.hits):
        say(f"{found.total} match in all; see more with --limit or --offset.", err=True)


@click.command("show", short_help="Show one memory: its details, and its text.")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@json_option
@root_option
def show(memory_id: str, as_json: bool, root: Path | None) -> None:
    """Show one memory: its details, the checklist's remarks, and its text.

    ID is a Recovery ID or the beginning of one; CMEM- may be left out. For the text alone, to the byte as it
    was imported, use export.
    """
    backend = opened_here(root)
    stored = backend.get(full_id(backend, memory_id, root))
    state = freshness(stored, project_of(root).root)
    text = stored.body.decode("utf-8", "replace")
    points = checklist(text)
    if as_json:
        print_json(asdict(ShownMemory(_shape(stored, state), text, len(stored.body), points)))
        return
    remarks = [
        f"{point.verdict}: {point.name}: {point.message}" for point in points if point.verdict != "pass"
    ]
    if points and not remarks:
        remarks = ["all points pass"]
    files = [*(f"gone: {path}" for path in state.gone), *(f"changed: {path}" for path in state.changed)]
    groups = [(stored.meta.id, _about(stored)), (state.summary or "Files", files), ("Checklist", remarks)]
    print_groups([(title, items) for title, items in groups if items])
    say()
    print_document(text)


def checklist(text: str) -> tuple[CheckedPoint, ...]:
    """The points of the quality checklist; none if the text is not a recovery text."""
    # Imported here: lists do not need it.
    from memtui.documents.checklist import check_recovery
    from memtui.formats.model import FormatError

    try:
        points = check_recovery(text)
    except FormatError:
        return ()
    return tuple(CheckedPoint(name, str(verdict), message, line) for name, verdict, message, line in points)


def _shape(stored: StoredMemory, state: Freshness) -> Memory:
    meta = stored.meta
    path = memtui_home().memories / month_of(meta.id) / file_name(meta.id)
    title = meta.description or objective(stored.body) or meta.id
    return memory_of(meta, title=title, path=str(path), secrets=kinds_of_secrets(path), state=state)


def _about(stored: StoredMemory) -> Sequence[str]:
    meta = stored.meta
    said = {
        "description": meta.description,
        "project": meta.project,
        "created": local_minute(meta.created),
        "updated": local_minute(meta.updated) if meta.updated != meta.created else "",
        "tags": ", ".join(meta.tags),
        "session": meta.session_id,
        "source": meta.source,
        "shared by": meta.author,
    }
    return [f"{name}: {value}" for name, value in said.items() if value]


@click.command("export", short_help="Print a memory's text, byte for byte as it was imported.")
@click.argument("argument", required=False, metavar="[ID]", shell_complete=complete_id)
@click.option("--id", "option", metavar="ID", shell_complete=complete_id, help="The same as ID.")
@click.option("--output", type=click.Path(path_type=Path), metavar="F", help="Write a new file instead.")
@json_option
@root_option
def export(
    argument: str | None, option: str | None, output: Path | None, as_json: bool, root: Path | None
) -> None:
    """Print a memory's text, byte for byte as it was imported.

    ID is a Recovery ID or the beginning of one; it is looked for in this project first, then in all. On a
    terminal, control characters are shown as symbols.
    """
    if (argument is None) == (option is None):
        raise click.UsageError("name one memory: --id ID.")
    if as_json and output is not None:
        raise click.UsageError("--output writes the bytes alone; it goes without --json.")
    backend = opened_here(root)
    memory_id = full_id(backend, argument or option or "", root)
    body = backend.get(memory_id).body
    if as_json:
        text = body.decode("utf-8", "replace")
        print_json(asdict(Exported("export", memory_id, text, text.encode() == body)))
    elif output is not None:
        if not create_exclusive(expanded(output), body):
            raise FileProblem(output, "already exists; memtui does not overwrite it")
    elif is_terminal():
        say(body.decode("utf-8", "replace"))
    else:
        print_bytes(body)
