"""``memtui memory``: the stored memories; ``core-memory`` is another name for it (seed 000)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import click

from memtui.cli import claude_memory, options, output
from memtui.cli.compact import check_text, points_json
from memtui.cli.options import common_options, complete_id, given_bytes, opened, store_and_id
from memtui.documents.checklist import Point, Verdict, check_recovery
from memtui.documents.memory import MemoryMeta, tags_of
from memtui.ground.clock import local_minute
from memtui.ground.files import FileProblem, create_exclusive, read_within
from memtui.ground.project import Places, expanded
from memtui.ground.text import FormatError
from memtui.secrets.secrets import find
from memtui.store.freshness import Freshness, freshness
from memtui.store.memories import LIMIT, MOST, Listed, MemoryStore, Page, title_of

_COLUMNS = ("ID", "Time", "State", "Title", "Tags", "Project")

_id = click.argument("memory_id", metavar="ID", shell_complete=complete_id)


class _InOrder(click.Group):
    """Commands in the order in which they are defined, the most used first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group("memory", cls=_InOrder)
def memory() -> None:
    """Store, find and get back memories: recovery texts under IDs.

    A memory belongs to the project in which it was made; lists show those of this project and of folders
    below it unless --all is given. An ID may be given by its beginning, with or without CMEM-.
    """


core_memory = _InOrder("core-memory", memory.commands, help=memory.help, hidden=True)


@memory.command("import", short_help="Store a text under a new Recovery ID.")
@click.argument("argument", required=False, metavar="[FILE|-]")
@click.option("--file", "option", metavar="F", help="The same as FILE.")
@click.option("--description", default="", help="The title in lists, instead of the objective.")
@click.option("--tags", multiple=True, metavar="A,B", help="Tags, separated by commas; may be repeated.")
@common_options
def import_(
    argument: str | None,
    option: str | None,
    description: str,
    tags: tuple[str, ...],
    as_json: bool,
    places: Places,
) -> None:
    """Store a text under a new Recovery ID, byte for byte: a file's, or what is piped in.

    It is kept as a memory of this project. `memtui memory export --id ID` gives the same bytes again. On a
    terminal it prints the ID in a box, elsewhere {"operation": "import", "id": ..., "message": ...}.
    """
    body = _given(argument, option)
    project = str(places.project.root)
    memory_id = opened().create(body, project, description=description.strip(), tags=tags_of(*tags)).id
    if output.is_terminal() and not as_json:
        output.print_recovery_box(memory_id)
    else:
        _report("import", memory_id, f"Created memory: {memory_id}", True)


def _report(operation: str, memory_id: str, message: str, as_json: bool) -> None:
    output.print_result({"operation": operation, "id": memory_id, "message": message}, message, as_json)


def _given(argument: str | None, option: str | None) -> bytes:
    """The text of ``[FILE|-]`` or ``--file FILE``; of standard input when neither is given."""
    if argument is not None and option is not None:
        raise click.UsageError("name the file once, as FILE or with --file.")
    name = argument or option
    if name is None and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("there is no text: name a file, pipe one in, or name - to type it here.")
    data = given_bytes(name or "-", LIMIT)
    if not data.strip():
        what = "standard input" if name in (None, "-") else f"'{name}'"
        raise click.ClickException(f"{what} is empty; nothing was imported.")
    return data


