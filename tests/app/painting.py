"""Paints a screen when a test looks at it, not sixty times a second: the app is headless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from textual._compositor import Compositor
from textual.screen import Screen
from textual.strip import Strip

_pictures: WeakKeyDictionary[Screen[Any], list[Strip]] = WeakKeyDictionary()
"""The last painting."""


@contextmanager
def held_back() -> Iterator[None]:
    """While the block runs, Textual paints nothing of itself but screenshots; layout goes on as always."""
    render_update = Compositor.render_update

    def when_full(self: Compositor, full: bool = False, *arguments: Any, **options: Any) -> object:
        # What is not painted stays marked: `_dirty_regions` is emptied by painting alone.
        return render_update(self, full, *arguments, **options) if full else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", when_full)
        yield


def painted(screen: Screen[Any]) -> list[Strip]:
    """Lay out a screen and paint it if anything on it has changed since the last time; returns its lines."""
    screen._on_timer_update()
    compositor = screen._compositor
    # Also what has changed so lately that the screen has not yet heard of it.
    compositor.update_widgets(set(compositor.visible_widgets))
    picture = _pictures.get(screen, [])
    if compositor._dirty_regions or len(picture) != compositor.size.height:
        compositor._dirty_regions.clear()
        update: Any = compositor.render_inline(compositor.size, screen.app._background_screens)
        picture = _pictures[screen] = update.strips
    return picture
