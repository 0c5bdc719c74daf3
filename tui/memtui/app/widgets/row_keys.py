"""The keys of a list, and carrying over selection and scroll position when they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

_NEAR = 32
_PATIENCE = 4096


class RowKeys:
    """An immutable sequence of unique keys with fast search."""

    def __init__(self, keys: Sequence[str] = ()) -> None:
        """Take unique keys in the order of the rows; the sequence must not be changed afterwards."""
        self.keys = keys
        self._positions: Mapping[str, int] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> str:
        return self.keys[index]

    def find(self, key: str, hint: int = 0) -> int:
        """The index of `key`, or -1. The keys around `hint` are searched before all are indexed."""
        if self._positions is None:
            low = max(0, hint - _NEAR)
            for index in range(low, min(len(self.keys), hint + _NEAR + 1)):
                if self.keys[index] == key:
                    return index
            self._positions = {each: index for index, each in enumerate(self.keys)}
        return self._positions.get(key, -1)

    def successor(self, old: RowKeys, index: int) -> tuple[int, int]:
        """The new index of the row `index` of `old`; if it is gone, that of the row in its place.

        That is the next row after it that still exists, else the nearest before it.

        Returns:
            The index here, or -1 if nothing nearby is left, and the index in `old` of the row found.
        """
        after = range(index, min(len(old), index + _PATIENCE))
        before = range(index - 1, max(-1, index - _PATIENCE), -1)
        for candidates in (after, before):
            for candidate in candidates:
                found = self.find(old[candidate], candidate)
                if found >= 0:
                    return found, candidate
        return -1, index


class Spot(NamedTuple):
    """The position in a list: the index of the selected row (-1: none) and of the first visible row."""

    selected: int
    top: int


def carry_over(
    old: RowKeys,
    new: RowKeys,
    spot: Spot,
    height: int,
    *,
    moved: bool,
    at_top: bool,
    selectable: Callable[[int, int], int],
) -> Spot:
    """The position after `old` is replaced by `new`, so that nothing jumps.

    The selected row stays selected; if it is gone, the row that took its place is. The first row in sight
    stays where it is on the screen, unless the selected row would leave the screen by that. A list scrolled
    to its top stays there when `at_top`, and selects the first row again until the user has `moved`.

    Args:
        old: The keys so far.
        new: The keys from now on.
        spot: The position in `old`.
        height: Number of rows that fit on the screen; 0 if unknown.
        moved: Whether the user has moved the selection.
        at_top: Whether the selection was last put on the first row, by the user or initially.
        selectable: Gives the nearest row of `new` that can be selected, from an index in a direction.
    """
    index, top = spot
    if index < 0 or not (moved or top):
        selected = selectable(0, 1)
    else:
        found, _ = new.successor(old, index)
        selected = selectable(found if found >= 0 else min(index, len(new) - 1), 1)
    if top == 0 and at_top:
        new_top = 0
    else:
        found, of = new.successor(old, top)
        new_top = found - (of - top) if found >= 0 else 0
    if height and selected >= 0 and (index < 0 or top <= index < top + height):
        new_top = max(min(new_top, selected), selected - height + 1)
    return Spot(selected, max(0, min(new_top, len(new) - height)))