@memory.command("export", short_help="Print a memory's text, byte for byte as it was imported.")
@click.argument("argument", required=False, metavar="[ID]", shell_complete=complete_id)
@click.option("--id", "option", metavar="ID", shell_complete=complete_id, help="The same as ID.")
@click.option(
    "--output", "target", type=click.Path(path_type=Path), metavar="F", help="Write a new file instead."
)
@common_options
def export(
    argument: str | None, option: str | None, target: Path | None, as_json: bool, places: Places
) -> None:
    """Print a memory's text, byte for byte as it was imported.

    ID is a Recovery ID or the beginning of one; it is looked for in this project first, then in all. On a
    terminal, control characters are shown as symbols.
    """
    if (argument is None) == (option is None):
        raise click.UsageError("name one memory: --id ID.")
    if as_json and target is not None:
        raise click.UsageError("--output writes the bytes alone; it goes without --json.")
    backend, memory_id = store_and_id(argument or option or "", places)
    body = backend.get(memory_id).body
    text = body.decode("utf-8", "replace")
    if as_json:  # which cannot carry invalid UTF-8: then it is not exact
        exact = text.encode() == body
        output.print_json({"operation": "export", "id": memory_id, "content": text, "exact": exact})
    elif target is not None:
        if not create_exclusive(expanded(target), body):
            raise FileProblem(target, "already exists; memtui does not overwrite it")
    elif output.is_terminal():
        output.say(text)
    else:
        output.print_bytes(body)


@memory.command("list", short_help="List memories, newest first.")
@click.option("--all", "everywhere", is_flag=True, help="Memories of all projects, not only this one.")
@click.option("--stale", is_flag=True, help="Only memories naming files that have changed or are gone.")
@click.option("--claude", "claudes", is_flag=True, help="The memories that Claude keeps for itself here.")
@click.option("--trash", is_flag=True, help="The deleted memories of all projects, kept for 30 days.")
@click.option(
    "--graph",
    "drawn",
    type=click.Choice(["json", "mermaid"]),
    metavar="FORMAT",
    help="Print the graph of memories and what they name instead: json or mermaid.",
)
@click.option("--tag", "tags", multiple=True, metavar="T", help="Only those with this tag; may be repeated.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="Show at most this many; 0 for all.",
)
@common_options
def list_(
    everywhere: bool,
    stale: bool,
    claudes: bool,
    trash: bool,
    drawn: str | None,
    tags: tuple[str, ...],
    limit: int,
    as_json: bool,
    places: Places,
) -> None:
    """List this project's memories, newest first.

    Each line shows id, local time, state (stale: it names files that have changed since or are gone;
    broken; holds a secret), title, tags and project; when the output is not a terminal, tabs separate them.
    Standard error says how many --limit leaves out.
    """
    if claudes:
        claude_memory.print_list(places, trash=trash, as_json=as_json)
        return
    if trash:
        _print_page(opened().deleted(), as_json, "The trash is empty.", lambda _: None)
        return
    where = "" if everywhere else str(places.project.root)
    backend = opened()
    if drawn:
        _print_graph(backend, where, tags, drawn)
        return

    @cache
    def state(listed: Listed) -> Freshness:
        with suppress(FileProblem):
            return freshness(backend.get(listed.id), places.project.root)
        return Freshness()

    if stale:
        stale_ones = [each for each in backend.list(where, tags).items if state(each).is_stale]
        page = Page(tuple(stale_ones[: limit or None]), len(stale_ones))
    else:
        page = backend.list(where, tags, limit=limit or None)
    nothing = "No memory names a file that has changed since." if stale else _nothing(where, tags)
    _print_page(page, as_json, nothing, state)


def _print_graph(backend: MemoryStore, project: str, tags: tuple[str, ...], form: str) -> None:
    # Imported here: lists do not need it.
    from memtui.documents.memory_graph import mermaid
    from memtui.store.relations import memory_graph

    if form == "json":
        made = memory_graph(backend, project, tags)
        nodes, edges = ([each._asdict() for each in some] for some in (made.nodes, made.edges))
        output.print_json({"nodes": nodes, "edges": edges})
    else:
        made = memory_graph(backend, project, tags, least=2)
        output.say(mermaid(made).removesuffix("\n"))


def _print_page(page: Page, as_json: bool, nothing: str, state: Callable[[Listed], Freshness | None]) -> None:
    if as_json:
        memories = [_as_json(each, state(each)) for each in page.items]
        output.print_json({"total": page.total, "memories": memories})
    elif page.items:
        output.print_table(_COLUMNS, [_row(each, state(each)) for each in page.items], flexible=3)
        if more := page.total - len(page.items):
            output.say(f"{more} more; see them with --limit.", err=True)
    else:
        output.say(nothing)


