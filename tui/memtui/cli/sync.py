"""``memtui sync``: exchange memories with a remote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import click

from memtui.cli.output import print_json, say
from memtui.clock import local_minute, system_clock
from memtui.files import FileProblem
from memtui.flows.syncing import Sharing, Synced, opened
from memtui.project import memtui_home
from memtui.sharing.remotes import Remotes

_EVERY = 60.0
"""Seconds between two exchanges of `--watch` where no remote tells of changes."""


@click.command("sync")
@click.argument("name", default="")
@click.option("--watch", is_flag=True, help="Go on until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: remote, sent, came, memories, notes.")
def command(name: str, watch: bool, as_json: bool) -> None:
    """Send what you have shared, and fetch what others have; NAME is a remote, none means all."""
    names = [name] if name else sorted(Remotes(memtui_home()).all()) or [""]
    sharings = [opened(memtui_home(), system_clock, each) for each in names]
    while True:
        failed = [problem for sharing in sharings if (problem := _sync(sharing, as_json=as_json))]
        if not watch:
            if failed:
                raise failed[-1]
            return
        _wait(sharings)


def _sync(sharing: Sharing, *, as_json: bool) -> FileProblem | None:
    """Exchange with one remote; a problem of one keeps none of the others waiting."""
    try:
        _report(sharing, sharing.sync(), as_json=as_json)
    except FileProblem as problem:
        say(f"{sharing.name}: {problem}.", err=True)
        return problem
    return None


def _wait(sharings: Sequence[Sharing]) -> None:
    """Wait until there may be something new; with several remotes none is listened to."""
    if len(sharings) == 1:
        with suppress(FileProblem):
            sharings[0].remote.wait(_EVERY)
            return
    time.sleep(_EVERY)


def _report(sharing: Sharing, done: Synced, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "remote": sharing.name,
                "sent": done.sent,
                "came": done.came,
                "memories": done.memories,
                "notes": done.notes,
            }
        )
        return
    for note in done.notes:
        say(note, err=True)
    at = local_minute(system_clock())
    say(
        f"{at} {sharing.name}: sent {done.sent}, fetched {done.came}; memories changed here: {done.memories}."
    )
