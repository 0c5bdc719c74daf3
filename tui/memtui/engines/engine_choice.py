"""The choice of an engine, and the fallback if the model fails."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class Engine(StrEnum):
    """The values of ``--engine``."""

    FACTS = "facts"
    """Facts of the transcript alone."""
    CLAUDE = "claude"
    """Facts, improved by ``claude -p``."""


def improved(draft: T, ask: Callable[[], T]) -> tuple[T, str]:
    """A draft improved by the model, and ""; or the draft itself, and the reason in one clause."""
    # Imported here: only needed with a model.
    from memtui.engines.process import EngineError

    try:
        return ask(), ""
    except EngineError as error:
        return draft, str(error)
