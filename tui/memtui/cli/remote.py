"""``memtui remote``: the remotes that memories are shared through."""

from __future__ import annotations

import click

from memtui.cli.memory_store import complete_id
from memtui.cli.options import yes_option
from memtui.cli.output import print_json, say
from memtui.cli.startup import BAD_INPUT
from memtui.ground.clock import age, parse_iso, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import memtui_home
from memtui.share.remotes import NamedRemote, Remotes
from memtui.share.sync import Sharing, open_sharing


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
    help="Send every memory: for your own machines alone.",
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

    URL is what git takes (git@host:team/memories.git, https://..., the folder of a bare repository), or
    postgresql://host/database.
    """
    remote = NamedRemote(url=url, sync="all" if everything else "shared", projects=projects)
    Remotes(memtui_home()).add(name, remote)
    say(f"Added {name}: {url}.")
    say(f"Next: memtui remote init {name} where it is new, else memtui sync {name}.")


@command.command("init")
@click.argument("name", default="")
def init(name: str) -> None:
    """Set up a remote: create its first commit, or its table and roles. It can be repeated safely."""
    sharing = _sharing(name)
    again = sharing.set_up()
    say(f"{sharing.name} is set up: {sharing.remote.check()}.")
    if again:
        say(f"{again} memories that you shared before go there with the next memtui sync.")


@command.command("check")
@click.argument("name", default="")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: a list of name, url, sync, synced, found, problem."
)
@click.pass_context
def check(ctx: click.Context, name: str, as_json: bool) -> None:
    """List the remotes, or NAME alone: whether each can be reached, what is in it, and the last sync."""
    remotes = Remotes(memtui_home()).all()
    rows = [_checked(each) for each in ([_sharing(name).name] if name else sorted(remotes))]
    if as_json:
        print_json(rows)
    for row in rows if not as_json else ():
        sends = "sends everything" if row["sync"] == "all" else "sends what you share"
        synced = parse_iso(row["synced"])
        since = f"synced {age(synced, system_clock())}" if synced else "never synced"
        say(f"{row['name']}: {row['found'] or row['problem']} · {row['url']} · {sends} · {since}.")
    if not rows and not as_json:
        say("No remote yet: memtui remote add NAME URL.")
    if any(row["problem"] for row in rows):
        ctx.exit(BAD_INPUT)


def _checked(name: str) -> dict[str, str]:
    sharing = _sharing(name)
    row = {"name": name, "url": sharing.named.url, "sync": sharing.named.sync, "synced": "", "found": ""}
    try:
        row |= {"synced": sharing.state().synced, "found": sharing.remote.check()}
    except FileProblem as problem:
        return {**row, "problem": str(problem)}
    return {**row, "problem": ""}


@command.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Remove a remote from the list. Memories that came from it stay, and so does the remote itself."""
    found = Remotes(memtui_home()).remove(name)
    say(f"Removed {name}: {found.url} itself stays as it is.")


@command.command("forget")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@yes_option
def forget(memory_id: str, yes: bool) -> None:
    """Remove the texts of a shared memory from all remotes, and put it into the trash here.

    From PostgreSQL all its versions go. Git's history keeps them until somebody rewrites it; how is printed.
    """
    sharings = [_sharing(name) for name in sorted(Remotes(memtui_home()).all())]
    holding = [each for each in sharings if each.names.key(memory_id) in each.state().memories]
    if not holding:
        raise click.ClickException(f"{memory_id} was not shared: `memtui memory delete` deletes it.")
    if not yes and not click.confirm(f"Remove the texts of {memory_id} for good?", default=False):
        return
    failed = False
    for sharing in holding:
        try:
            say(f"{sharing.name}: {sharing.forget(memory_id)}")
        except FileProblem as problem:
            failed = True
            say(f"{sharing.name}: {problem}; nothing was removed there.", err=True)
    if failed:
        raise click.ClickException(f"nothing more of {memory_id} is sent; the same command removes the rest.")
    say("Here it is in the trash, and so it will be on machines that have fetched it.")
