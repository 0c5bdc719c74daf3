"""``memtui demo``: shows memtui at work before anything is installed."""

from __future__ import annotations

import click

from memtui.cli.output import need_terminal


@click.command("demo")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Open a temporary project with a running session.

    In the first minute a capture arrives, a memory is stored, a command becomes active and the session state
    moves on. Everything lies in a temporary folder that is removed at the end.
    """
    need_terminal()
    ctx.find_root().obj.demo()
