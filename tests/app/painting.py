"""Paints the screen when a test waits or looks, not sixty times a second: the app is headless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.screen import Screen


class Painting:
    """Holds back what Textual would paint until it is asked for; layout and callbacks go on as always."""

    def __init__(self) -> None:
        self._held = True

    def paint(self, screen: Screen[Any]) -> None:
        """Lay out and paint everything that has changed since the last time."""
        self._held = False
        try:
            screen._on_timer_update()
            if screen._compositor._dirty_regions:
                screen._compositor_refresh()
        finally:
            self._held = True


@contextmanager
def painting_when_asked() -> Iterator[Painting]:
    """While the block runs, screens are painted by the `Painting` that it gets."""
    painting = Painting()
    render_update = Compositor.render_update

    def held_back(self: Compositor, full: bool = False, *arguments: Any, **options: Any) -> object:
        # What is not painted stays marked: `_dirty_regions` is emptied by painting alone.
        if painting._held and not full:
            return None
        return render_update(self, full, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", held_back)
        yield painting
