"""``memtui uninstall``: removes memtui from Claude Code."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.installing import (
    FOR,
    carry_out,
    carry_out_as_json,
    json_option,
    nothing_to_do,
    places_of,
    plan_options,
    scope_of,
)
from memtui.cli.options import root_option
from memtui.cli.output import can_answer, say
from memtui.setup.install import plan_uninstall, tidy


@click.command("uninstall")
@plan_options
@json_option
@root_option
def command(
    project: bool,
    shared: bool,
    user: bool,
    dry_run: bool,
    yes: bool,
    diff: bool,
    as_json: bool,
    root: Path | None,
) -> None:
    """Remove memtui's hooks, slash commands and MCP server from Claude Code.

    Settings that have not changed since are restored as they were before `memtui init`, byte for byte;
    otherwise only memtui's own entries are removed. Captures, memory files and memories stay where they are.
    An edited slash command is kept unless you say otherwise when asked.
    """
    scope = scope_of(project, shared, user)
    places = places_of(root)
    if not dry_run:
        tidy(places, scope)
    plan = plan_uninstall(places, scope)
    if as_json:
        carry_out_as_json(plan, places, yes=yes, dry_run=dry_run)
        return
    unwanted = []
    for path in plan.kept:
        if not (yes or dry_run) and can_answer() and click.confirm(f"{path} was edited. Remove it, too?"):
            unwanted.append(path)
        else:
            say(f"Note: {path} was edited; it stays.")
    if unwanted:
        plan = plan_uninstall(places, scope, edited=unwanted)
    if nothing_to_do(plan, f"memtui is not installed for {FOR[scope]}."):
        return
    if carry_out(plan, places, yes=yes, dry_run=dry_run, diffs=diff):
        say(f"memtui is no longer installed for {FOR[scope]}.")
