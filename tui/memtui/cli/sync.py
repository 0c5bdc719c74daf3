"""``memtui sync``: exchange memories with a remote."""

from __future__ import annotations

import click

from memtui.cli.output import print_json, say
from memtui.clock import local_minute, system_clock
from memtui.flows.syncing import Sharing, Synced, opened
from memtui.project import memtui_home
from memtui.sharing.remotes import Remotes

_EVERY = 60.0
"""Seconds between two exchanges of `--watch` where the remote does not tell of changes."""


@click.command("sync")
@click.argument("name", default="")
@click.option("--watch", is_flag=True, help="Go on until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: remote, sent, came, memories, notes.")
def command(name: str, watch: bool, as_json: bool) -> None:
    """Send what you have shared, and fetch what others have; NAME is a remote, none means all."""
    names = [name] if name else sorted(Remotes(memtui_home()).all()) or [""]
    sharings = [opened(memtui_home(), system_clock, each) for each in names]
    while True:
        for sharing in sharings:
            _report(sharing, sharing.sync(), as_json=as_json)
        if not watch:
            return
        # With several remotes none is waited for longer than the others.
        sharings[0].remote.wait(_EVERY if len(sharings) == 1 else 5.0)


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
