"""The stack of panes: each as high as its content, as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import Vertical
from textual.css.scalar import Scalar
from textual.geometry import Size
from textual.layout import ArrangeResult, Layout
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget

from memtui.app.panes.pane import Pane

_LEAST = 3


class _FairLayout(VerticalLayout):
    """Limits the panes other than the current one as it arranges them, so that this need not be repeated."""

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Arrange the panes one below the other."""
        panes = [child for child in children if isinstance(child, Pane)]
        limit = fair_height([pane.wanted_height(size.width) for pane in panes], size.height)
        for pane in panes:
            # The setter of `styles.max_height` would ask for another layout.
            pane.styles.set_rule(
                "max_height", None if pane.has_class("-current") else Scalar.from_number(limit)
            )
        return super().arrange(parent, children, size, greedy)


_FAIR_LAYOUT = _FairLayout()


class PaneStack(Vertical):
    """Gives the current pane the remaining room; long ones are cut to the same height."""

    @property
    def layout(self) -> Layout:
        """Its own: from `styles.layout` Textual takes the name alone."""
        return _FAIR_LAYOUT


def fair_height(wanted: Sequence[int], room: int) -> int:
    """The height to which all are cut so that they fit into `room`; at most the highest one."""
    limit = max(wanted, default=_LEAST)
    while limit > _LEAST and sum(min(height, limit) for height in wanted) > room:
        limit -= 1
    return max(limit, _LEAST)
