"""``memtui init``: make Claude Code feed memtui."""

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
    scope_of,
    scope_options,
)
from memtui.cli.output import say
from memtui.cli.project import root_option
from memtui.setup.install import plan_init, tidy


@click.command("init")
@scope_options
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", "-y", is_flag=True, help="Do it without asking.")
@click.option("--diff", is_flag=True, help="Show the differences, not only the files.")
@click.option("--no-approve", is_flag=True, help="Let Claude Code ask before it starts the MCP server.")
@json_option
@root_option
def command(
    project: bool,
    shared: bool,
    user: bool,
    dry_run: bool,
    yes: bool,
    diff: bool,
    no_approve: bool,
    as_json: bool,
    root: Path | None,
) -> None:
    """Install memtui's hooks, slash commands and MCP server into Claude Code.

    From then on every auto-compaction leaves a capture. A typed slash command whose file marks a compact
    summary becomes active by itself, and its rules outlive a compaction. /review-compact reviews from within
    Claude Code, and /memory:compact stores a session under a Recovery ID. Claude Code starts a server of
    .mcp.json only when you have approved it: your local settings do so. What changes is shown first; the rest
    of the settings stays byte for byte, a backup is kept, and `memtui uninstall` takes it all out again.
    Doing it twice changes nothing.
    """
    scope = scope_of(project, shared, user)
    places = places_of(root)
    if not dry_run:
        tidy(places, scope)
    plan = plan_init(places, scope, approving=not no_approve)
    if as_json:
        carry_out_as_json(plan, places, yes=yes, dry_run=dry_run)
        return
    if nothing_to_do(plan, f"memtui is installed for {FOR[scope]}."):
        return
    if carry_out(plan, places, yes=yes, dry_run=dry_run, diffs=diff):
        say(f"memtui is installed for {FOR[scope]}. `memtui doctor` tells whether the hooks work.")
        if (no_approve or shared) and any(each.target.path.name == ".mcp.json" for each in plan.changes):
            say("Claude Code asks once before it starts a server of .mcp.json: say yes to memtui's.")
