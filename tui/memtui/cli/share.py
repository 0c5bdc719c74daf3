"""``memtui share``, ``sync`` and ``remote``: memories on more than one machine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import click

from memtui.cli.options import agreed, complete_id, json_option, places_option, store_and_id, yes_option
from memtui.cli.output import print_json, print_list, say
from memtui.cli.startup import BAD_INPUT
from memtui.ground.clock import age, local_minute, parse_iso, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places, memtui_home
from memtui.share.remotes import NamedRemote, Remotes
from memtui.share.sync import Sharing, Synced, keep_syncing, open_sharing

_NO_REMOTE = "No remote yet: memtui remote add NAME URL."


def _sharing(name: str) -> Sharing:
    return open_sharing(memtui_home(), system_clock, name)


@click.command("share")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@click.option("--to", "name", default="", metavar="NAME", help="The remote; not needed if there is only one.")
@places_option
def share(memory_id: str, name: str, places: Places) -> None:
    """Share a memory with others at the next `memtui sync`.

    Paths below the project's root go as /project/NAME. A memory that holds a secret stays here, and so does
    one of a private project ([archive] private in config.toml).
    """
    _, whole = store_and_id(memory_id, places)
    sharing = _sharing(name)
    if sharing.share(whole):
        say(f"{whole} goes to {sharing.name} with the next memtui sync.")
    else:
        say(f"{whole} is shared with {sharing.name} already, as it is.")


@click.command("sync")
@click.argument("name", default="")
@click.option("--watch", is_flag=True, help="Keep syncing until interrupted.")
@json_option
def sync(name: str, watch: bool, as_json: bool) -> None:
    """Send what you have shared, and fetch what others have; NAME is a remote, none means all."""
    names = [name] if name else sorted(Remotes(memtui_home()).all())
    if not names and as_json:
        print_json([])
        return
    sharings = [_sharing(each) for each in names or [""]]
    if watch:
        _watch(sharings, as_json=as_json)
        return
    failed = False
    for each in sharings:
        try:
            _report(each, each.sync(), as_json=as_json)
        except FileProblem as problem:  # the others still run
            _report(each, problem, as_json=as_json)
            failed = True
    if failed:
        raise click.exceptions.Exit(BAD_INPUT)


def _watch(sharings: Sequence[Sharing], *, as_json: bool) -> None:
    stopped = threading.Event()

    def keep(sharing: Sharing) -> None:
        report = partial(_report, sharing, as_json=as_json)
        # Every minute; PostgreSQL announces changes at once.
        keep_syncing(lambda: report(sharing.sync()), sharing.remote.wait, 60.0, report, stopped)

    threads = [threading.Thread(target=keep, args=(each,), daemon=True) for each in sharings]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:
        stopped.set()


def _report(sharing: Sharing, done: Synced | FileProblem, *, as_json: bool) -> None:
    if isinstance(done, FileProblem):
        say(f"{sharing.name}: {done}.", err=True)
        if as_json:
            print_json({"remote": sharing.name, "problem": str(done)})
    elif as_json:
        numbers = {"sent": done.sent, "fetched": done.fetched}
        print_json({"remote": sharing.name, **numbers, "notes": done.notes})
    else:
        for note in done.notes:
            say(note, err=True)
        say(f"{local_minute(system_clock())} {sharing.name}: {done.summary}.")


@click.group("remote")
def remote() -> None:
    """Manage remotes, which carry memories between machines: git repositories or PostgreSQL databases.

    memtui only sends memories that you share (`memtui share`), unless a remote is added with --all.
    `memtui remote list` lists them. Passwords stay with git and libpq: none belongs in an address.
    """


@remote.command("add")
@click.argument("name")
@click.argument("url")
@click.option("--all", "everything", is_flag=True, help="Send every memory: for your own machines alone.")
def add(name: str, url: str, everything: bool) -> None:
    """Add a remote.

    URL is what git takes (git@host:team/memories.git, https://..., the folder of a bare repository), or
    postgresql://host/database.
    """
    named = NamedRemote(url=url, sync="all" if everything else "shared")
    Remotes(memtui_home()).add(name, named)
    say(f"Added {name}: {url}.")
    say(f"Next: memtui remote init {name} where it is new, else memtui sync {name}.")


@remote.command("init")
@click.argument("name", default="")
def init(name: str) -> None:
    """Set up a remote: create its first commit, or its table and roles. It can be repeated safely."""
    sharing = _sharing(name)
    sharing.remote.set_up()
    say(f"{sharing.name} is set up: {sharing.remote.check()}.")


@remote.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the remotes: name, what is sent, and address."""
    remotes = sorted(Remotes(memtui_home()).all().items())
    values = [{"name": name, "sync": each.sync, "url": each.url} for name, each in remotes]
    sends = {"all": "everything", "shared": "what you share"}
    rows = [(name, sends[each.sync], each.url) for name, each in remotes]
    print_list(values, ("Remote", "Sends", "Address"), rows, _NO_REMOTE, as_json, flexible=2)


@remote.command("check")
@click.argument("name", default="")
@json_option
@click.pass_context
def check(ctx: click.Context, name: str, as_json: bool) -> None:
    """Check the remotes, or NAME alone: whether each can be reached, what is in it, and the last sync."""
    remotes = Remotes(memtui_home()).all()
    rows = [_checked(each) for each in ([_sharing(name).name] if name else sorted(remotes))]
    if as_json:
        print_json(rows)
    elif not rows:
        say(_NO_REMOTE)
    for row in () if as_json else rows:
        sends = "sends everything" if row["sync"] == "all" else "sends what you share"
        synced = parse_iso(row["synced"])
        since = f"synced {age(synced, system_clock())}" if synced else "never synced"
        where = "" if row["url"] in row["problem"] else f" · {row['url']}"
        say(f"{row['name']}: {row['found'] or row['problem']}{where} · {sends} · {since}.")
    if any(row["problem"] for row in rows):
        ctx.exit(BAD_INPUT)


def _checked(name: str) -> dict[str, str]:
    sharing = _sharing(name)
    row = {"name": name, "url": sharing.named.url, "sync": sharing.named.sync, "synced": "", "found": ""}
    try:
        row["synced"] = sharing.state().synced
        row["found"] = sharing.remote.check()
        # Only "unreachable" is settled by this: that a remote can be read does not show that it takes a push.
        with suppress(FileProblem):  # the file is locked: a running sync says what is so
            if sharing.state().trouble == "unreachable":
                sharing.save({}, problem="", trouble="")
    except FileProblem as problem:
        return {**row, "problem": str(problem)}
    return {**row, "problem": ""}


@remote.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Remove a remote from the list. Memories that came from it stay, and so does the remote itself."""
    found = Remotes(memtui_home()).remove(name)
    say(f"Removed {name}: {found.url} itself stays as it is.")


@remote.command("forget")
@click.argument("memory_id", metavar="ID", shell_complete=complete_id)
@yes_option
def forget(memory_id: str, yes: bool) -> None:
    """Remove the texts of a shared memory from all remotes, and put it into the trash here.

    From PostgreSQL all its versions go. Git's history keeps them until somebody rewrites it; how is printed.
    """
    sharings = [_sharing(name) for name in sorted(Remotes(memtui_home()).all())]
    holding = [each for each in sharings if each.key(memory_id) in each.state().memories]
    if not holding:
        raise click.ClickException(f"{memory_id} was not shared: `memtui memory delete` deletes it.")
    if not agreed(f"Remove the texts of {memory_id} for good?", yes, default=False):
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
