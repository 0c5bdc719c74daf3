"""``memtui doctor``: says what works, and what to do about the rest."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from memtui.cli.options import json_option, places_of, root_option
from memtui.cli.output import print_json, say
from memtui.cli.receipts import print_receipts
from memtui.ground.clean import clean_line
from memtui.ground.clock import system_clock

_INDENT = " " * 9


@click.command("doctor")
@click.option("--receipts", is_flag=True, help="Show whether hand-overs have arrived, newest first.")
@json_option
@root_option
@click.pass_context
def command(ctx: click.Context, receipts: bool, as_json: bool, root: Path | None) -> None:
    """Say what works: hooks, captures, receipts, the MCP server.

    One line each, with what to do. Nothing is changed. The exit code is 1 if something is broken.
    """
    if receipts:
        print_receipts(places_of(root), as_json=as_json)
        return
    from memtui.plugin.doctor import Level, diagnose

    findings = []
    for finding in diagnose(places_of(root), system_clock):
        findings.append(finding)
        if not as_json:
            advice = f"\n{_INDENT}{clean_line(finding.advice)}" if finding.advice else ""
            say(f"{finding.level:8} {finding.check}: {clean_line(finding.message)}{advice}")
            sys.stdout.flush()
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.level is Level.BROKEN for finding in findings):
        ctx.exit(1)
