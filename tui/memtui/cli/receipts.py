"""``memtui receipts``: whether hand-overs have arrived."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.output import print_json, print_table, say
from memtui.cli.project import project_of, root_option
from memtui.ground.clock import local_minute
from memtui.ground.project import Places, claude_config, memtui_home
from memtui.lost.receipts import Receipt
from memtui.setup.receipts import RECENT, receipts_of


@click.command("receipts")
@click.option("--limit", type=click.IntRange(1), default=RECENT, show_default=True, help="The most to show.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@root_option
def command(limit: int, as_json: bool, root: Path | None) -> None:
    """Show whether hand-overs have arrived, newest first.

    Whatever the hooks hand to a session ends with a mark; Claude Code's transcript shows whether it arrived
    whole. A compaction at which no hook ran is listed, too, with the likely reason.
    """
    places = Places(project_of(root), memtui_home(), claude_config())
    found = receipts_of(places, limit)
    if as_json:
        print_json([_object(each) for each in found])
    elif found:
        rows = [
            (
                local_minute(each.at),
                each.session_id[:8],
                each.what or each.event,
                f"{_sign(each)} {each.label}",
            )
            for each in found
        ]
        print_table(("Handed over", "Session", "What", "Receipt"), rows, flexible=3)
    else:
        say("Nothing was handed over yet.")


def _sign(receipt: Receipt) -> str:
    return {"whole": "✓", "unknown": "?"}.get(receipt.arrival, "✗")


def _object(receipt: Receipt) -> dict[str, object]:
    return {
        "at": receipt.at.isoformat(),
        "session_id": receipt.session_id,
        "event": receipt.event,
        "what": receipt.what,
        "characters": receipt.characters,
        "mark": receipt.mark or None,
        "arrival": receipt.arrival,
        "reason": receipt.reason,
        "line": receipt.line or None,
    }
