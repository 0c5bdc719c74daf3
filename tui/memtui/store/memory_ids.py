"""Recovery IDs: allocating new ones by the second, and completing abbreviated ones."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from itertools import count

from memtui.formats.stored_memory import moment_of

NEAR = 3
"""Number of suggestions for an unknown id."""

_PREFIX = "CMEM-"
_ALIKE = 0.85
"""Least similarity of two ids' digits for a suggestion: two digits may differ."""


def id_at(epoch: int) -> str:
    """The Recovery ID of a second since 1970, in local time.

    Raises:
        ValueError, OverflowError, OSError: the calendar has no such second.
    """
    # Not a datetime: if thousands of seconds are taken, as many have to be tried.
    found = time.localtime(epoch)
    if not 0 < found.tm_year < 10_000:
        raise ValueError("a year that has not four digits")
    return "CMEM-%04d%02d%02d-%02d%02d%02d" % found[:6]  # noqa: UP031 - twice as fast


class Seconds:
    """The seconds known to be taken.

    Counted since 1970, so that the ends of months and the hours skipped by clock changes need no special
    case. An id never becomes free again, so none is tried twice.
    """

    def __init__(self) -> None:
        self._taken: dict[int, int] = {}
        """Half-open ranges of taken seconds: start -> end."""
        self._guard = threading.Lock()

    def claim(self, moment: datetime, take: Callable[[str], bool]) -> None:
        """Take the first id from `moment` on that can be taken.

        Args:
            moment: the time of creation.
            take: takes an id; returns False if another memory has it.

        Raises:
            ValueError, OverflowError, OSError: the calendar has no such second, or ends.
        """
        first = math.floor(moment.timestamp())
        with self._guard:
            start = self._taken.get(first, first)
        for epoch in count(start):
            if take(id_at(epoch)):
                break
        with self._guard:
            self._taken[first] = max(epoch + 1, self._taken.get(first, first))


def beginning_with(text: str, ids: Collection[str]) -> list[str]:
    """The ids that begin with `text`, in any case and with or without ``CMEM-``."""
    wanted = text.strip().upper()
    if not wanted.removeprefix(_PREFIX):
        return []
    if not wanted.startswith(_PREFIX):
        wanted = _PREFIX + wanted
    found = [memory_id for memory_id in ids if memory_id.upper().startswith(wanted)]
    return [memory_id for memory_id in found if memory_id.upper() == wanted] or found


def nearest(text: str, ids: Collection[str]) -> list[str]:
    """Up to three suggestions for `text`: ids that differ in a digit or two, then the nearest in time."""
    # A slow import, only needed for an error message.
    from difflib import get_close_matches

    wanted = _digits(text)
    by_digits = {_digits(memory_id): memory_id for memory_id in ids}
    alike = get_close_matches(wanted, by_digits, NEAR, _ALIKE) if wanted else []
    return list(dict.fromkeys([*(by_digits[digits] for digits in alike), *_by_time(text, ids)]))[:NEAR]


def _by_time(text: str, ids: Collection[str]) -> Sequence[str]:
    moment = moment_of(text.strip().upper())
    if moment is None:
        return ()
    distances = [
        (abs((time_of - moment).total_seconds()), memory_id)
        for memory_id in ids
        if (time_of := moment_of(memory_id))
    ]
    return [memory_id for _, memory_id in sorted(distances)[:NEAR]]


def _digits(text: str) -> str:
    return "".join(char for char in text if char in "0123456789")
