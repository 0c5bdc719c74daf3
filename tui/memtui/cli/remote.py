"""``memtui remote``: the remotes that memories are shared through."""

from __future__ import annotations

import click

from memtui.cli.memory_store import complete_id
from memtui.cli.options import yes_option
from memtui.cli.output import print_json, print_table, say
from memtui.flows.forgetting_memory import forget_everywhere
from memtui.flows.syncing import Sharing, open_sharing
from memtui.ground.clock import age, parse_iso, system_clock
from memtui.ground.project import memtui_home
from memtui.share.remotes import NamedRemote, Remotes
from memtui.share.replica import PROBLEM, SYNCED


def _remotes() -> Remotes:
    return Remotes(memtui_home())


def _sharing(name: str) -> Sharing:
    return open_sharing(memtui_home(), system_clock, name)


@click.group("remote")
def command() -> None:
    """Manage remotes, which carry memories between machines: git repositories or PostgreSQL databases.

    memtui only sends memories that you share (`memtui share`), unless a remote is added with --all.
    Passwords stay with git and libpq: none belongs in an address.
    """


@command.command("add")
@click.argument("name")
@click.argument("url")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Send every memory and session state and your own pins: for your own machines alone.",
)
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="NAME",
    help="Fetch this project's alone; may be repeated.",
)
def add(name: str, url: str, everything: bool, projects: tuple[str, ...]) -> None:
    """Add a remote.

    URL is what git takes (git@host:team/memories.git, https://..., a folder), or postgresql://host/database.
    """
    remote = NamedRemote(url=url, sync="all" if everything else "shared", projects=projects)
    _remotes().add(name, remote)
    say(f"Added {name}: {url}.")
    say(f"Next: memtui remote init {name} where it is new, else memtui sync {name}.")


@command.command("init")
@click.argument("name", default="")
def init(name: str) -> None:
    """Set up a remote: create its first commit, or its tables and roles. It can be repeated safely."""
    sharing = _sharing(name)
    sharing.remote.set_up()
    say(f"{sharing.name} is set up: {sharing.remote.check()}.")


@command.command("list")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: a list of name, url, sync, synced, problem."
)
def list_(as_json: bool) -> None:
    """List the remotes, and when each was last synced."""
    rows = []
    for name, remote in sorted(_remotes().all().items()):
        with _sharing(name).replica() as replica:
            synced, problem = replica.fact(SYNCED), replica.fact(PROBLEM)
        rows.append(
            {"name": name, "url": remote.url, "sync": remote.sync, "synced": synced, "problem": problem}
        )
    if as_json:
        print_json(rows)
    elif rows:
        print_table(
            ("name", "address", "sends", "synced"),
            [
                (row["name"], row["url"], _SENDS[row["sync"]], row["problem"] or _since(row["synced"]))
                for row in rows
            ],
            flexible=1,
        )
    else:
        say("No remote yet: memtui remote add NAME URL.")


_SENDS = {"shared": "what you share", "all": "everything"}


def _since(synced: str) -> str:
    moment = parse_iso(synced)
    return age(moment, system_clock()) if moment else "never"


@command.command("check")
@click.argument("name", default="")
def check(name: str) -> None:
    """Check that a remote can be reached, and show what is in it."""
    sharing = _sharing(name)
    say(f"{sharing.name}: {sharing.remote.check()}.")


@command.command("forget")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@yes_option
def forget(memory_id: str, yes: bool) -> None:
    """Remove the texts of a shared memory from all remotes.

    They go from PostgreSQL, and from git's newest commit; git's history keeps them unless it is rewritten.
    """
    question = f"Remove the texts of {memory_id} from all remotes for good?"
    if not yes and not click.confirm(question, default=False):
        return
    forgotten = forget_everywhere(memtui_home(), system_clock, memory_id)
    for each in forgotten.done:
        say(each)
    for each in forgotten.failed:
        say(f"{each}.", err=True)
    if forgotten.failed:
        raise click.ClickException(
            f"{memory_id} stays here, and nothing more of it is sent; the same command removes the rest."
        )


@command.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Remove a remote from the list. Memories that came from it stay, and so does the remote itself."""
    found = _remotes().remove(name)
    say(f"Removed {name}: {found.url} itself stays as it is.")
