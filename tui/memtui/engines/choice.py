"""Who makes a draft, and what becomes of it where the model fails."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class Engine(StrEnum):
    """The words of ``--engine``."""

    FACTS = "facts"
    """What can be read off a transcript, and nothing else."""
    CLAUDE = "claude"
    """``claude -p`` improves on that."""


def improved(draft: T, ask: Callable[[], T]) -> tuple[T, str]:
    """What a model makes of a draft, and ""; or the draft itself, and why in one clause."""
    # Here and not above: without a model nothing of it is needed.
    from memtui.engines.process import EngineError

    try:
        return ask(), ""
    except EngineError as error:
        return draft, str(error)
