"""The date on which Claude Code will delete a session: `cleanupPeriodDays` after its last line."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from pathlib import Path

DEFAULT_DAYS = 30
"""Claude Code's default (Claude Code fact)."""

_LIMIT = 1 << 20
_MOST_DAYS = 99_999


def cleanup_days(config: Path, project: Path | None = None) -> int:
    """The days that Claude Code keeps a transcript: read from its settings, never changed.

    Args:
        config: Claude Code's configuration folder.
        project: the project's folder, whose settings take precedence.
    """
    places = [config / "settings.json"]
    if project is not None:
        places += [project / ".claude" / "settings.json", project / ".claude" / "settings.local.json"]
    days = DEFAULT_DAYS
    for place in places:
        days = _stated(place) or days
    return days


def _stated(path: Path) -> int:
    try:
        if not path.is_file() or path.stat().st_size > _LIMIT:
            return 0
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return 0
    days = value.get("cleanupPeriodDays") if isinstance(value, dict) else None
    return days if type(days) is int and 0 < days <= _MOST_DAYS else 0


def days_left(written: datetime, now: datetime, days: int) -> int:
    """Whole days until a transcript last written at `written` is deleted; 0 if it is due."""
    try:
        return max(0, math.ceil((written + timedelta(days=days) - now) / timedelta(days=1)))
    except OverflowError:
        return days
