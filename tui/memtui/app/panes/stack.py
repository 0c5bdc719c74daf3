"""The stack of panes: each as high as its content, as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import Vertical

from memtui.app.panes.pane import Pane

_LEAST = 3
_BARS = 2
"""Lines above and below the panes in a window that shows several of them."""


class PaneStack(Vertical):
    """Gives the current pane the remaining room; long ones are cut to the same height."""

    def on_resize(self) -> None:
        """Distribute the room anew."""
        self.share_room()

    def on_pane_height_changed(self) -> None:
        """Distribute the room anew."""
        self.share_room()

    def share_room(self) -> None:
        """Limit the panes other than the current one."""
        panes = [child for child in self.children if isinstance(child, Pane)]
        # Before the first layout, use its expected height, so that it need not be repeated.
        room = self.size.height or self.app.size.height - _BARS
        limit = fair_height([pane.wanted_height for pane in panes], room)
        for pane in panes:
            if pane.has_class("-current"):
                pane.styles.clear_rule("max_height")
            elif pane.styles.max_height is None or pane.styles.max_height.value != limit:
                pane.styles.max_height = limit


def fair_height(wanted: Sequence[int], room: int) -> int:
    """The height to which all are cut so that they fit into `room`; at most the highest one."""
    limit = max(wanted, default=_LEAST)
    while limit > _LEAST and sum(min(height, limit) for height in wanted) > room:
        limit -= 1
    return max(limit, _LEAST)