def _row(listed: Listed, state: Freshness | None) -> tuple[str, ...]:
    meta = listed.meta
    title = f"{listed.title}: {listed.problem}" if listed.problem else listed.title
    stale = "stale" if state and state.is_stale else ""
    secret = "holds a secret" if _secrets(listed.path) else ""
    said = "broken" if listed.problem else ", ".join(filter(None, (stale, secret)))
    project = Path(meta.project).name or meta.project
    return (meta.id, local_minute(meta.created), said, title, ", ".join(meta.tags), project)


def _nothing(project: str, tags: tuple[str, ...]) -> str:
    with_tags = f" with the tag{'s' * (len(tags) > 1)} {', '.join(tags)}" if tags else ""
    if project:
        project = Path(project).name or project
        return f"No memories{with_tags} of {project}; --all looks in all projects."
    return f"No memories{with_tags} yet. `memtui memory import` and `memtui compact` make them."


def _as_json(listed: Listed, state: Freshness | None) -> dict[str, Any]:
    """A memory with the keys of ``--json``; missing values of a broken one are empty.

    ``source`` is what made it (import, compact, review, mcp), ``author`` who shared it, ``secrets`` the kinds
    in its file, ``files`` the files that it names: how many, and those changed or gone since.
    """
    meta = listed.meta
    return meta.model_dump(exclude={"other"}) | {
        "path": str(listed.path),
        "title": listed.title,
        "created": meta.created.isoformat(),
        "updated": meta.updated.isoformat(),
        "problem": listed.problem,
        "secrets": _secrets(listed.path),
        "files": dict(zip(("named", "changed", "gone"), state, strict=True)) if state is not None else None,
    }


def _secrets(path: Path) -> list[str]:
    try:
        data = read_within(path, path.parent, limit=MOST, follow=False)
    except FileProblem:
        return []
    return list(dict.fromkeys(hit.kind for hit in find(data.decode("utf-8", "replace"))))


@memory.command("show", short_help="Show one memory: its details, and its text.")
@_id
@common_options
def show(memory_id: str, as_json: bool, places: Places) -> None:
    """Show one memory: its details, the checklist's remarks, and its text.

    ID is a Recovery ID or the beginning of one; CMEM- may be left out. For the text alone, to the byte as it
    was imported, use export. The name of a memory of Claude's shows that one, and where it comes from.
    """
    if claude_memory.is_claudes(memory_id):
        claude_memory.print_memory(places, memory_id, as_json=as_json)
        return
    backend, memory_id = store_and_id(memory_id, places)
    stored = backend.get(memory_id)
    meta, text = stored.meta, stored.body.decode("utf-8", "replace")
    state = freshness(stored, places.project.root)
    points: tuple[Point, ...] = ()
    with suppress(FormatError):  # any text can be stored
        points = check_recovery(text)
    if as_json:
        shown = _as_json(Listed(meta, backend.path(meta.id), title_of(stored)), state)
        size = len(stored.body)
        output.print_json({"memory": shown, "text": text, "size": size, "checklist": points_json(points)})
        return
    remarks = [
        f"{each.verdict}: {each.name}: {each.message}" for each in points if each.verdict != Verdict.PASS
    ]
    if points and not remarks:
        remarks = ["all points pass"]
    files = [*(f"gone: {path}" for path in state.gone), *(f"changed: {path}" for path in state.changed)]
    groups = [(meta.id, _about(meta)), (state.summary or "Files", files), ("Checklist", remarks)]
    output.print_groups([(title, items) for title, items in groups if items])
    output.say()
    output.print_document(text)


def _about(meta: MemoryMeta) -> list[str]:
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


