"""The demo's session-state.json: active commands among other programs' data."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

HOTFIX = "hotfix"
"""The command that becomes active while the demo runs."""


def session_state_json(now: datetime) -> str:
    """The file's text: two commands with a command file and one without."""
    state: dict[str, Any] = {
        "version": "1.2.0",
        "current_session": {
            "started_at": stamp(now - timedelta(hours=2, minutes=4)),
            "branch": "partial-refunds",
        },
        "active_commands": [
            entry("mentor", now - timedelta(hours=2, minutes=3), {"story": "HB-214", "step": 5}),
            entry("review/money", now - timedelta(minutes=47), {}),
            entry("standup", now - timedelta(hours=9), {}),
        ],
        "hook_metrics": {"last_updated": stamp(now - timedelta(minutes=21)), "session_total_ms": 1284},
        "update_cache": {"checked_at": stamp(now - timedelta(hours=9)), "result": {"available": False}},
    }
    return json.dumps(state, indent=2) + "\n"


def entry(name: str, moment: datetime, state: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "activated_at": stamp(moment), "state": state}


def stamp(moment: datetime) -> str:
    """A time as JavaScript's ``toISOString`` writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
