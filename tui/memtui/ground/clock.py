"""The current time, and formatting times for people.

Everything that needs the time takes a `Clock`, so that tests and the demo can freeze it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

Clock = Callable[[], datetime]
"""Returns the current time: always aware, in the local zone."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def system_clock() -> datetime:
    """The current local time with its UTC offset."""
    return datetime.now().astimezone()  # noqa: TID251 - the one caller


def parse_iso(text: str) -> datetime | None:
    """Read an ISO 8601 time, as Claude Code writes it; local without an offset, None if it is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def whole_seconds(moment: datetime) -> datetime:
    if type(moment.tzinfo) is timezone and not (moment.microsecond or moment.fold):  # most texts
        return moment
    # A fixed offset: two times of one zone compare unequal in the hour that a zone change repeats.
    return moment.replace(microsecond=0, tzinfo=timezone(moment.utcoffset() or timedelta()), fold=0)


def age(moment: datetime, now: datetime) -> str:
    """The age of `moment` in the largest fitting unit: ``now``, ``5 m ago``, ``2 h ago``."""
    number, unit = _since(moment, now)
    if not unit:
        return "now"
    return f"{number} {unit} ago" if number >= 0 else local_minute(moment)


def short_age(moment: datetime, now: datetime) -> str:
    """The same for a list, in at most five cells: ``now``, ``5m``, ``2h``, ``3d``."""
    number, unit = _since(moment, now)
    return f"{number}{unit}" if number >= 0 and unit else "now"


def _since(moment: datetime, now: datetime) -> tuple[int, str]:
    """(number, unit); no unit within a minute, a negative number for the future."""
    seconds = (now - moment).total_seconds()
    if abs(seconds) < _MINUTE:
        return 0, ""
    if seconds < 0:
        return -1, "m"
    if seconds < _HOUR:
        return int(seconds // _MINUTE), "m"
    if seconds < 2 * _DAY:
        return int(seconds // _HOUR), "h"
    return int(seconds // _DAY), "d"


def to_local(moment: datetime) -> datetime:
    """`moment` in the local zone; as it is where that would leave the years 1 to 9999."""
    try:
        return moment.astimezone()
    except (ValueError, OverflowError, OSError):
        return moment


def local_minute(moment: datetime) -> str:
    """Local date and time to the minute: ``2026-01-02 10:15``."""
    return to_local(moment).strftime("%Y-%m-%d %H:%M")


def short_time(moment: datetime, now: datetime) -> str:
    """Five or six characters for a list: ``10:15`` for today, ``02 Jan`` this year, ``2025-12`` before."""
    here, today = to_local(moment), now.astimezone()
    if here.date() == today.date():
        return here.strftime("%H:%M")
    if here.year == today.year:
        return f"{here.day:02d} {_MONTHS[here.month - 1]}"
    return here.strftime("%Y-%m")


def day_and_minute(moment: datetime) -> str:
    """Day and time for a list, in twelve characters: ``02 Jan 10:15``."""
    here = to_local(moment)
    return f"{here.day:02d} {_MONTHS[here.month - 1]} {here:%H:%M}"


# Not strftime("%b"): that follows the locale, and a column must keep its width.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
