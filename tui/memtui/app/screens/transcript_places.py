"""Going from one turn or compaction of a transcript to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui.app.widgets.transcript_source import Wanted
from memtui.app.widgets.transcript_view import TranscriptView
from memtui.transcript.line_index import LineIndex

Offsets = Callable[[LineIndex], Sequence[int]]
"""Returns the byte offsets of one kind of place, in their order."""


def go_to_next(view: TranscriptView, places: Offsets, step: int, name: str) -> str:
    """Go to the next of some places, or to the one before; returns "", or why there is none.

    Args:
        view: the transcript.
        places: returns their offsets.
        step: 1 or -1.
        name: of such a place, for people.
    """
    block = view.current
    if block is None:
        return ""
    offsets, here = places(view.source.index), block.key[0]
    others = [each for each in offsets if (each > here if step > 0 else each < here)]
    if others:
        view.go(Wanted("offset", others[0] if step > 0 else others[-1]))
        return ""
    if offsets:
        return f"This is the {'last' if step > 0 else 'first'} {name}."
    return f"There is no {name} in this session."
