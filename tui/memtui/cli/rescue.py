"""``memtui rescue``: gives lost facts back to a session."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.changes import changes_in
from memtui.cli.output import print_json, say
from memtui.cli.project import project_of, root_option
from memtui.flows.aftermath import newest_or_named
from memtui.flows.rescue import fitting, hand_over, rescue_text
from memtui.ground.clock import system_clock
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.lost.records import Aftermath, Row
from memtui.setup.hooks_check import has_all_hooks


@click.command("rescue")
@click.argument("compaction", default="", metavar="[CAPTURE|SESSION]")
@click.option(
    "--row", "wanted", multiple=True, metavar="NUMBER|KEY", help="A row of `memtui lost`; repeat it."
)
@click.option("--all", "every", is_flag=True, help="Every missing row that fits.")
@click.option(
    "--hand-over", "handing_over", is_flag=True, help="Deliver it with the session's next prompt, once."
)
@click.option("--print", "printing", is_flag=True, help="Print it as a prompt (the default).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@root_option
def command(
    compaction: str,
    wanted: tuple[str, ...],
    every: bool,
    handing_over: bool,
    printing: bool,
    as_json: bool,
    root: Path | None,
) -> None:
    """Give back what a compaction lost: as a prompt to paste, or with the session's next prompt.

    Without --row or --all it is the losses that count: pins, what was needed again, rules, open work and the
    user's words. At most 9,000 characters have room; the worst losses come first.
    """
    if handing_over and printing:
        raise click.UsageError("--hand-over and --print exclude each other.")
    if wanted and every:
        raise click.UsageError("--row and --all exclude each other.")
    places = Places(project_of(root), memtui_home(), claude_config())
    (found,) = newest_or_named(places, compaction)
    rows = [_row(found, name) for name in wanted] or list(found.missing if every else found.counted_losses)
    kept = fitting(rows)
    if not kept:
        raise click.ClickException(
            "nothing of this compaction is to be rescued; `memtui lost` shows its rows."
        )
    if handing_over:
        _hand_over(places, found, kept, as_json)
    else:
        text = rescue_text(found, kept, places.project.name)
        if as_json:
            print_json(
                {"operation": "print", "session_id": found.session_id, "rows": len(kept), "text": text}
            )
        else:
            say(text)
    if len(kept) < len(rows):
        say(f"{len(rows) - len(kept)} rows have no room and were left out.", err=True)


def _hand_over(places: Places, found: Aftermath, rows: list[Row], as_json: bool) -> None:
    done = hand_over(places, system_clock, found, rows, changes_in(places.project.root).wrote)
    if as_json:
        print_json({"operation": "hand-over", "session_id": done.session_id, "rows": done.rows})
    else:
        what = f"{done.rows} row{' waits' if done.rows == 1 else 's wait'}"
        say(f"{what} for the next prompt of session {done.session_id[:8]}.")
        if not has_all_hooks(places):
            say("The hooks that deliver it are not installed: memtui init installs them.", err=True)


def _row(found: Aftermath, name: str) -> Row:
    if name.isdecimal() and 0 < int(name) <= len(found.missing):
        return found.missing[int(name) - 1]
    for row in found.rows:
        if row.key == name:
            return row
    raise click.BadParameter(f"there is no row {name} in `memtui lost`", param_hint="--row")
