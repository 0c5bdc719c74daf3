"""The active commands of the demo, and the file that holds them among other programs' data."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

COMMANDS = {
    ".claude/commands/agileflow/mentor.md": """\
---
description: Work on a story step by step, with the person deciding at every fork
---

# /mentor

<!-- COMPACT_SUMMARY_START -->
## ACTIVE COMMAND: /mentor

**ROLE**: mentor. You guide the work on one story from plan to merge.

### Rules
- Ask before every design decision, with at most four options, one of them recommended
- Write the failing test first; show it red, then green
- One commit for one step, the message says why
- Never touch `stock_levels` directly: the ledger owns it

### Where we are
Story HB-214: partial refunds give the stock back. Steps 1 to 4 of 6 are done.
<!-- COMPACT_SUMMARY_END -->

## How to use it
`/mentor HB-214` starts or goes on with a story.
""",
    ".agileflow/commands/review/money.md": """\
---
description: Check that a change handles money without losing a cent
---

# /review/money

<!-- COMPACT_SUMMARY_START (kept through compaction) -->
## ACTIVE COMMAND: /review/money

Every amount is an integer number of cents with its currency. Look for:
- `number` amounts that are divided, multiplied or rounded outside `src/money`
- sums over several currencies
- a refund that can exceed its charge
<!-- COMPACT_SUMMARY_END -->
""",
    ".claude/commands/agileflow/hotfix.md": """\
# /hotfix

<!-- COMPACT_SUMMARY_START -->
## ACTIVE COMMAND: /hotfix

- The smallest change that stops the damage, from the branch `production`
- No refactoring, no new dependency
- Write down in `docs/incidents/` what happened, while it is fresh
<!-- COMPACT_SUMMARY_END -->
""",
}
"""Command files by their path in the project."""

HOTFIX = "hotfix"
"""The command that becomes active while the demo runs."""


def session_state_json(now: datetime) -> str:
    """The file as three other programs have left it: two commands with a file and one without."""
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
    """One entry of `active_commands`."""
    return {"name": name, "activated_at": stamp(moment), "state": state}


def stamp(moment: datetime) -> str:
    """A time as JavaScript's ``toISOString`` writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
