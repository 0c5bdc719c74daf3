"""The keys of a list, and what becomes of a selection and a scroll position when they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_NEAR = 32
_PATIENCE = 4096


class RowKeys:
    """An immutable sequence of unique keys in which a key is found without reading it all each time."""

    def __init__(self, keys: Sequence[str] = (), positions: Mapping[str, int] | None = None) -> None:
        """Take the keys as they are: neither they nor `positions` may be changed afterwards.

        Args:
            keys: Unique keys in the order of the rows.
            positions: The index of every key, if a worker has made it; else it is made when first needed.
        """
        self.keys = keys
        self._positions = positions

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> str:
        return self.keys[index]

    def find(self, key: str, hint: int = 0) -> int:
        """The index of `key`, or -1. It is looked for around `hint` before all keys are indexed."""
        if self._positions is None:
            low = max(0, hint - _NEAR)
            for index in range(low, min(len(self.keys), hint + _NEAR + 1)):
                if self.keys[index] == key:
                    return index
            self._positions = {each: index for index, each in enumerate(self.keys)}
        return self._positions.get(key, -1)

    def successor(self, old: RowKeys, index: int) -> tuple[int, int]:
        """Where the row `index` of `old` is now; if it is gone, the row that took its place.

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
