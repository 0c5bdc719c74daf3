"""``memtui doctor --receipts``: whether hand-overs have arrived."""

from __future__ import annotations

from memtui.cli.output import print_json, print_table, say
from memtui.ground.clock import local_minute
from memtui.ground.project import Places
from memtui.lost.receipts import Receipt
from memtui.plugin.receipts import RECENT, receipts_of


def print_receipts(places: Places, *, as_json: bool) -> None:
    """Print whether hand-overs have arrived, newest first.

    Whatever the hooks hand to a session ends with a mark; Claude Code's transcript shows whether it arrived
    whole. A compaction at which no hook ran is listed, too, with the likely reason.
    """
    found = receipts_of(places, RECENT)
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