@memory.command("tag", short_help="Show or change a memory's tags.")
@_id
@click.option("--add", multiple=True, metavar="A,B", help="Tags to add, separated by commas.")
@click.option("--remove", multiple=True, metavar="A,B", help="Tags to remove.")
@click.option("--set", "set_", multiple=True, metavar="A,B", help='The tags to have in the end; "" for none.')
@common_options
def tag(
    memory_id: str,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    set_: tuple[str, ...],
    as_json: bool,
    places: Places,
) -> None:
    """Show a memory's tags, or change them. Tags are compared without regard to case."""
    if set_ and (add or remove):
        raise click.UsageError("--set gives all tags; it goes without --add and --remove.")
    backend, memory_id = store_and_id(memory_id, places)
    tags = backend.get(memory_id).meta.tags
    if set_ or add or remove:
        gone = {tag.casefold() for tag in tags_of(*remove)}
        kept = [tag for tag in (() if set_ else tags) if tag.casefold() not in gone]
        known = {tag.casefold() for tag in kept}
        added = [tag for tag in tags_of(*(set_ or add)) if tag.casefold() not in known]
        tags = backend.update(memory_id, tags=[*kept, *added]).tags
    _report("tag", memory_id, f"{memory_id}: {', '.join(tags) or 'no tags'}", as_json)


@memory.command("check", short_help="Check a memory's text, or all that Claude keeps for itself.")
@click.argument("memory_id", metavar="[ID]", default="", shell_complete=complete_id)
@click.option("--cited", is_flag=True, help="Check the lines of the session's transcript it cites, too.")
@click.option("--session", metavar="ID", default="", help="The session that it cites; implies --cited.")
@common_options
def check(memory_id: str, cited: bool, session: str, as_json: bool, places: Places) -> None:
    """Check a memory's text: thirteen points, each pass, warn or fail; the exit code is 1 when one fails.

    Without an ID it checks the memories that Claude keeps for itself: an index that is cut off, files without
    a line there and lines without a file, doubles, unknown types, files that are gone, secrets.
    """
    if not memory_id:
        claude_memory.print_check(places, as_json=as_json)
        return
    backend, memory_id = store_and_id(memory_id, places)
    text = backend.get(memory_id).body.decode("utf-8", "replace")
    cites = session if cited or session else None
    check_text(memory_id, text, places, cites, as_json=as_json)


@memory.command("delete", short_help="Move a memory to the trash.")
@_id
@common_options
@options.yes_option
def delete(memory_id: str, as_json: bool, yes: bool, places: Places) -> None:
    """Move a memory to the trash; undelete brings it back. Of a shared one it asks first."""
    from memtui.share.sync import holding  # slow to import, and for this alone

    backend, memory_id = store_and_id(memory_id, places)
    try:
        shared = [] if yes else holding(places.home, memory_id)
    except FileProblem as problem:
        shared = [f"others, perhaps ({problem})"]
    question = f"{memory_id} is shared with {', '.join(shared)}: the next sync deletes it for all. Delete it?"
    if shared and not options.agreed(question, yes, default=False):
        return
    backend.delete(memory_id)
    message = f"Deleted {memory_id}. To bring it back: memtui memory undelete {memory_id}"
    _report("delete", memory_id, message, as_json)


@memory.command("undelete", short_help="Take a memory out of the trash.")
@_id
@common_options
def undelete(memory_id: str, as_json: bool, places: Places) -> None:
    """Take a memory out of the trash; `memtui memory list --trash` lists what is there.

    The name of a memory of Claude's brings that one back, with its line in MEMORY.md.
    """
    if claude_memory.is_claudes(memory_id):
        _report("undelete", memory_id, f"{claude_memory.undelete(places, memory_id)} is back.", as_json)
        return
    backend = opened()
    memory_id = backend.find(memory_id, deleted=True)
    backend.restore(memory_id)
    _report("undelete", memory_id, f"{memory_id} is back.", as_json)
