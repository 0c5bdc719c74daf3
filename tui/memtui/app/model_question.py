"""The question to a model: one at a time, and it can be cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from memtui.ground.clean import clean_line

Answer = TypeVar("Answer")
Ask = Callable[[Callable[[], bool]], Answer]
"""Asks the model, in a thread; receives a `cancelled()` callback."""

BUSY = "Claude is already working; esc cancels."


class ModelQuestion:
    """The current question of a screen to the model, if any."""

    def __init__(self) -> None:
        self._cancelled: threading.Event | None = None

    @property
    def is_open(self) -> bool:
        return self._cancelled is not None

    async def ask(self, ask: Ask[Answer]) -> Answer:
        """Put the question, and wait for the answer. Only while no other one is open."""
        cancelled = self._cancelled = threading.Event()
        try:
            return await asyncio.to_thread(ask, cancelled.is_set)
        finally:
            cancelled.set()  # the thread may still run: the waiting worker ends with its widget
            self._cancelled = None

    def cancel(self) -> bool:
        """Cancel the question; False if there is none, or it is already cancelled."""
        if self._cancelled is None or self._cancelled.is_set():
            return False
        self._cancelled.set()
        return True


def reason_not_used(problem: str) -> str:
    """Why a model was not used, as the beginning of a sentence."""
    reason = "called off" if problem == "cancelled" else clean_line(problem)
    return f"{reason[:1].upper()}{reason[1:]}"
