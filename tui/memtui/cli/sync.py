"""``memtui sync``: exchange memories with a remote."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import click

from memtui.cli.output import print_json, say
from memtui.cli.startup import BAD_INPUT
from memtui.ground.clock import local_minute, system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import memtui_home
from memtui.share.remotes import Remotes
from memtui.share.sync import Sharing, Synced, keep_syncing, open_sharing

_EVERY = 60.0
"""Maximum seconds between two exchanges of `--watch`; PostgreSQL announces changes at once."""


@click.command("sync")
@click.argument("name", default="")
@click.option("--watch", is_flag=True, help="Keep syncing until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: remote, sent, fetched, notes.")
def command(name: str, watch: bool, as_json: bool) -> None:
    """Send what you have shared, and fetch what others have; NAME is a remote, none means all."""
    names = [name] if name else sorted(Remotes(memtui_home()).all()) or [""]
    sharings = [open_sharing(memtui_home(), system_clock, each) for each in names]
    if watch:
        _watch(sharings, as_json=as_json)
        return
    done = [_sync(each, as_json=as_json) for each in sharings]
    if not all(done):
        raise click.exceptions.Exit(BAD_INPUT)


def _sync(sharing: Sharing, *, as_json: bool) -> bool:
    """Exchange with one remote and print the outcome; False if it failed, so that the others still run."""
    try:
        _report(sharing, sharing.sync(), as_json=as_json)
    except FileProblem as problem:
        _report(sharing, problem, as_json=as_json)
        return False
    return True


def _watch(sharings: Sequence[Sharing], *, as_json: bool) -> None:
    """Exchange with all remotes concurrently, until interrupted."""
    stopped = threading.Event()

    def keep(sharing: Sharing) -> None:
        def report(done: Synced | FileProblem) -> None:
            _report(sharing, done, as_json=as_json)

        keep_syncing(lambda: report(sharing.sync()), sharing.wait, _EVERY, report, stopped)

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
    elif as_json:
        print_json(
            {
                "remote": sharing.name,
                "sent": done.sent,
                "fetched": done.fetched,
                "notes": done.notes,
            }
        )
    else:
        for note in done.notes:
            say(note, err=True)
        say(f"{local_minute(system_clock())} {sharing.name}: {done.summary}.")
