"""Distinguishes clicks on a list that give it the focus, select a row, or open it."""

from __future__ import annotations


class Pointer:
    """The mouse presses on one list."""

    def __init__(self) -> None:
        self._focus_is_new = False
        self.brought_focus = False
        """Whether the last press brought the focus."""
        self._chain_opened = False

    def focus_comes(self) -> None:
        """The list has got the focus; the press that may have given it is still to come."""
        self._focus_is_new = True

    def focus_settled(self) -> None:
        """Such a press would have come by now."""
        self._focus_is_new = False

    def press(self) -> bool:
        """Note a press; returns whether it brought the focus."""
        self.brought_focus = self._focus_is_new
        return self.brought_focus

    def opens(self, chain: int, *, selected: bool) -> bool:
        """Whether a click opens its row: a double click does, and one on the selected row.

        Args:
            chain: 1 for a click, 2 for the second one of a double click.
            selected: whether its row was selected before.
        """
        again = selected and not self.brought_focus
        if chain == 1:
            self._chain_opened = again
            return again
        return chain == 2 and not self._chain_opened
