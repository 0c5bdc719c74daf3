"""``memtui init``: installs memtui into Claude Code."""

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
from memtui.cli.options import changes_in, root_option
from memtui.cli.output import can_answer, say
from memtui.ground.clock import system_clock
from memtui.ground.files import FileProblem
from memtui.ground.project import Places
from memtui.setup.archive_question import about_archive, is_decided, turn_archive_off
from memtui.setup.hook_settings import PURPOSES
from memtui.setup.hooks_check import read_all_settings
from memtui.setup.install import plan_init, tidy


@click.command("init")
@plan_options
@click.option("--no-approve", is_flag=True, help="Let Claude Code ask before it starts the MCP server.")
@json_option
@click.option("--replace", is_flag=True, help="Replace the scripts that do the same; see doctor.")
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
    replace: bool,
    root: Path | None,
) -> None:
    """Install memtui's hooks, slash commands and MCP server into Claude Code.

    From then on every auto-compaction leaves a capture. A typed slash command whose file marks a compact
    summary becomes active by itself, and its rules outlive a compaction. /review-compact reviews from within
    Claude Code, /memory:compact stores a session under a Recovery ID, /pin keeps a line that no compaction
    may lose, and /rescue gets back what one lost. Claude Code starts a server of .mcp.json only when you have
    approved it: your local settings do so. Sessions are kept in an archive beyond the days after which Claude
    Code deletes them, unless you say no. What changes is shown first; the rest of the settings stays byte
    for byte, a backup is kept, and `memtui uninstall` takes it all out again. Doing it twice changes nothing.
    """
    scope = scope_of(project, shared, user)
    places = places_of(root)
    if not dry_run:
        tidy(places, scope)
    if as_json:
        plan = plan_init(places, scope, approving=not no_approve, replacing=replace)
        carry_out_as_json(plan, places, yes=yes, dry_run=dry_run)
        return
    replacing = replace or _may_replace(places, ask=not (yes or dry_run) and can_answer())
    plan = plan_init(places, scope, approving=not no_approve, replacing=replacing)
    if nothing_to_do(plan, f"memtui is installed for {FOR[scope]}."):
        return
    say("The hooks, each a short process of memtui that Claude Code starts:")
    for event, purpose in PURPOSES.items():
        say(f"  {event:<17}{purpose}")
    archive_problem = _say_archive(places)
    if carry_out(plan, places, yes=yes, dry_run=dry_run, diffs=diff):
        if not archive_problem:
            _ask_archive(places, ask=not yes and can_answer())
        say(f"memtui is installed for {FOR[scope]}. `memtui doctor` checks whether the hooks work.")
        if (no_approve or shared) and any(each.target.path.name == ".mcp.json" for each in plan.changes):
            say("Claude Code asks once before it starts a server of .mcp.json: say yes to memtui's.")


def _say_archive(places: Places) -> str:
    """Print where sessions are archived; returns why none are, or ""."""
    try:
        say(about_archive(places, system_clock))
    except FileProblem as problem:  # the hooks can still be installed
        say(f"Note: no sessions are kept: {problem}.")
        return str(problem)
    return ""


def _ask_archive(places: Places, *, ask: bool) -> None:
    """Ask whether to archive sessions, unless that is configured."""
    if is_decided(places.home):
        return
    if not ask:
        say("Note: [archive] in config.toml may say keep = false, or name folders of which nothing is kept.")
    elif not click.confirm("Keep copies of sessions, so that they outlive Claude Code's?", default=True):
        path = turn_archive_off(places.home, changes_in(places.project.root).wrote)
        say(f"Sessions are not kept: {path} says so.")


def _may_replace(places: Places, *, ask: bool) -> bool:
    """Whether memtui may replace scripts that do the same work."""
    found = [(settings.path, each) for settings in read_all_settings(places) for each in settings.originals]
    if not found:
        return False
    for path, each in found:
        say(f"Note: {each.event} in {path} starts {each.script}, which memtui's hooks stand in for.")
    if not ask:
        say("Note: with --replace memtui takes its place; `memtui uninstall` puts it back.")
        return False
    return click.confirm("Take its place? `memtui uninstall` puts it back.", default=True)
