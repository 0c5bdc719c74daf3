"""``memtui init`` and ``memtui uninstall``: the plugin for Claude Code, put in and taken away."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import places_of, root_option, yes_option
from memtui.cli.output import can_answer, print_json, say
from memtui.ground.project import Places
from memtui.plugin.installing import Plan, apply, plan_init, plan_uninstall, settings_block


@click.command("init")
@click.option("--project", is_flag=True, help="For this project on this machine, not for all your projects.")
@click.option("--replace", is_flag=True, help="Take entries out of the settings that do the same.")
@click.option("--print", "printing", is_flag=True, help="Only print the hooks as a block for the settings.")
@yes_option
@root_option
def init(project: bool, replace: bool, printing: bool, yes: bool, root: Path | None) -> None:
    """Install memtui's plugin into Claude Code.

    It runs the lines of Claude Code's own that are shown first. From then on every auto-compaction leaves a
    capture, and pins and the rules of active commands outlive it. /review-compact reviews from within Claude
    Code, /memory:compact stores a session under a Recovery ID. Sessions are kept in an archive beyond the
    days after which Claude Code deletes them, unless config.toml says [archive] keep = false. `memtui
    uninstall` takes it all away again.
    """
    if printing:
        print_json(settings_block())
        return
    places = places_of(root)
    if _done(plan_init(places, project=project, replace=replace), places, yes, "memtui is installed."):
        say("Sessions started from now on run its hooks. `memtui doctor` says whether they work.")


@click.command("uninstall")
@yes_option
@root_option
def uninstall(yes: bool, root: Path | None) -> None:
    """Take memtui's plugin out of Claude Code.

    Its marketplace and slash commands go, too. Captures, memory files and memories stay where they are, and
    so does an edited slash command.
    """
    places = places_of(root)
    if _done(plan_uninstall(places), places, yes, "memtui is not installed."):
        say("memtui is no longer installed in Claude Code.")


def _done(plan: Plan, places: Places, yes: bool, nothing: str) -> bool:
    """Show a plan, ask, and carry it out; False if nothing was done.

    Raises:
        click.ClickException: there is no terminal to ask on.
        FileProblem: see `memtui.plugin.installing.apply`.
    """
    for note in plan.notes:
        say(f"Note: {note}")
    if not plan:
        say(f"Nothing to do: {nothing}")
        return False
    for line in plan.lines():
        say(f"  {line}")
    if not yes:
        if not can_answer():
            raise click.ClickException("nothing was changed; accept this with --yes.")
        if not click.confirm("Do this?", default=True):
            say("Nothing was changed.")
            return False
    for sentence in apply(plan, places):
        say(sentence)
    return True
