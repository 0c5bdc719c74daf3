"""Paints a screen when a test looks at it, not sixty times a second: the app is headless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from rich.segment import Segment
from textual._compositor import Compositor
from textual.screen import Screen
from textual.strip import Strip

_pictures: WeakKeyDictionary[Screen[Any], list[Strip]] = WeakKeyDictionary()
"""The last painting."""


class _NothingKept:
    """Takes the place of a cache."""

    def get(self, key: object, default: object = None) -> object:
        return default

    def __setitem__(self, key: object, value: object) -> None:
        pass


def without_caches(patch: pytest.MonkeyPatch) -> None:
    """Let the lines of widgets come without caches for their parts.

    Textual makes seven for each line, and few lines are painted twice. Making them, and collecting them as
    garbage, takes more time than they save.
    """
    nothing = _NothingKept()

    def make(self: Any, segments: Iterable[Segment], cell_length: int | None = None) -> None:
        self._segments = list(segments)
        self._cell_length = cell_length
        self._divide_cache = self._crop_cache = self._style_cache = self._filter_cache = nothing
        self._line_length_cache = self._crop_extend_cache = self._offsets_cache = nothing
        self._render_cache = self._link_ids = self._cell_count = None

    patch.setattr(Strip, "__init__", make)


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
