"""Order of records in a transcript: by line number, as timestamps may repeat and go back.

Only lines of a subagent's own transcript have no number in the session's; they are placed by time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from memtui.transcript.records import Source


class _Sourced(Protocol):
    @property
    def source(self) -> Source:
        """Its source."""


T = TypeVar("T", bound=_Sourced)


def is_after(one: Source, other: Source) -> bool:
    """Whether one place is behind another; False when that is not known."""
    if one.line and other.line:
        return one.line > other.line
    return one.timestamp > other.timestamp


def later(one: Source, other: Source) -> Source:
    """The later of two places, the first one when that is not known."""
    return other if is_after(other, one) else one


def in_order(items: Iterable[T]) -> list[T]:
    """Items ordered by source."""
    listed = sorted(items, key=lambda each: each.source.line)
    first = next((at for at, each in enumerate(listed) if each.source.line), len(listed))
    return with_late(listed[first:], listed[:first])


def with_late(own: Iterable[T], late: Iterable[T]) -> list[T]:
    """`own` in its order, with `late` inserted by time."""
    merged: list[T] = []
    waiting = sorted(late, key=lambda each: each.source.timestamp)
    for each in own:
        while waiting and "" < waiting[0].source.timestamp < each.source.timestamp:
            merged.append(waiting.pop(0))
        merged.append(each)
    return merged + waiting
