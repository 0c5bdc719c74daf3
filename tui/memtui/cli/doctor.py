"""``memtui doctor``: checks the installation and advises on problems."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click

from memtui.cli.installing import places_of
from memtui.cli.options import root_option
from memtui.cli.output import is_terminal, print_json, say
from memtui.cli.receipts import print_receipts
from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock
from memtui.ground.project import Places
from memtui.setup.findings import Finding, Level, note, warning

_INDENT = " " * 9
_ERASED_LINE = "\r\x1b[K"
_NAMED = 5
"""Number of files that are named if they cannot be imported."""


@click.command("doctor")
@click.option("--receipts", is_flag=True, help="Show whether hand-overs have arrived, newest first.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@root_option
@click.pass_context
def command(ctx: click.Context, receipts: bool, as_json: bool, root: Path | None) -> None:
    """Check that hooks run and captures arrive.

    It looks at the settings, the hooks and whether their commands run, their last runs, the compactions in
    this project's transcripts against its captures, what waits or is about to be lost, folders, clipboard,
    file events, and the memories in the project's own folder. Nothing is changed. The exit code is 1 if
    something is broken.
    """
    if receipts:
        print_receipts(places_of(root), as_json=as_json)
        return
    findings = []
    _wait_for("the settings")
    from memtui.setup.doctor import diagnose  # may take a moment, too

    try:
        places = places_of(root)
        for finding in chain(_shared_memories(places), diagnose(places, system_clock, waiting=_wait_for)):
            _wait_for("")
            findings.append(finding)
            if not as_json:
                say(_shown(finding))
                sys.stdout.flush()
    finally:
        _wait_for("")
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.level is Level.BROKEN for finding in findings):
        ctx.exit(1)


def _shared_memories(places: Places) -> Iterator[Finding]:
    """Memories in the project's own folder that could not be imported."""
    from memtui.flows.shared_folder_import import files_not_imported

    check, problems = "shared memories", files_not_imported(places.project, places.home)
    for problem in problems[:_NAMED]:
        yield warning(check, problem.removesuffix("."), "Fix or remove it, or ask its author.")
    if len(problems) > _NAMED:
        yield note(check, f"{len(problems) - _NAMED} more cannot be taken in")


def _wait_for(what: str) -> None:
    """Show the current check in a line that the next one replaces; "" removes it."""
    if is_terminal() and sys.stderr.isatty():
        click.echo(f"{_ERASED_LINE}checking {what} ..." if what else _ERASED_LINE, nl=False, err=True)


def _shown(finding: Finding) -> str:
    advice = f"\n{_INDENT}{clean_line(finding.advice)}" if finding.advice else ""
    return f"{finding.level:8} {finding.check}: {clean_line(finding.message)}{advice}"
