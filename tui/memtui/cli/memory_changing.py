"""The commands of ``memtui memory`` that change the store: import, tag, delete, undelete."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from memtui.cli.complete_id import complete_id
from memtui.cli.memory_input import given_text
from memtui.cli.memory_reading import json_option
from memtui.cli.memory_shapes import Done
from memtui.cli.memory_store import full_id, opened_to_change, project_path
from memtui.cli.options import root_option
from memtui.cli.output import is_terminal, print_json, print_recovery_box, say
from memtui.formats.tags import tags_of
from memtui.store.base import New

id_argument = click.argument("memory_id", metavar="ID", shell_complete=complete_id)


def stored(
    file: str | None, option: str | None, description: str, tags: tuple[str, ...], root: Path | None
) -> Done:
    """Store a text and return seed 000's response.

    Raises:
        click.ClickException: there is no text.
        FileProblem: it cannot be written; nothing was changed.
    """
    body = given_text(file, option)
    new = New(body=body, project=project_path(root), description=description.strip(), tags=tags_of(*tags))
    memory_id = opened_to_change(root).create(new).id
    return Done("import", memory_id, f"Created memory: {memory_id}")


@click.command("import", short_help="Store a text under a new Recovery ID.")
@click.argument("file", required=False, metavar="[FILE|-]")
@click.option("--file", "option", metavar="F", help="The same as FILE.")
@click.option("--description", default="", help="The title in lists, instead of the objective.")
@click.option("--tags", multiple=True, metavar="A,B", help="Tags, separated by commas; may be repeated.")
@json_option
@root_option
def import_(
    file: str | None,
    option: str | None,
    description: str,
    tags: tuple[str, ...],
    as_json: bool,
    root: Path | None,
) -> None:
    """Store a text under a new Recovery ID, byte for byte: a file's, or what is piped in.

    It is kept as a memory of this project. `memtui memory export --id ID` gives the same bytes again.
    """
    report(stored(file, option, description, tags, root), as_json=as_json)


def report(done: Done, *, as_json: bool) -> None:
    """Print the result of an operation; on a terminal, a new Recovery ID in the seed's box."""
    if as_json:
        print_json(asdict(done))
    elif done.operation == "import" and is_terminal():
        print_recovery_box(done.id)
    else:
        say(done.message)


@click.command("tag", short_help="Show or change a memory's tags.")
@id_argument
@click.option("--add", multiple=True, metavar="A,B", help="Tags to add, separated by commas.")
@click.option("--remove", multiple=True, metavar="A,B", help="Tags to remove.")
@click.option("--set", "set_", multiple=True, metavar="A,B", help='The tags to have in the end; "" for none.')
@json_option
@root_option
def tag(
    memory_id: str,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    set_: tuple[str, ...],
    as_json: bool,
    root: Path | None,
) -> None:
    """Show a memory's tags, or change them. Tags are compared without regard to case."""
    if set_ and (add or remove):
        raise click.UsageError("--set gives all tags; it goes without --add and --remove.")
    backend = opened_to_change(root)
    memory_id = full_id(backend, memory_id, root)
    tags = backend.get(memory_id).meta.tags
    if set_ or add or remove:
        gone = _meant(*remove)
        wanted = [tag for tag in (() if set_ else tags) if not gone & _meant(tag)]
        known = _meant(*wanted)
        wanted += [tag for tag in tags_of(*(set_ or add)) if tag.casefold() not in known]
        tags = backend.update(memory_id, tags=wanted).tags
    report(Done("tag", memory_id, f"{memory_id}: {', '.join(tags) or 'no tags'}"), as_json=as_json)


def _meant(*texts: str) -> set[str]:
    """The tags in texts, normalised for comparison."""
    return {tag.casefold() for tag in tags_of(*texts)}


@click.command("delete", short_help="Move a memory to the trash.")
@id_argument
@json_option
@root_option
def delete(memory_id: str, as_json: bool, root: Path | None) -> None:
    """Move a memory to the trash; undelete brings it back."""
    backend = opened_to_change(root)
    memory_id = full_id(backend, memory_id, root)
    backend.delete(memory_id)
    message = f"Deleted {memory_id}. To bring it back: memtui memory undelete {memory_id}"
    report(Done("delete", memory_id, message), as_json=as_json)


@click.command("undelete", short_help="Take a memory out of the trash.")
@id_argument
@json_option
@root_option
def undelete(memory_id: str, as_json: bool, root: Path | None) -> None:
    """Take a memory out of the trash; `memtui memory list --trash` lists what is there."""
    backend = opened_to_change(root)
    memory_id = backend.find(memory_id, deleted=True)
    backend.restore(memory_id)
    report(Done("undelete", memory_id, f"{memory_id} is back."), as_json=as_json)
