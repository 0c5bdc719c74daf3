"""The keys of a list, and carrying over selection and scroll position when they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple


class RowKeys:
    """An immutable sequence of unique keys, each found at once."""

    def __init__(self, keys: Sequence[str] = ()) -> None:
        """Take unique keys in the order of the rows; the sequence must not be changed afterwards."""
        self.keys = keys
        self._positions = {key: index for index, key in enumerate(keys)}

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> str:
        return self.keys[index]

    def find(self, key: str | None) -> int:
        """The index of `key`, or -1."""
        return self._positions.get(key or "", -1)

    def successor(self, old: RowKeys, index: int) -> tuple[int, int]:
        """The new index of a row of `old`, or of the next one that still exists, else of the one before it.

        Returns:
            The index here, or -1 if nothing is left, and the index in `old` of the row found.
        """
        for candidate in chain(range(index, len(old)), range(index - 1, -1, -1)):
            if (found := self.find(old[candidate])) >= 0:
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
