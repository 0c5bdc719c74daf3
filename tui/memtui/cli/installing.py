"""Shared by `memtui init` and `memtui uninstall`: the scope, the question, and applying the changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from memtui.cli.options import changes_in, project_of
from memtui.cli.output import can_answer, print_json, say
from memtui.ground.clock import system_clock
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.setup.claude_files import Scope
from memtui.setup.file_change import Change, diff
from memtui.setup.install import Plan, apply

HELPS = {
    Scope.PROJECT: "This project on this machine: .claude/settings.local.json, .mcp.json (the default).",
    Scope.SHARED: "This project for the whole team: .claude/settings.json, .mcp.json.",
    Scope.USER: "All your projects: settings.json in Claude Code's own folder.",
}
FOR = {Scope.PROJECT: "this project", Scope.SHARED: "this project's team", Scope.USER: "all your projects"}
"""Phrases for the scopes."""

_ANSWER = click.Choice(["y", "n", "d"], case_sensitive=False)

json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object: scope, done, changes (path, action), notes, kept, backups. Without --yes,"
    " nothing is changed.",
)

_Function = Callable[..., Any]


def plan_options(function: _Function) -> _Function:
    """Add the options of both commands: the scope, ``--dry-run``, ``--yes`` and ``--diff``."""
    for option in reversed(
        [
            *(click.option(f"--{scope}", is_flag=True, help=HELPS[scope]) for scope in Scope),
            click.option("--dry-run", is_flag=True, help="Only show what would change."),
            click.option("--yes", "-y", is_flag=True, help="Do it without asking."),
            click.option("--diff", is_flag=True, help="Show the differences, not only the files."),
        ]
    ):
        function = option(function)
    return function


def scope_of(project: bool, shared: bool, user: bool) -> Scope:
    """The scope chosen by the options.

    Raises:
        click.UsageError: there is more than one.
    """
    asked = [scope for scope, given in zip(Scope, (project, shared, user), strict=True) if given]
    if len(asked) > 1:
        raise click.UsageError("Name one of --project, --shared and --user.")
    return asked[0] if asked else Scope.PROJECT


def places_of(root: Path | None) -> Places:
    """The project of a folder (None: the current one), with the user's folders."""
    return Places(project_of(root), memtui_home(), claude_config())


def carry_out(plan: Plan, places: Places, *, yes: bool, dry_run: bool, diffs: bool) -> bool:
    """Show a plan, ask, and apply it; returns whether it was applied.

    The files come first, their differences on request.

    Raises:
        click.ClickException: there is no terminal to ask on.
        FileProblem: see `memtui.setup.install.apply`.
    """
    for change in plan.changes:
        say(_listed(change))
    if diffs:
        _say_diffs(plan)
    _say_notes(plan)
    if dry_run:
        return False
    if not yes:
        if not can_answer():
            raise click.ClickException("nothing was changed; accept the changes with --yes.")
        answer = ""
        while answer not in ("y", "n"):
            answer = click.prompt(
                "Make these changes? (y)es, (n)o, show the (d)ifferences", "y", type=_ANSWER
            )
            if answer == "d":
                _say_diffs(plan)
        if answer == "n":
            say("Nothing was changed.")
            return False
    for backup in _apply(plan, places):
        say(f"Backup: {backup}")
    return True


def _apply(plan: Plan, places: Places) -> list[Path]:
    changes = changes_in(places.project.root)
    with changes.together(plan.what):
        return apply(plan, places, system_clock, changes.wrote)


def _listed(change: Change) -> str:
    """A file's change on one line: ``new``, ``changed`` or ``removed``, with the number of lines."""
    lines = diff(change).splitlines()[2:]
    added, gone = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    word = "new" if change.before is None else "removed" if change.after is None else "changed"
    return f"{word:8} {change.target.path}  +{added} -{gone}"


def _say_diffs(plan: Plan) -> None:
    for change in plan.changes:
        say(diff(change))


def carry_out_as_json(plan: Plan, places: Places, *, yes: bool, dry_run: bool) -> None:
    """Apply a plan if ``--yes`` is given; print the plan, and whether it was applied, as one JSON object.

    Raises:
        click.ClickException: there are changes, and neither ``--yes`` nor ``--dry-run``.
        FileProblem: see `memtui.setup.install.apply`.
    """
    done = bool(plan.changes) and yes and not dry_run
    backups = [str(path) for path in _apply(plan, places)] if done else []
    actions = ((change.target.path, change.before is None, change.after is None) for change in plan.changes)
    print_json(
        {
            "scope": str(plan.scope),
            "done": done,
            "changes": [
                {"path": str(path), "action": "new" if new else "removed" if gone else "changed"}
                for path, new, gone in actions
            ],
            "notes": list(plan.notes),
            "kept": [str(path) for path in plan.kept],
            "backups": backups,
        }
    )
    if plan.changes and not done and not dry_run:
        raise click.ClickException("nothing was changed; accept the changes with --yes.")


def nothing_to_do(plan: Plan, sentence: str) -> bool:
    """Say so when a plan has no changes."""
    if not plan.changes:
        _say_notes(plan)
        say(f"Nothing to do: {sentence}")
    return not plan.changes


def _say_notes(plan: Plan) -> None:
    for note in plan.notes:
        say(f"Note: {note}")
